/** IBus below GNOME Shell, which passes the keys of every focused text field to IBus before the program. */

import { delay } from "@std/async/delay";
import { StateError } from "../../../core/errors.ts";
import { basename } from "../../../core/path.ts";
import type { Bus } from "../../linux/dbus/bus.ts";
import { BusError } from "../../linux/dbus/channel.ts";
import { changesText, Ibus } from "../../linux/input_method/ibus.ts";
import { type Caret, IbusEngine, PendingKeys } from "../../linux/input_method/ibus_engine.ts";
import { QUIRKS } from "../../quirks.ts";
import type { CommittedText, TextMethod } from "../layout/text_typer.ts";
import type { KeyOrder } from "./remote_input.ts";

/** Interval between checks for a missing IBus, in milliseconds. */
const LOOK_MS = 2000;
/** Maximum time for a key to reach IBus, in milliseconds. */
const KEY_MS = 300;
/** Minimum time for a program to report a change, in milliseconds; some programs report none. */
const REPORT_MS = 100;
/** Limit of a program's time for a text, as a multiple of its time for the previous text. */
const PACES = 5;
/** Maximum time for a program by {@linkcode PACES}, in milliseconds. */
const LONGEST_MS = 2000;
/** Maximum size of a text committed at a time, in bytes: a Wayland message has 4096. */
const COMMIT_BYTES = 3000;

/** The state of one run of IBus. */
interface Connection {
  ibus: Ibus;
  engine: IbusEngine;
  kept: PendingKeys;
  /** Whether a modifier overtakes keys that IBus is holding. */
  isDisordered: boolean;
}

/** The input method of one GNOME session. */
export class GnomeInputMethod implements TextMethod, KeyOrder {
  #connection: Promise<Connection | undefined> | undefined;
  #connected: Connection | undefined;
  #lookedAt = -Infinity;
  /** The number of presses and releases since programs had last handled all of them. */
  #unsettled = 0;
  /** Codes of the keys that deskhand holds. */
  readonly #own = new Set<number>();

  /**
   * @param socket The path of the compositor's socket.
   * @param bus The session bus.
   */
  constructor(readonly socket: string, readonly bus: Bus) {
    void this.#connect().then((connection) => connection?.engine.recover()).catch(() => {}); // `begin` tries again
  }

  count(code: number, down: boolean): void {
    this.#unsettled++;
    if (down) this.#own.add(code);
    else this.#own.delete(code);
  }

  async beforeModifier(): Promise<void> {
    if (!this.#unsettled) return;
    const connection = await this.#connect();
    if (connection?.isDisordered) await this.#settle(connection.kept);
  }

  async begin(isNeeded: boolean): Promise<CommittedText | undefined> {
    const connection = await this.#connect();
    if (!connection) return undefined;
    const { ibus, engine, kept } = connection, active = await ibus.presentEngine();
    const isBeside = await this.#isBesidePerson(kept);
    if (!isNeeded && !isBeside && !changesText(active) || !await ibus.hasFocus()) return undefined;
    await this.#settle(kept); // in every GNOME version, committed text overtakes keys that IBus is holding
    const from = performance.now();
    try {
      await engine.begin();
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      if (!changesText(active)) return undefined;
      throw new StateError(
        `the input method ${active} is active and would change the text, but IBus did not replace it: ${error.text}`,
      );
    }
    const pace = performance.now() - from, wait = kept.givenBackAt + patienceMs(pace) - performance.now();
    if (wait > 0) await delay(wait); // programs insert committed text before the keys that they have queued
    return new IbusText(engine, kept, pace);
  }

  close(): void {
    this.#connected?.engine.endNow();
    this.#connected?.kept.close();
    this.#connected?.ibus.close();
    this.#connected = this.#connection = undefined;
  }

  /** Whether a person holds a key, with which deskhand's keys would type something else. */
  async #isBesidePerson(kept: PendingKeys): Promise<boolean> {
    if (!kept.isHeld(this.#own)) return false;
    await this.#settle(kept); // deskhand's own releases may still be in flight
    return kept.isHeld(this.#own);
  }

  /**
   * Resolves when IBus has returned the keys that were sent.
   * @throws StateError if IBus holds keys for too long.
   */
  async #settle(kept: PendingKeys): Promise<void> {
    const sent = this.#unsettled;
    this.#unsettled = 0;
    if (!sent) return;
    try {
      await kept.settle(sent);
    } catch (error) {
      if (error instanceof StateError) throw error;
      // IBus has ended: the shell gets back the keys that it passed to IBus.
    }
  }

  /** The connection to IBus; undefined if IBus is not running. */
  #connect(): Promise<Connection | undefined> {
    const isGone = this.#connection && this.#connected?.ibus.isLost !== false;
    if (!this.#connection || isGone && performance.now() - this.#lookedAt > LOOK_MS) {
      this.#lookedAt = performance.now();
      this.#connection = this.#open();
    }
    return this.#connection;
  }

  async #open(): Promise<Connection | undefined> {
    this.#connected = undefined;
    const ibus = await Ibus.open(basename(this.socket)).catch(() => undefined);
    if (!ibus) return undefined;
    try {
      const isDisordered = await this.#isDisordered(), kept = await PendingKeys.open(ibus);
      if (kept) return this.#connected = { ibus, engine: new IbusEngine(ibus), kept, isDisordered };
    } catch {
      // IBus is starting or ending: the next use checks for it again.
    }
    ibus.close();
    return undefined;
  }

