/** The keyboard of one connection (zwp_virtual_keyboard_v1), with maps of its own. */

import { delay } from "@std/async/delay";
import type { Keyboard } from "../../control/desktop.ts";
import { InputError } from "../../core/errors.ts";
import { charactersOf } from "../text.ts";
import type { Connection } from "./connection.ts";
import { CODES_BY_NAME, KEYSYMS_BY_NAME, NAMES_BY_CODE, SPARE_CODES } from "./key_codes.ts";
import { keyboardMap, keysymOf, LOCK_BITS, MODIFIER_BITS, textMap } from "./keymaps.ts";
import { cString } from "../unix/libc.ts";
import { memoryFile } from "../unix/memory.ts";
import { now } from "./pointer.ts";
import { VIRTUAL_KEYBOARD, VIRTUAL_KEYBOARD_MANAGER } from "./protocol.ts";
import type { Registry } from "./registry.ts";
import { OWN_STROKES, planText, type Stroke, type TypedPart } from "./typed_text.ts";

/**
 * Characters between pauses, and the pause in milliseconds. A compositor disconnects a program that does not read its
 * events as fast as they come: 10,000 characters at once end a terminal.
 */
const CHARACTERS_AT_ONCE = 8, PAUSE_MS = 4;
/** How long programs under XWayland take to look up the keys that were pressed with the map before, in milliseconds. */
const MAP_COOLDOWN_MS = 100;
const SHIFT = CODES_BY_NAME.get("shift")!;

/** A keyboard device of this connection's own. A person's modifiers are those of another one and do not count here. */
export class WaylandKeyboard implements Keyboard {
  readonly #object: number;
  /** The map that the compositor has. */
  #map = "";
  /** When a key was pressed or released last. */
  #usedAt = -Infinity;
  /** Symbols that spare keys have, by code. */
  readonly #extra = new Map<number, number>();
  /** Codes that each pressed key holds, in the order of pressing; keys may share some. */
  readonly #down = new Map<string, readonly number[]>();
  /** When programs have had time for what was typed last. */
  #freeAt = -Infinity;
  /** Bits of modifiers that are locked. */
  #locked = 0;

