/** The keyboard of one connection (zwp_virtual_keyboard_v1), with its own maps. */

import { delay } from "@std/async/delay";
import type { Keyboard } from "../../../control/desktop/desktop.ts";
import { InputError } from "../../../core/errors.ts";
import { timeByLoad } from "../../../core/proc.ts";
import { cString, memoryFile } from "../../linux/libc.ts";
import { unreadByClients } from "../../linux/socket.ts";
import { charactersOf, PressedKeys } from "../../text.ts";
import type { Session } from "../way.ts";
import type { Connection, Registry } from "../wire/connection.ts";
import {
  CHARACTERS_AT_ONCE,
  CODES_BY_NAME,
  keyboardMap,
  type KeyPlace,
  keysymOf,
  KEYSYMS_BY_NAME,
  LOCK_BITS,
  MODIFIER_BITS,
  NAMES_BY_CODE,
  OWN_STROKES,
  partsOf,
  PLACES,
  SPARE_CODES,
  type Stroke,
  TypingPace,
} from "../wire/keymaps.ts";
import { LateCommands, PersonEngine, type Seat, type SentKeys } from "../wire/seat.ts";
import { now } from "../wire/pointer.ts";
import { VIRTUAL_KEYBOARD, VIRTUAL_KEYBOARD_MANAGER } from "../wire/wire.ts";
import { NewKeyboard, Receiver } from "./new_keyboard.ts";

// The meanings of keys on deskhand's keyboard. Added meanings are kept while there is room: a program under
// XWayland that lags behind looks up a key in the newest map, whichever map it was pressed with.

/** A key's meaning, and when it was last needed, by `performance.now()`. */
type Used<T> = T & { usedAt: number };

/** A US keyboard, and the symbols added to it. */
export class KeyMeanings {
  /** Characters by code point, the least recently placed or needed one first. */
  readonly #placed = new Map<number, Used<Stroke>>();
  /** Spare keys by code. */
  readonly #spare = new Map<number, Used<{ keysym: number }>>();
  #map: string | undefined;
  #readyAt = -Infinity;

  /** @param lookupMs Returns how long programs under XWayland may take to look up a key, in milliseconds. */
  constructor(readonly lookupMs: () => number = () => timeByLoad(1000)) {}