  async #isDisordered(): Promise<boolean> {
    const shell = {
      destination: "org.gnome.Shell",
      path: "/org/gnome/Shell",
      interface: "org.gnome.Shell",
    };
    return parseInt(String(await this.bus.propertyAsync(shell, "ShellVersion"))) <
      QUIRKS.disorderedKeys.mendedIn;
  }
}

/**
 * Text through deskhand's engine.
 *
 * Programs insert committed text as soon as they read it, but queue keys (as GTK does), so a text must wait
 * until the previous key has taken effect. Chromium reports the changed text around its caret, and terminals
 * report the caret's position. GTK reports only committed text; for keys, it is given some time instead,
 * estimated from its reports of committed text.
 */
class IbusText implements CommittedText {
  /**
   * The number of texts that the field had reported before the last commit, and when that commit was;
   * undefined after a key.
   */
  #last: { texts: number; caret: Caret | undefined; at: number } | undefined;
  /** Whether the program reports the text around its caret; undefined before the first commit. */
  #tellsText: boolean | undefined;
  /**
   * How long the program took to report the last commit, in milliseconds; before the first commit, how long
   * IBus took to answer.
   */
  #pace: number;

  /** @param pace How long IBus took to start the engine, in milliseconds. */
  constructor(readonly engine: IbusEngine, readonly kept: PendingKeys, pace: number) {
    this.#pace = pace;
  }

  async commit(text: string): Promise<void> {
    const { engine } = this;
    for (const part of parts(text)) {
      // A program that receives two texts at the same time inserts only the second
      // (zwp_text_input_v3.commit_string).
      await this.#taken();
      this.#last = { texts: engine.texts, caret: engine.caret, at: performance.now() };
      engine.commit(part);
      await this.kept.ping();
    }
  }

  async key(press: () => Promise<void>): Promise<void> {
    const { engine } = this;
    await this.#taken();
    const { keys, texts, caret } = engine;
    await press();
    await engine.until(() => engine.keys >= keys + 2, KEY_MS);
    await this.kept.ping();
    const hasEffect = () => this.#tellsText ? engine.texts > texts : engine.caret !== caret;
    await engine.until(hasEffect, this.#patience);
  }

  async end(): Promise<void> {
    await this.engine.end();
  }

  /** Waits until the program has inserted the last text. */
  async #taken(): Promise<void> {
    const { engine } = this, last = this.#last;
    if (!last) return;
    this.#last = undefined;
    const isTold = () =>
      engine.texts > last.texts || this.#tellsText === false && engine.caret !== last.caret;
    const isTaken = await engine.until(isTold, this.#patience);
    this.#tellsText ??= isTaken;
    if (isTaken) this.#pace = performance.now() - last.at;
  }

  get #patience(): number {
    return patienceMs(this.#pace);
  }
}

/**
 * Time granted to a program for changes that it does not report, in milliseconds.
 * @param pace How long the program, or IBus, took for an earlier text, in milliseconds: on a busy machine all
 * programs are slow.
 */
export function patienceMs(pace: number): number {
  return Math.min(LONGEST_MS, Math.max(REPORT_MS, PACES * pace));
}

/** Cuts a text between characters so that each part fits a message. */
function parts(text: string): string[] {
  const all: string[] = [];
  const encoder = new TextEncoder(), buffer = new Uint8Array(COMMIT_BYTES);
  for (let rest = text; rest;) {
    const { read } = encoder.encodeInto(rest, buffer);
    all.push(rest.slice(0, read));
    rest = rest.slice(read);
  }
  return all;
}
