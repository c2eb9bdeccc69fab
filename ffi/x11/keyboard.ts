/** Pressing single keys and typing text. */

import type { Keyboard } from "../../control/desktop.ts";
import { namedKey } from "../../control/keys.ts";
import { InputError } from "../../core/errors.ts";
import { charactersOf, KEYS_IN_TEXT, untypable } from "../text.ts";
import type { Connection } from "./connection.ts";
import type { Keymap, Stroke } from "./keymap.ts";
import { suspendModifiers } from "./modifiers.ts";
import { REBIND_MS, SETTLE_MS, SpareKeys } from "./spare.ts";
import type { Xdo } from "./xdo.ts";

/** Characters typed before the event loop gets its turn. */
const TYPING_BATCH = 16;

/** The keyboard of one connection. */
export class X11Keyboard implements Keyboard {
  readonly #spare: SpareKeys;
  /** Keycodes that each key holds, to be let go of in reverse; keys may share some. */
  readonly #down = new Map<string, readonly number[]>();
  /** Puts modifiers back as a text that is being typed found them. */
  #restore: (() => void) | undefined;

  constructor(readonly connection: Connection, readonly xdo: Xdo) {
    this.#spare = new SpareKeys(connection);
  }

  key(key: string, down: boolean): void {
    const keymap = this.#spare.readMap();
    if (down) {
      const held = this.#held();
      // A second press is a repetition: what the first holds is still to be let go of.
      const codes = this.#down.get(key) ?? codesOf(this.#strokeOf(key, keymap));
      this.#down.set(key, codes);
      const keycode = codes.at(-1);
      for (const code of codes) {
        if (code === keycode || !held.has(code)) this.xdo.key(code, true, keymap.group);
      }
    } else {
      // A key that somebody else holds down is let go of too.
      const codes = this.#down.get(key) ?? [this.#strokeOf(key, keymap).keycode];
      this.#down.delete(key);
      const held = this.#held();
      for (const code of codes.toReversed()) {
        if (!held.has(code)) this.xdo.key(code, false, keymap.group);
      }
      this.#spare.used();
    }
    this.connection.sync();
  }

  async type(text: string, signal?: AbortSignal): Promise<void> {
    const characters = charactersOf(text);
    const keymap = this.#spare.readMap();
    const unknown = this.#missing(characters, keymap);
    const room = this.#spare.room(keymap);
    if (unknown.size && !room) {
      throw untypable([...unknown.keys()][0], "no key of the keyboard map is free");
    }
    this.#suspend(keymap);
    try {
      for (const batch of batches(characters, unknown, room)) {
        const keysyms = [
          ...new Set(batch.filter((code) => unknown.has(code)).map((code) => unknown.get(code)!)),
        ];
        if (keysyms.length) await this.#bind(keysyms, unknown.size > room);
        await this.#typeBatch(batch, keymap, unknown, signal);
        this.#spare.used();
      }
    } finally {
      this.#restore?.();
      if (this.connection.isOpen) this.#spare.used();
    }
    this.connection.check();
  }

  /** Gives back the keys that were bound, as soon as what was just typed has been looked up. */
  async restore(): Promise<void> {
    await this.#spare.looked();
    this.#spare.unbind();
  }

  /** Leaves the keyboard as it was found, also in the middle of a text. Never throws. */
  close(): void {
    this.#restore?.();
    this.#spare.unbind();
  }

  /** Lets go of modifiers until {@linkcode #restore} is called, which works once. */
  #suspend(keymap: Keymap) {
    const own = this.#held();
    const restore = suspendModifiers(this.connection, keymap);
    this.#restore = () => {
      this.#restore = undefined;
      restore(own.difference(this.#held()));
    };
  }

  /** Keycodes that any key holds. */
  #held(): Set<number> {
    return new Set([...this.#down.values()].flat());
  }

  /** Waits. Whoever sees meanwhile that the server is gone closes the connection. */
  async #pause(ms: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, ms));
    this.connection.check();
  }

