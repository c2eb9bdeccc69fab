/** An X11 desktop's clipboard: the CLIPBOARD and PRIMARY selections. */

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
import { PROPERTY, SelectionConnection } from "./selection_connection.ts";
import { EVENT, PROPERTY_CHANGE, STRUCTURE_NOTIFY } from "./xcb_connection.ts";
import { readSelection } from "./selection_reading.ts";
import type { Bytes } from "../../core/bytes.ts";

/** Maximum time for a clipboard manager to store content, and for its silence in between, in milliseconds. */
const KEEP_MS = 1000, KEEP_SILENT_MS = 200;
/** Maximum time for a read, in milliseconds. A program may deliver content in pieces indefinitely. */
const READING_MS = 30_000;
/** Text targets, in order of preference. */
const TEXTS = [
  ...["UTF8_STRING", "text/plain;charset=utf-8", "text/plain;charset=UTF-8", "text/plain", "TEXT"] as const,
  "STRING",
] as const;
/** Matches Latin-1 texts; others cannot be offered as STRING. */
const LATIN1 = /^[\0-\xff]*$/;

/** Reads and writes over its own connection, which is opened on first use. */
export class X11Clipboard implements Clipboard {
  readonly selections = SELECTIONS;
  readonly #readings = new ClipboardReadings();
  #connection: SelectionConnection | undefined;
  #owner: SelectionOwner | undefined;

  /**
   * @param display The name of the display, such as `:0`.
   * @param longestMs Maximum total time for a read, in milliseconds, since others wait for it.
   * @param answering Waits for a hung server, as `Desktop.answering` does.
   */
  constructor(
    readonly display: string,
    readonly longestMs = READING_MS,
    readonly answering: () => Promise<void> | undefined = () => undefined,
  ) {}

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
   * Hands the content over to a clipboard manager (freedesktop.org, "Clipboard Manager Specification"). Some
   * managers take the content but refuse the request, or never answer. Therefore a period of silence after
   * their answer, or after the last content that they read, counts as the end.
   */
  async keep(): Promise<boolean> {
    const connection = this.#connection, owner = this.#owner;
    if (!connection || connection.isBroken || !owner?.owns(connection.atoms.CLIPBOARD)) return true;
    await this.answering();
    const { atoms, xcb } = connection;
    if (connection.isBroken || !xcb.selectionOwner(atoms.CLIPBOARD_MANAGER)) return false;
    const asked = performance.now(), end = asked + KEEP_MS;
    const saved = readSelection(connection, atoms.CLIPBOARD_MANAGER, atoms.SAVE_TARGETS, KEEP_MS);
    let answered = 0;
    saved.catch(() => {}).finally(() => answered = performance.now()); // the loop reports the outcome
    while (performance.now() < end && owner.owns(atoms.CLIPBOARD)) {
      await delay(KEEP_SILENT_MS / 4);
      const last = Math.max(answered, owner.lastGiven);
      if (last > asked && performance.now() - last >= KEEP_SILENT_MS) break;
    }
    return owner.lastGiven > asked || !owner.owns(atoms.CLIPBOARD);
  }

  /** Closes the clipboard; its content is lost unless {@linkcode keep} has handed it over. */
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
    // Requests only listed targets: some programs answer a request for text with a picture's bytes.
    const targets = await this.#targets(selection, end);
    for (const target of targetsOf(kind, atoms).filter((target) => targets.has(target))) {
      const content = await readSelection(connection, this.#atom(selection), target, undefined, end);
      // Texts and files consist of bytes; content of 16 or 32 bits is neither.
      if (content?.format === 8) return contentOf(kind, content.data, content.type === atoms.STRING);
    }
    return undefined;
  }