  /** @param readyAt When programs have learned that there is a keyboard, on the scale of `performance.now()`. */
  constructor(
    readonly connection: Connection,
    registry: Registry,
    seat: number,
    readonly readyAt: number,
  ) {
    const manager = registry.bindFirst("zwp_virtual_keyboard_manager_v1", 1);
    this.#object = connection.newId();
    connection.request(manager, VIRTUAL_KEYBOARD_MANAGER.create, seat, this.#object);
    this.#load(keyboardMap(this.#extra));
  }

  key(key: string, down: boolean): void {
    this.connection.check();
    const before = this.#down.get(key), held = this.#held();
    // A second press is a repetition: the release has to undo what the first one pressed.
    const codes = before ?? this.#codesOf(key).slice(down ? 0 : -1); // a person's modifiers are not released
    this.#loadNow(keyboardMap(this.#extra));
    if (down) {
      this.#down.set(key, codes);
      for (const code of codes.slice(0, -1)) if (!held.has(code)) this.#send(code, true);
      this.#sendModifiers(this.#modifiers() & ~bitOf(codes.at(-1)!), this.#locked);
      this.#send(codes.at(-1)!, true);
      if (!before && key in LOCK_BITS) this.#locked ^= LOCK_BITS[key];
    } else {
      this.#down.delete(key);
      const still = this.#held();
      for (const code of codes.toReversed()) if (!still.has(code)) this.#send(code, false);
    }
    this.#sendModifiers(this.#modifiers(), this.#locked);
    this.connection.roundtrip();
  }

  /** @param typed Called with each character's code point when it has been typed. */
  async type(text: string, signal?: AbortSignal, typed?: (codePoint: number) => void): Promise<void> {
    const parts = planText(charactersOf(text));
    signal?.throwIfAborted();
    if (!parts[0].strokes.length) return;
    await this.#whenReady();
    const suspended = [...this.#held()].filter((code) => bitOf(code) !== 0);
    for (const code of suspended.toReversed()) this.#send(code, false);
    this.#sendModifiers(0, 0);
    try {
      for (const part of parts) await this.#typePart(part, signal, typed);
    } finally {
      if (!this.connection.isLost) await this.#resume(suspended);
    }
    this.connection.check();
  }

  /** Nothing to undo: each connection has maps of its own. */
  restore(): void {}

  async #typePart(
    { codes, strokes }: TypedPart,
    signal?: AbortSignal,
    typed?: (codePoint: number) => void,
  ): Promise<void> {
    const map = codes ? textMap(codes) : keyboardMap(this.#extra);
    if (map !== this.#map) {
      await delay(this.#cooldown());
      this.#load(map);
    }
    for (let from = 0; from < strokes.length; from += CHARACTERS_AT_ONCE) {
      const wait = this.#freeAt - performance.now();
      if (wait > 0) await delay(wait);
      const batch = strokes.slice(from, from + CHARACTERS_AT_ONCE);
      this.#freeAt = performance.now() + batch.length * PAUSE_MS / CHARACTERS_AT_ONCE;
      for (const stroke of batch) {
        signal?.throwIfAborted();
        this.#type(stroke);
        typed?.(stroke.codePoint);
      }
      this.connection.roundtrip();
    }
  }

  #type({ code, shift }: Stroke): void {
    if (shift) {
      this.#send(SHIFT, true);
      this.#sendModifiers(MODIFIER_BITS.shift, 0);
    }
    this.#send(code, true);
    this.#send(code, false);
    if (!shift) return;
    this.#send(SHIFT, false);
    this.#sendModifiers(0, 0);
  }

  /** Presses what a text released, unless it has been released meanwhile. */
  async #resume(suspended: readonly number[]): Promise<void> {
    const held = this.#held(), again = suspended.filter((code) => held.has(code));
    if (again.length) {
      const map = keyboardMap(this.#extra);
      if (map !== this.#map) await delay(this.#cooldown());
      this.#load(map);
      for (const code of again) this.#send(code, true);
    }
    this.#sendModifiers(this.#modifiers(), this.#locked);
    this.connection.roundtrip();
  }

  /** Codes that pressed keys hold. */
  #held(): Set<number> {
    return new Set([...this.#down.values()].flat());
  }

  /** Bits of the modifiers that are held. */
  #modifiers(): number {
    return [...this.#held()].reduce((bits, code) => bits | bitOf(code), 0);
  }

  /**
   * The codes of a key in the order of pressing: its own comes last.
   * @throws InputError if no key can have it.
   */
  #codesOf(key: string): number[] {
    if (key.startsWith("vk:")) {
      throw new InputError(`key ${key} is one of Windows, which Wayland does not know`);
    }
    if (key === "backtab") return [SHIFT, CODES_BY_NAME.get("tab")!];
    const code = CODES_BY_NAME.get(key);
    if (code !== undefined) return [code];
    const character = [...key].length === 1 ? key.codePointAt(0)! : undefined;
    if (character !== undefined) charactersOf(key); // refuses what no keyboard has
    const own = character === undefined ? undefined : OWN_STROKES.get(character);
    if (own) return own.shift ? [SHIFT, own.code] : [own.code];
    const given = /^keysym:0x([0-9a-f]+)$/.exec(key);
    const keysym = given ? parseInt(given[1], 16) : KEYSYMS_BY_NAME.get(key) ?? keysymOf(character!);
    return [this.#spare(keysym, key)];
  }

  /** A spare key that has a symbol, or gets it. */
  #spare(keysym: number, key: string): number {
    for (const [code, present] of this.#extra) if (present === keysym) return code;
    const held = this.#held();
    const code = SPARE_CODES.find((code) => !this.#extra.has(code)) ??
      SPARE_CODES.find((code) => !held.has(code));
    if (code === undefined) throw new InputError(`no key is free for ${key}: release others first`);
    this.#extra.set(code, keysym);
    return code;
  }

  #send(code: number, down: boolean): void {
    this.connection.request(this.#object, VIRTUAL_KEYBOARD.key, now(), code, down ? 1 : 0);
    this.#usedAt = performance.now();
  }

  #sendModifiers(depressed: number, locked: number): void {
    this.connection.request(this.#object, VIRTUAL_KEYBOARD.modifiers, depressed, 0, locked, 0);
  }

  /** Milliseconds until another map may be loaded. */
  #cooldown(): number {
    return Math.max(0, this.#usedAt + MAP_COOLDOWN_MS - performance.now());
  }

  /** Loads a map for keys that are pressed on the calling thread. */
  #loadNow(map: string): void {
    const wait = Math.max(this.readyAt - performance.now(), map === this.#map ? 0 : this.#cooldown());
    if (wait > 0) this.connection.c.usleep(Math.ceil(wait * 1000));
    this.#load(map);
  }

  #load(map: string): void {
    if (map === this.#map) return;
    const { c } = this.connection, bytes = cString(map), fd = memoryFile(c, bytes.length);
    try {
      c.write(fd, bytes, BigInt(bytes.length));
      this.connection.request(
        this.#object,
        VIRTUAL_KEYBOARD.keymap,
        VIRTUAL_KEYBOARD.xkbV1,
        { fd },
        bytes.length,
      );
    } finally {
      c.close(fd);
    }
    this.#map = map;
  }

  async #whenReady(): Promise<void> {
    const wait = this.readyAt - performance.now();
    if (wait > 0) await delay(wait);
  }
}

/** The bit of a modifier key; 0 for any other. */
function bitOf(code: number): number {
  return MODIFIER_BITS[NAMES_BY_CODE.get(code)!] ?? 0;
}
