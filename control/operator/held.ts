/** The buttons and keys that deskhand holds down on a desktop. */

import { delay } from "@std/async/delay";
import { ChangedError } from "../../core/errors.ts";
import { timeByLoad } from "../../core/proc.ts";
import { ProcessRecord } from "../../core/process_record.ts";
import {
  type Button,
  BUTTONS,
  type Desktop,
  type DesktopIdentity,
  type Held,
  type InputAction,
  UnsentError,
} from "../desktop/desktop.ts";
import type { Turn, TurnInProgress } from "./turn.ts";

// A record of the keys and buttons that a process holds down on a desktop: the system leaves a killed
// program's keys and buttons pressed, and the next start on the same desktop releases them.

/** Content of a record's file. */
interface Content extends DesktopIdentity {
  held: Held[];
}

/** The record of one process for one desktop. */
export class HeldRecord {
  readonly #record: ProcessRecord<Content>;
  #isClosed = false;

  /**
   * @param identity Returns the desktop and the server that runs it now.
   * @param path Returns the path of a file in the state folder.
   */
  constructor(readonly identity: () => DesktopIdentity, path?: (name: string) => string) {
    this.#record = new ProcessRecord("held", contentOf, path);
  }

  /** Writes the held keys and buttons before a press is sent. */
  write(held: readonly Held[]): void {
    if (!this.#isClosed) this.#record.write({ ...this.identity(), held: [...held] });
  }

  /**
   * Takes over the keys and buttons that killed processes held on this desktop. Drops records of a server
   * that no longer runs, since its keys ended with it.
   * @param take Receives the keys and buttons of one process.
   */
  takeLeft(take: (held: Held[]) => void): void {
    const { address, server } = this.identity();
    this.#record.takeLeft((content) => content.address === address, (content) => {
      if (content.held.length && content.server === server) take(content.held);
    });
  }

  /**
   * Ends the record. Safe to call twice.
   * @param isLeft Whether something is still held, which the next start is to release.
   */
  close(isLeft = false): void {
    this.#isClosed = true;
    if (isLeft) this.#record.leave();
    else this.#record.clear();
  }
}

function contentOf(json: string): Content {
  const { address, server, held } = JSON.parse(json);
  return { address, server, held: held.filter(isHeld) };
}

function isHeld(value: unknown): value is Held {
  if (!Array.isArray(value)) return false;
  const [kind, name] = value;
  return kind === "key" ? typeof name === "string" : kind === "button" && BUTTONS.includes(name);
}

export type { Held };

/**
 * The name of a held button or key, such as `key shift`, which distinguishes buttons from keys.
 * @example
 * heldName(["key", "shift"]); // "key shift"
 */
export function heldName(held: Held): string {
  return held.join(" ");
}

/** Keys as held inputs. */
export function keysHeld(keys: readonly string[]): Held[] {
  return keys.map((key) => ["key", key]);
}

/**
 * The button or key that an input action presses or releases; undefined for other actions.
 * @example
 * pressOf({ type: "key", key: "a", down: true }); // ["key", "a"]
 */
export function pressOf(action: InputAction): Held | undefined {
  if (action.type === "button") return ["button", action.button];
  return action.type === "key" ? ["key", action.key] : undefined;
}

/** The {@linkcode heldName} of the key or button of an input action. */
export function pressName(action: InputAction): string | undefined {
  const held = pressOf(action);
  return held && heldName(held);
}

/** The parts of a desktop that press keys and buttons. */
export type Presses = Pick<Desktop, "pointer" | "keyboard" | "identity" | "waitsMs">;

/**
 * The wait for the window manager to handle a click before keys are sent: maximum time in milliseconds,
 * longer on a busy machine, and its description in errors.
 */
export const CLICK_HANDLED = {
  get ms(): number {
    return timeByLoad(2000);
  },
  what: "the window manager to handle the click",
};

/** The pointer and keys of a gesture during its turn. */
export interface Hands {
  readonly desktop: Desktop;
  readonly turn: TurnInProgress;
  /** Presses in order, runs the function, and releases in reverse, however the function ends. */
  whileDown(held: Held[], run?: () => Promise<void>): Promise<void>;
}