  #end(): number {
    return performance.now() + this.longestMs;
  }

  /** The content's targets. A program that lists no targets offers only text in the old way. */
  async #targets(selection: Selection, end: number): Promise<Set<number>> {
    const connection = this.#connected(), { atoms, xcb } = connection;
    if (!xcb.selectionOwner(this.#atom(selection))) return new Set();
    const listed = await readSelection(connection, this.#atom(selection), atoms.TARGETS, undefined, end);
    // Some programs give their list the type TARGETS (ICCCM section 2.6.2 requires ATOM).
    const isList = listed?.format === 32 && [atoms.ATOM, atoms.TARGETS].includes(listed.type);
    if (!isList) return new Set([atoms.UTF8_STRING, atoms.STRING]);
    return new Set(new Uint32Array(listed.data.slice().buffer));
  }
}

/** The targets for a kind, in order of preference. */
function targetsOf(kind: ClipboardKind, atoms: SelectionConnection["atoms"]): number[] {
  return kind === "png" ? [atoms["image/png"]] : TEXTS.map((name) => atoms[name]);
}

/** Latin-1 bytes are the code points. Uint8Array.from takes 60 times as long: half a second for 5 MB. */
function latin1(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// Selection ownership: every program that pastes gets the content from here (ICCCM section 2.2).

/** Larger content is sent in pieces of this size (ICCCM section 2.7.2, INCR), in bytes. */
const PIECE = 256 * 1024;

/** Owned content by target, and when ownership began. */
interface Owned {
  contents: ReadonlyMap<number, Bytes>;
  time: number;
}

/** Content being sent to a program in pieces. */
interface Transfer {
  window: number;
  property: number;
  type: number;
  data: Bytes;
  sent: number;
  /** When the last piece or the request came, by `performance.now()`. */
  at: number;
}

/** Time without a request after which a program counts as having given up a transfer, in milliseconds. */
const SILENT_MS = 30_000;

/** Serves copied content to other programs. */
export class SelectionOwner {
  readonly #owned = new Map<number, Owned>();
  #transfers: Transfer[] = [];

  constructor(readonly connection: SelectionConnection) {
    connection.listen((event, type) => this.#receive(event, type));
  }

  /**
   * When a program last received content, or a piece of it, on the scale of `performance.now()`. A list of
   * targets does not count as content.
   */
  lastGiven = 0;

  /** Whether a selection is still owned; another program takes it over by copying. */
  owns(selection: number): boolean {
    return this.#owned.has(selection);
  }

  /**
   * Takes a selection over.
   * @param contents By target.
   * @returns false if the server refuses.
   */
  async own(selection: number, contents: ReadonlyMap<number, Bytes>): Promise<boolean> {
    const { connection: { xcb, window } } = this;
    const time = await this.connection.timestamp();
    xcb.xcb.xcb_set_selection_owner(xcb.connection, window, selection, time);
    const isOwner = xcb.selectionOwner(selection) === window;
    if (isOwner) this.#owned.set(selection, { contents, time });
    this.connection.flush();
    return isOwner;
  }

  #receive(event: DataView<ArrayBuffer>, type: number): void {
    const window = event.getUint32(4, true);
    if (type === EVENT.selectionRequest) this.#answer(event);
    else if (type === EVENT.selectionClear) this.#owned.delete(event.getUint32(12, true));
    else if (type === EVENT.propertyNotify && event.getUint8(16) === PROPERTY.deleted) {
      this.#sendPiece(window, event.getUint32(8, true));
    } else if (type === EVENT.destroyNotify) {
      const gone = event.getUint32(8, true);
      this.#transfers = this.#transfers.filter((transfer) => transfer.window !== gone);
    }
  }

  /** Answers a SelectionRequest with a SelectionNotify, without a property if the request is refused. */
  #answer(request: DataView<ArrayBuffer>): void {
    const { connection: { xcb, atoms } } = this;
    const [time, requestor, selection, target] = [4, 12, 16, 20].map((at) => request.getUint32(at, true));
    const property = request.getUint32(24, true) || target; // obsolete clients name no property
    const owned = this.#owned.get(selection);
    let isGiven = false;
    if (owned && target === atoms.MULTIPLE) isGiven = this.#giveSeveral(owned, requestor, property);
    else if (owned) isGiven = this.#give(owned, requestor, target, property);
    const answer = new DataView(new ArrayBuffer(32));
    answer.setUint8(0, EVENT.selectionNotify);
    [time, requestor, selection, target, isGiven ? property : 0].forEach((value, i) =>
      answer.setUint32(4 + 4 * i, value, true)
    );
    xcb.xcb.xcb_send_event(xcb.connection, 0, requestor, 0, new Uint8Array(answer.buffer));
    this.connection.flush();
  }

  /**
   * Answers a request for several targets: pairs of target and property; 0 for a refused target's property.
   */
  #giveSeveral(owned: Owned, requestor: number, property: number): boolean {
    const { connection: { xcb, atoms } } = this;
    const pairs = xcb.numbers(xcb.askProperty(requestor, property));
    for (let i = 0; i + 1 < pairs.length; i += 2) {
      if (!this.#give(owned, requestor, pairs[i], pairs[i + 1])) pairs[i + 1] = 0;
    }
    xcb.setProperty(requestor, property, atoms.ATOM_PAIR, 32, Uint32Array.from(pairs));
    return true;
  }

  /** Writes content to a property of the program's window. */
  #give({ contents, time }: Owned, requestor: number, target: number, property: number): boolean {
    const { connection: { xcb, atoms } } = this;
    if (target === atoms.TARGETS) {
      const targets = Uint32Array.of(atoms.TARGETS, atoms.TIMESTAMP, atoms.MULTIPLE, ...contents.keys());
      xcb.setProperty(requestor, property, atoms.ATOM, 32, targets);
      return true;
    }
    if (target === atoms.TIMESTAMP) {
      xcb.setProperty(requestor, property, atoms.INTEGER, 32, Uint32Array.of(time));
      return true;
    }
    const data = contents.get(target);
    if (!data) return false;
    this.lastGiven = performance.now();
    const type = target === atoms.TEXT ? atoms.UTF8_STRING : target;
    if (data.length <= PIECE) {
      xcb.setProperty(requestor, property, type, 8, data);
      return true;
    }
    xcb.select(requestor, PROPERTY_CHANGE | STRUCTURE_NOTIFY);
    xcb.setProperty(requestor, property, atoms.INCR, 32, Uint32Array.of(data.length));
    const at = performance.now();
    // A program that gave up a transfer and asks again receives the content from the beginning.
    this.#transfers = this.#transfers.filter((one) =>
      (one.window !== requestor || one.property !== property) && at - one.at < SILENT_MS
    );
    this.#transfers.push({ window: requestor, property, type, data, sent: 0, at });
    return true;
  }

  /**
   * Sends the next piece, which the program requests by deleting the property. An empty piece is the last.
   */
  #sendPiece(window: number, property: number): void {
    const transfer = this.#transfers.find((one) => one.window === window && one.property === property);
    if (!transfer) return;
    const piece = transfer.data.subarray(transfer.sent, transfer.sent + PIECE);
    transfer.sent += piece.length;
    transfer.at = this.lastGiven = performance.now();
    this.connection.xcb.setProperty(window, property, transfer.type, 8, piece);
    if (!piece.length) this.#transfers = this.#transfers.filter((one) => one !== transfer);
    this.connection.flush();
  }
}
