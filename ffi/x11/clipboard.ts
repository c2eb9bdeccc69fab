/** The clipboard of an X11 desktop: the selections CLIPBOARD and PRIMARY. */

import { delay } from "@std/async/delay";
import {
  type Clipboard,
  CLIPBOARD_KINDS,
  type ClipboardContent,
  type ClipboardKind,
  type Selection,
  SELECTIONS,
} from "../../control/desktop/desktop.ts";
import { StateError } from "../../core/errors.ts";
import { ClipboardReadings, contentOf } from "../clipboard_readings.ts";
import { SelectionConnection } from "./selection_connection.ts";
import { readSelection, SelectionOwner } from "./selection_owner.ts";

/**
 * The time that a clipboard manager may take to keep content, and that it may be silent in between, in milliseconds.
 */
const KEEP_MS = 1000, SILENT_MS = 200;
/** The time that a reading may take, in milliseconds. A program may give content in pieces for as long as it likes. */
const READING_MS = 30_000;
/** Forms of texts, the best first. */
const TEXTS = [
  ...["UTF8_STRING", "text/plain;charset=utf-8", "text/plain;charset=UTF-8", "text/plain", "TEXT"] as const,
  "STRING",
] as const;
/** A pattern for texts that are not Latin-1, and therefore cannot be offered as STRING. */
const LATIN1 = /^[\0-\xff]*$/;

/** Reads and writes over a connection of its own, which is opened when it is first needed. */
export class X11Clipboard implements Clipboard {
  readonly selections = SELECTIONS;
  readonly #readings = new ClipboardReadings();
  #connection: SelectionConnection | undefined;
  #owner: SelectionOwner | undefined;

  /**
   * @param display The name of the display, such as `:0`.
   * @param longestMs How long a reading may take in all, in milliseconds: others wait for it.
   */
  constructor(readonly display: string, readonly longestMs = READING_MS) {}

  kinds(selection: Selection, signal?: AbortSignal): Promise<ClipboardKind[]> {
    return this.#readings.run(() => this.#kinds(selection), signal);
  }

  read(
    kind: ClipboardKind,
    selection: Selection,
    signal?: AbortSignal,
  ): Promise<ClipboardContent | undefined> {
    return this.#readings.run(() => this.#read(kind, selection), signal);
  }

  async write(content: ClipboardContent, selection: Selection): Promise<void> {
    const { atoms } = this.#connected();
    const contents = new Map<number, Uint8Array<ArrayBuffer>>();
    if ("png" in content) contents.set(atoms["image/png"], content.png);
    else {
      const utf8 = new TextEncoder().encode(content.text);
      for (const name of ["UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "TEXT"] as const) {
        contents.set(atoms[name], utf8);
      }
      if (LATIN1.test(content.text)) contents.set(atoms.STRING, latin1(content.text));
    }
    if (!await this.#owner!.own(this.#atom(selection), contents)) {
      throw new StateError("cannot take the clipboard: another program took it");
    }
  }

  /**
   * Has a clipboard manager take the content over (freedesktop.org, "Clipboard Manager Specification"). Some managers
   * take the content but refuse the request, or never answer. Therefore a time of silence after their answer, or
   * after the last content that they read, counts as the end.
   */
  async keep(): Promise<boolean> {
    const connection = this.#connection, owner = this.#owner;
    if (!connection || connection.isBroken || !owner?.owns(connection.atoms.CLIPBOARD)) return true;
    const { atoms, xcb } = connection;
    if (!xcb.selectionOwner(atoms.CLIPBOARD_MANAGER)) return false;
    const asked = performance.now(), end = asked + KEEP_MS;
    const saved = readSelection(connection, atoms.CLIPBOARD_MANAGER, atoms.SAVE_TARGETS, KEEP_MS);
    let answered = 0;
    saved.catch(() => {}).finally(() => answered = performance.now()); // the loop tells the outcome
    while (performance.now() < end && owner.owns(atoms.CLIPBOARD)) {
      await delay(SILENT_MS / 4);
      const last = Math.max(answered, owner.lastGiven);
      if (last > asked && performance.now() - last >= SILENT_MS) break;
    }
    return owner.lastGiven > asked || !owner.owns(atoms.CLIPBOARD);
  }

  /** Ends the clipboard; its content is lost unless {@linkcode keep} has handed it over. */
  close(): void {
    this.#connection?.close();
  }

  /** @throws DesktopUnavailableError if the server is gone. */
  #connected(): SelectionConnection {
    if (this.#connection && !this.#connection.isBroken) return this.#connection;
    this.#connection = new SelectionConnection(this.display);
    this.#owner = new SelectionOwner(this.#connection);
    return this.#connection;
  }

  #atom(selection: Selection): number {
    const { atoms } = this.#connected();
    return selection === "primary" ? atoms.PRIMARY : atoms.CLIPBOARD;
  }

  async #kinds(selection: Selection): Promise<ClipboardKind[]> {
    const targets = await this.#targets(selection, this.#end()), { atoms } = this.#connected();
    return CLIPBOARD_KINDS.filter((kind) => targetsOf(kind, atoms).some((target) => targets.has(target)));
  }

  async #read(kind: ClipboardKind, selection: Selection): Promise<ClipboardContent | undefined> {
    const connection = this.#connected(), { atoms } = connection, end = this.#end();
    // Asks only for listed forms: some programs answer a request for text with a picture's bytes.
    const targets = await this.#targets(selection, end);
    for (const target of targetsOf(kind, atoms).filter((target) => targets.has(target))) {
      const content = await readSelection(connection, this.#atom(selection), target, undefined, end);
      // Texts and files are bytes; content of 16 or 32 bits is none of them.
      if (content?.format === 8) return contentOf(kind, content.data, content.type === atoms.STRING);
    }
    return undefined;
  }

  #end(): number {
    return performance.now() + this.longestMs;
  }

  /** The forms of the content. A program that lists no forms offers only texts in the old form. */
  async #targets(selection: Selection, end: number): Promise<Set<number>> {
    const connection = this.#connected(), { atoms, xcb } = connection;
    if (!xcb.selectionOwner(this.#atom(selection))) return new Set();
    const listed = await readSelection(connection, this.#atom(selection), atoms.TARGETS, undefined, end);
    // Some programs give their list the type TARGETS (ICCCM section 2.6.2 asks for ATOM).
    const isList = listed?.format === 32 && [atoms.ATOM, atoms.TARGETS].includes(listed.type);
    if (!isList) return new Set([atoms.UTF8_STRING, atoms.STRING]);
    return new Set(new Uint32Array(listed.data.slice().buffer));
  }
}

/** The forms of a kind, the best first. */
function targetsOf(kind: ClipboardKind, atoms: SelectionConnection["atoms"]): number[] {
  return kind === "png" ? [atoms["image/png"]] : TEXTS.map((name) => atoms[name]);
}

/** Latin-1 is the code points themselves. Uint8Array.from takes 60 times as long: half a second for 5 MB. */
function latin1(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