  /** The map with all meanings, as text. */
  get map(): string {
    return this.#map ??= keyboardMap({
      spare: new Map([...this.#spare].map(([code, { keysym }]) => [code, keysym])),
      placed: [...this.#placed.values()],
    });
  }

  /**
   * When the map may be loaded, because programs have looked up the symbols that lose their keys. On the
   * scale of `performance.now()`.
   */
  get readyAt(): number {
    return this.#readyAt;
  }

  /**
   * Gives each character a key. If no key is free, it takes the key of the least recently needed character.
   * @param characters Code points, of which a US keyboard lacks no more than there are {@linkcode PLACES}.
   */
  place(characters: Iterable<number>): void {
    const others = [...new Set(characters)].filter((one) => !OWN_STROKES.has(one));
    for (const codePoint of others) {
      const stroke = this.#placed.get(codePoint);
      if (!stroke) continue;
      this.#placed.delete(codePoint);
      this.#placed.set(codePoint, stroke); // moved to the end, as the most recent
    }
    for (const codePoint of others) {
      if (this.#placed.has(codePoint)) continue;
      this.#placed.set(codePoint, { ...this.#freePlace(), codePoint, usedAt: -Infinity });
      this.#map = undefined;
    }
  }

  /**
   * Returns the stroke for a character that has been {@linkcode place}d.
   * @param now When it is typed, on the scale of `performance.now()`.
   */
  strokeOf(codePoint: number, now: number): Stroke {
    const own = OWN_STROKES.get(codePoint);
    if (own) return own;
    const stroke = this.#placed.get(codePoint)!;
    stroke.usedAt = now;
    return stroke;
  }

  /**
   * A spare key that has a symbol, or receives it.
   * @param name The symbol's name, for the error.
   * @param held Codes that are down.
   * @param now When it is pressed, on the scale of `performance.now()`.
   * @returns The key's code.
   * @throws InputError if all spare keys are down.
   */
  spare(keysym: number, name: string, held: ReadonlySet<number>, now: number): number {
    const present = [...this.#spare].find(([_, spare]) => spare.keysym === keysym)?.[0];
    const code = present ?? SPARE_CODES.find((code) => !this.#spare.has(code)) ??
      [...this.#spare.keys()].find((code) => !held.has(code));
    if (code === undefined) {
      throw new InputError(`there is no free key for ${name}: release other keys first`);
    }
    if (present === undefined) {
      this.#lose(this.#spare.get(code));
      this.#map = undefined;
    }
    this.#spare.delete(code);
    this.#spare.set(code, { keysym, usedAt: now }); // moved to the end, as the most recent
    return code;
  }

  #freePlace(): KeyPlace {
    if (this.#placed.size < PLACES.length) return PLACES[this.#placed.size];
    const [oldest, stroke] = this.#placed.entries().next().value!;
    this.#placed.delete(oldest);
    this.#lose(stroke);
    return stroke;
  }

  #lose(meaning: { usedAt: number } | undefined): void {
    if (meaning) this.#readyAt = Math.max(this.#readyAt, meaning.usedAt + this.lookupMs());
  }
}

const SHIFT = CODES_BY_NAME.get("shift")!, ALTGR = CODES_BY_NAME.get("altgr")!;
/** Keys to hold for each level. */
const LEVEL_CODES: readonly (readonly number[])[] = [[], [SHIFT], [ALTGR], [ALTGR, SHIFT]];
/** The group and level that select the next key's symbol. */
type Chosen = Pick<KeyPlace, "group" | "level">;
const PLAIN: Chosen = { group: 0, level: 0 };

/**
 * This connection's own keyboard device. A person's modifiers are on another device and have no effect here.
 */
export class WaylandKeyboard implements Keyboard, SentKeys {
  #object = 0;
  /** The map that the compositor has. */
  #map = "";
  readonly #meanings = new KeyMeanings();
  readonly #pressed = new PressedKeys();
  readonly #pace = new TypingPace(() => unreadByClients(this.connection.c, this.connection.path));
  readonly #late = new LateCommands();
  /** The focused program, and the input method in front of it. */
  readonly #receiver: Receiver;
  readonly #engine: PersonEngine;
  /** Bits of locked modifiers. */
  #locked = 0;
  sent = 0;

  /** The wait for programs that do not know the device yet; undefined until the device is created. */
  #start: NewKeyboard | undefined;

  /** Creates the device, unless a brief process has no keys for it: then the first key creates it. */
  constructor(
    readonly connection: Connection,
    readonly registry: Registry,
    readonly seat: Seat,
    session: Session,
  ) {
    this.#receiver = new Receiver(session.socket);
    this.#engine = new PersonEngine(session);
    if (session.brief?.hasKeys !== false) this.#make();
  }

  #make(): NewKeyboard {
    const { connection, registry, seat } = this;
    connection.dispatch(); // the seat may have got a keyboard
    const isFirst = !seat.hasKeyboard;
    const manager = registry.bindFirst("zwp_virtual_keyboard_manager_v1", 1);
    this.#object = connection.newId();
    connection.request(manager, VIRTUAL_KEYBOARD_MANAGER.create, seat.object, this.#object);
    this.#load();
    return this.#start = new NewKeyboard(connection, isFirst);
  }

  /** Creates the device if there is none, and waits until the focused program has learned of it. */
  async #known(signal?: AbortSignal): Promise<void> {
    const start = this.#start ?? this.#make();
    if (!start.isKnown) await start.known(signal);
  }

  /** Sends the key before it returns, unless it is a press and a program must first learn of the keyboard. */
  key(key: string, down: boolean): Promise<void> {
    const start = this.#start, send = () => this.#key(key, [down]);
    return start && (!down || start.isKnown) ? Promise.try(send) : this.#known().then(send);
  }

  async tap(key: string): Promise<void> {
    await this.#known();
    await this.#key(key, [true, false]);
  }

  /** Presses a key, releases it, or both, all sent together. */
  #key(key: string, downs: readonly boolean[]): void | Promise<void> {
    this.connection.check();
    const before = this.#pressed.of(key), codes = before ?? this.#codesOf(key);
    this.#loadNow();
    for (const down of downs) {
      if (down) {
        const sent = this.#pressed.press(key, codes), own = sent.pop()!;
        for (const code of sent) this.#send(code, true);
        this.#sendModifiers(this.#modifiers() & ~bitOf(own), this.#locked);
        this.#send(own, true);
        if (!before && key in LOCK_BITS) this.#locked ^= LOCK_BITS[key];
      } else {
        for (const code of this.#pressed.release(key, codes)) this.#send(code, false);
      }
      this.#sendModifiers(this.#modifiers(), this.#locked);
    }
    return this.connection.handled();
  }

  /** @param typed Called with each character's code point after it has been typed. */
  async type(text: string, signal?: AbortSignal, typed?: (codePoint: number) => void): Promise<void> {
    const characters = charactersOf(text);
    signal?.throwIfAborted();
    if (!characters.length) return;
    await this.#receiver.check(characters);
    if (!this.#start) this.#make();
    await this.#engine.prepare(); // while the compositor creates the keyboard
    await this.#known(signal);
    await this.#engine.without(this, () => this.#type(characters, signal, typed));
  }

  async ready(signal?: AbortSignal): Promise<void> {
    await this.#late.handled(signal);
  }

  /** Does nothing, since each connection has its own maps. */
  restore(): Promise<void> {
    return Promise.resolve();
  }

  flush(): Promise<void> {
    return Promise.try(() => this.connection.handled());
  }

  /** Enables the person's engine again. Never throws. */
  close(): void {
    this.#engine.close();
    this.#receiver.close();
  }

  async #type(
    characters: readonly number[],
    signal?: AbortSignal,
    typed?: (codePoint: number) => void,
  ): Promise<void> {
    const suspended = [...this.#pressed.held].filter((code) => bitOf(code) !== 0);
    for (const code of suspended.toReversed()) this.#send(code, false);
    this.#sendModifiers(0, 0);
    try {
      for (const part of partsOf(characters)) await this.#typePart(part, signal, typed);
    } finally {
      if (!this.connection.isLost) await this.#resume(suspended);
    }
    await this.connection.handled(); // the keys that the text released are pressed again
  }

  /** @param part Code points that fit on the keyboard at the same time. */
  async #typePart(
    part: readonly number[],
    signal?: AbortSignal,
    typed?: (codePoint: number) => void,
  ): Promise<void> {
    this.#meanings.place(part);
    await this.#loadSoon();
    for (let from = 0; from < part.length; from += CHARACTERS_AT_ONCE) {
      await this.#pace.wait(signal);
      const batch = part.slice(from, from + CHARACTERS_AT_ONCE);
      this.#pace.count(batch.length);
      this.#typeAtOnce(
        batch.map((character) => this.#meanings.strokeOf(character, performance.now())),
        signal,
        typed,
      );
      await this.connection.handled();
    }
  }

  /**
   * Types characters in one batch. Keys that select a level stay down between characters on the same level.
   */
  #typeAtOnce(
    strokes: readonly Stroke[],
    signal?: AbortSignal,
    typed?: (codePoint: number) => void,
  ): void {
    let chosen: Chosen = PLAIN;
    try {
      for (const stroke of strokes) {
        signal?.throwIfAborted();
        this.#choose(chosen, stroke);
        chosen = stroke;
        this.#send(stroke.code, true);
        this.#send(stroke.code, false);
        typed?.(stroke.codePoint);
      }
    } finally {
      if (!this.connection.isLost) this.#choose(chosen, PLAIN);
    }
  }

  /** Switches levels. No key selects a group: programs and XWayland receive the group with the modifiers. */
  #choose(from: Chosen, to: Chosen): void {
    if (from.group === to.group && from.level === to.level) return;
    if (from.level !== to.level) {
      for (const code of LEVEL_CODES[from.level].toReversed()) this.#send(code, false);
      for (const code of LEVEL_CODES[to.level]) this.#send(code, true);
    }
    this.#sendModifiers(bitsOf(LEVEL_CODES[to.level]), 0, to.group);
  }

  /** Presses the keys again that were released for a text, unless their owner has since released them. */
  async #resume(suspended: readonly number[]): Promise<void> {
    const held = this.#pressed.held, again = suspended.filter((code) => held.has(code));
    if (again.length) {
      await this.#loadSoon();
      for (const code of again) this.#send(code, true);
    }
    this.#sendModifiers(this.#modifiers(), this.#locked);
    this.connection.flush();
  }