  /** @param patient Whether clients have many symbols to look up. */
  async #bind(keysyms: number[], patient: boolean) {
    const rest = this.#spare.rest(keysyms);
    if (rest) await this.#pause(rest);
    if (this.#spare.bind(keysyms)) await this.#pause(patient ? REBIND_MS : SETTLE_MS);
  }

  async #typeBatch(codes: number[], keymap: Keymap, unknown: Map<number, number>, signal?: AbortSignal) {
    const { libraries: { xtst }, display } = this.connection;
    const fake = (keycode: number, down: boolean) =>
      xtst.XTestFakeKeyEvent(display, keycode, Number(down), 0n);
    for (let i = 0; i < codes.length; i++) {
      signal?.throwIfAborted();
      const keysym = unknown.get(codes[i]);
      const stroke = keysym === undefined
        ? knownStroke(codes[i], keymap)!
        : { keycode: this.#spare.keycode(keysym)!, modifiers: [] };
      for (const modifier of stroke.modifiers) fake(modifier, true);
      fake(stroke.keycode, true);
      fake(stroke.keycode, false);
      for (const modifier of stroke.modifiers.toReversed()) fake(modifier, false);
      if (i % TYPING_BATCH === TYPING_BATCH - 1) {
        this.connection.sync();
        await this.#pause(0);
      }
    }
    // What waits in Xlib's buffer would leave only when its keycodes are bound anew.
    this.connection.sync();
  }

  /**
   * The characters that no key gives, with the symbols to bind.
   * @throws InputError naming the first that cannot be typed at all.
   */
  #missing(characters: number[], keymap: Keymap): Map<number, number> {
    const missing = new Map<number, number>();
    for (const code of new Set(characters)) {
      if (knownStroke(code, keymap)) continue;
      const keysym = this.connection.libraries.xkbcommon.xkb_utf32_to_keysym(code);
      if (!keysym) throw untypable(code, "X11 has no symbol for it");
      missing.set(code, keysym);
    }
    return missing;
  }

  #strokeOf(key: string, keymap: Keymap): Stroke {
    if (key.startsWith("vk:")) throw new InputError(`key ${key} is one of Windows, which X11 does not know`);
    const named = namedKey(key);
    const code = /^keysym:0x([0-9a-f]+)$/.exec(key);
    const keysym = named?.keysym ?? (code ? parseInt(code[1], 16) : undefined);
    const stroke = keysym === undefined ? keymap.character(key.codePointAt(0)!) : keymap.stroke(keysym);
    if (stroke) return stroke;
    const wanted = keysym ?? this.connection.libraries.xkbcommon.xkb_utf32_to_keysym(key.codePointAt(0)!);
    if (!wanted || !this.#spare.room(keymap)) throw new InputError(`this keyboard has no key ${key}`);
    if (this.#spare.bind([wanted])) this.connection.libraries.c.usleep(SETTLE_MS * 1000);
    return { keycode: this.#spare.keycode(wanted)!, modifiers: [] };
  }
}

/** The keycodes of a stroke in the order of pressing: its own comes last. */
function codesOf({ keycode, modifiers }: Stroke): number[] {
  return [...modifiers, keycode];
}

function knownStroke(codePoint: number, keymap: Keymap): Stroke | undefined {
  const key = KEYS_IN_TEXT.get(codePoint);
  return key === undefined ? keymap.character(codePoint) : keymap.stroke(namedKey(key)!.keysym);
}

/** Cuts text so that no part needs more bindings than there is room for. */
function* batches(characters: number[], unknown: Map<number, number>, room: number): Generator<number[]> {
  let batch: number[] = [];
  const seen = new Set<number>();
  for (const code of characters) {
    if (unknown.has(code) && !seen.has(code)) {
      if (seen.size >= room) {
        yield batch;
        batch = [];
        seen.clear();
      }
      seen.add(code);
    }
    batch.push(code);
  }
  yield batch;
}