/**
 * Time from a release to the next press, in milliseconds: Chromium treats two presses in the same millisecond
 * as one (ui/events/event.cc, MouseEvent::GetRepeatCount), and a bare X server handles a whole double click
 * within one millisecond.
 */
const APART_MS = 2;

/**
 * Clicks several times at the pointer position.
 * @param count Number of clicks, 1 or more: 2 is a double click.
 */
export async function clickTimes({ whileDown }: Hands, button: Button, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    if (i) await delay(APART_MS);
    await whileDown([["button", button]]);
  }
}

/**
 * Presses and releases keys and buttons, and records which are down, also in a file in case the process is
 * killed.
 */
export class HeldDown {
  /** Held keys and buttons, in the order in which they were pressed. */
  readonly #held = new Map<string, Held>();
  /**
   * Names of held keys and buttons that may be up by now, because the desktop was unavailable or rejected the
   * release.
   */
  readonly #unconfirmed = new Set<string>();
  readonly #record: HeldRecord | undefined;
  /** Names of keys and buttons that were held on a server that has ended. */
  readonly #ended = new Set<string>();
  /** The server that received the presses (`DesktopIdentity.server`). */
  #server: string | undefined;
  /** The connection that sent the presses (`DesktopIdentity.connection`). */
  #connection: number | undefined;
  #isClicked = false;
  /** When the last key or text was sent, on the scale of `performance.now()`. */
  keysAt = -Infinity;

  constructor(readonly desktop: Presses) {
    this.#record = desktop.identity && new HeldRecord(desktop.identity.bind(desktop));
  }

  /** Buttons and keys that are certainly down, in the order in which they were pressed. */
  get confirmed(): Held[] {
    this.#followServer();
    return [...this.#held.values()].filter((held) => this.isDown(held));
  }

  /** Whether the key or button is certainly down. */
  isDown(held: Held): boolean {
    const name = heldName(held);
    return this.#held.has(name) && !this.#unconfirmed.has(name);
  }

  /** Whether a button was pressed since the last call. */
  takeClicked(): boolean {
    const isClicked = this.#isClicked;
    this.#isClicked = false;
    return isClicked;
  }

  /**
   * Presses the key or button. A press that fails is released, since it may have taken effect.
   * @param turn The turn of the press, if any; once it is over, nothing is pressed.
   * @param isFollowed Whether the release follows immediately.
   */
  async press(held: Held, turn?: Turn, isFollowed = false): Promise<void> {
    const name = heldName(held);
    await this.#sendPress(held, () => this.#send(held, true, isFollowed), turn);
    this.#followServer(); // the press may have connected
    this.#held.set(name, held);
    this.#unconfirmed.delete(name);
    this.#ended.delete(name);
  }

  /** Presses and releases a key, both sent together (`Keyboard.tap`). A tap that fails is released. */
  async #tap(held: Held, turn?: Turn): Promise<void> {
    const tap = () => {
      this.keysAt = performance.now();
      return this.desktop.keyboard.tap!(held[1]);
    };
    await this.#sendPress(held, tap, turn);
    this.#forget(held, turn);
  }