  /** Bits of the held modifiers. */
  #modifiers(): number {
    return bitsOf([...this.#pressed.held]);
  }

  /**
   * A key's codes in the order of pressing, its own last.
   * @throws InputError if no key is available for it.
   */
  #codesOf(key: string): number[] {
    if (key.startsWith("vk:")) {
      throw new InputError(`key ${key} exists on Windows only`);
    }
    if (key === "backtab") return [SHIFT, CODES_BY_NAME.get("tab")!];
    const code = CODES_BY_NAME.get(key);
    if (code !== undefined) return [code];
    const character = [...key].length === 1 ? key.codePointAt(0)! : undefined;
    if (character !== undefined) charactersOf(key); // throws for characters that no keyboard has
    const own = character === undefined ? undefined : OWN_STROKES.get(character);
    if (own) return own.level ? [SHIFT, own.code] : [own.code];
    const given = /^keysym:0x([0-9a-f]+)$/.exec(key);
    const keysym = given ? parseInt(given[1], 16) : KEYSYMS_BY_NAME.get(key) ?? keysymOf(character!);
    return [this.#meanings.spare(keysym, key, this.#pressed.held, performance.now())];
  }

  #send(code: number, down: boolean): void {
    this.sent++;
    this.connection.request(this.#object, VIRTUAL_KEYBOARD.key, now(), code, down ? 1 : 0);
  }

  #sendModifiers(depressed: number, locked: number, group = 0): void {
    this.connection.request(this.#object, VIRTUAL_KEYBOARD.modifiers, depressed, 0, locked, group);
  }

  /** Loads the map for keys that are pressed on the calling thread. */
  #loadNow(): void {
    const wait = this.#meanings.readyAt - performance.now();
    if (wait > 0) this.connection.c.usleep(Math.ceil(wait * 1000));
    this.#load();
  }

  /** Loads the map without blocking other work. */
  async #loadSoon(): Promise<void> {
    const wait = this.#meanings.readyAt - performance.now();
    if (wait > 0) await delay(wait);
    this.#load();
  }

  #load(): void {
    const { map } = this.#meanings;
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
}

/** The modifier bits of some keys. */
function bitsOf(codes: readonly number[]): number {
  return codes.reduce((bits, code) => bits | bitOf(code), 0);
}

/** A modifier key's bit; 0 for any other key. */
function bitOf(code: number): number {
  return MODIFIER_BITS[NAMES_BY_CODE.get(code)!] ?? 0;
}