  /** Sends a press, which is recorded before, and released if it fails, since it may have taken effect. */
  async #sendPress(held: Held, send: () => Promise<void>, turn?: Turn): Promise<void> {
    const name = heldName(held);
    turn?.check();
    this.#followServer();
    try {
      if (turn) turn.waitsFor = `the desktop to press ${name}`;
      turn?.pressed.set(name, held);
      this.#record?.write([...this.#held.values(), held]);
      this.#isClicked ||= held[0] === "button";
      await send();
      turn?.check(); // the desktop may execute late what the end of the turn has released
    } catch (error) {
      if (error instanceof UnsentError || error instanceof ChangedError) turn?.pressed.delete(name);
      else await this.release(held).catch(() => {}); // the first error says more
      throw error;
    }
  }

  /**
   * Releases the key or button, unless the server that received its press has ended. {@linkcode releaseAll}
   * retries a failed release.
   * @param turn As in {@linkcode press}.
   */
  async release(held: Held, turn?: Turn): Promise<void> {
    const name = heldName(held);
    if (turn) turn.waitsFor = `the desktop to release ${name}`;
    this.#followServer();
    if (this.#held.has(name)) this.#unconfirmed.add(name);
    if (!this.#ended.delete(name)) await this.#send(held, false);
    this.#forget(held, turn);
  }

  /** Records that a key or button is up. */
  #forget(held: Held, turn?: Turn): void {
    const name = heldName(held);
    turn?.pressed.delete(name);
    this.#held.delete(name);
    this.#unconfirmed.delete(name);
    this.#record?.write([...this.#held.values()]);
  }

  /**
   * Releases in reverse order, continuing after failures. All releases are sent before this method returns,
   * so that it also works at the end of the program.
   * @throws The first failure.
   */
  async releaseEach(held: readonly Held[], turn?: Turn): Promise<void> {
    const results = await Promise.allSettled(held.toReversed().map((one) => this.release(one, turn)));
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }

  /**
   * Presses in order, runs the function, and releases in reverse, however the function ends. A key that was
   * already held stays held. A button that was already held is released first, since programs do not see the
   * press of a button that is down, and stays released, as after a finger's click.
   */
  async whileDown(all: readonly Held[], run?: () => Promise<void>, turn?: Turn): Promise<void> {
    if (!all.length) return await run?.();
    this.#followServer();
    const pressed: Held[] = [];
    try {
      for (const held of all) {
        if (held[0] === "key" && this.isDown(held)) continue;
        if (this.isDown(held)) await this.release(held, turn);
        const isFollowed = !run && held === all.at(-1);
        if (isFollowed && held[0] === "key" && this.desktop.keyboard.tap) await this.#tap(held, turn);
        else {
          await this.press(held, turn, isFollowed);
          pressed.push(held);
        }
      }
      await run?.();
    } finally {
      // The end of the turn has released them, and a later action may hold them now.
      if (!turn?.isOver) await this.releaseEach(pressed, turn);
    }
  }

  /** Releases everything that may still be down. */
  async releaseAll(turn?: Turn): Promise<void> {
    await this.releaseEach([...this.#held.values()], turn);
  }

  /**
   * Takes over the keys and buttons that killed processes held on this desktop, for {@linkcode releaseAll} to
   * release.
   * @returns The keys and buttons.
   */
  takeLeft(): Held[] {
    const taken: Held[] = [];
    this.#followServer();
    this.#record?.takeLeft((left) => {
      taken.push(...left);
      for (const held of left.flatMap(withModifiers)) {
        const name = heldName(held);
        if (this.#held.has(name)) continue;
        this.#held.set(name, held);
        this.#unconfirmed.add(name);
      }
      this.#record!.write([...this.#held.values()]);
    });
    return taken;
  }

  /**
   * Forgets what is held, for the end of the process.
   * @param isCut Whether releases cannot be sent, so that the next start must release what is held.
   */
  close(isCut = false): void {
    this.#record?.close(isCut && this.#held.size > 0);
  }

  /**
   * Records that the desktop was unavailable: keys may be up by now, and certainly are if another desktop
   * runs.
   */
  invalidate(): void {
    for (const name of this.#held.keys()) this.#unconfirmed.add(name);
  }

  /**
   * Forgets what is held if another server has replaced the one that received the presses; over another
   * connection to the same server, it may be up.
   */
  #followServer(): void {
    const { server, connection } = this.desktop.identity?.() ?? {};
    if (connection !== this.#connection) this.invalidate();
    this.#connection = connection;
    if (server === undefined || server === this.#server) return;
    if (this.#server !== undefined) {
      for (const name of this.#held.keys()) this.#ended.add(name);
      this.#held.clear();
      this.#unconfirmed.clear();
    }
    this.#server = server;
  }

  #send([kind, name]: Held, down: boolean, isFollowed = false): Promise<void> {
    if (kind === "button") return this.desktop.pointer.button(name, down, isFollowed);
    this.keysAt = performance.now();
    return this.desktop.keyboard.key(name, down);
  }
}

/**
 * A character's key with the modifiers that may have been pressed for it: another process releases only the
 * key.
 */
function withModifiers(held: Held): Held[] {
  const [kind, name] = held, isChosen = kind === "key" && /^[^a-z0-9]$/u.test(name);
  return isChosen ? [...keysHeld(["shift", "altgr"]), held] : [held];
}
