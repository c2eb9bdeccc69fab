/** Characters and symbols in the active layout of the person's keyboard, and the keys to press for them. */

import { namedKey } from "../../../control/desktop/keys.ts";
import { InputError, StateError, UnsupportedError } from "../../../core/errors.ts";
import { charactersOf } from "../../text.ts";
import type { BackgroundConnection, OnDemand } from "../wire/background_connection.ts";
import type { Connection, Registry } from "../wire/connection.ts";
import { CODES_BY_NAME, keysymOf, OWN_STROKES, range } from "../wire/keymaps.ts";
import { Seat } from "../wire/seat.ts";
import type { KeyboardSettings } from "./settings.ts";
import { CompiledKeymap } from "./xkbcommon.ts";

/** Keys to press for a character or a symbol. */
interface LayoutStroke {
  /** The key's kernel code. */
  code: number;
  /** Codes of the modifier keys to hold with it. */
  modifiers: readonly number[];
}

/** Characters and symbols of keys, without keypad and rare keys. */
export interface Layout {
  /** Characters by code point. */
  readonly characters: ReadonlyMap<number, LayoutStroke>;
  /** Keys by keysym, including those that type nothing, such as Escape. */
  readonly symbols: ReadonlyMap<number, LayoutStroke>;
}

/** Keys that type characters on keyboards around the world, in order of preference. */
const CHARACTER_CODES = [
  ...[...range(2, 13), ...range(16, 27), ...range(30, 41), ...range(43, 53)],
  ...[57, 86, 89, 124],
];
/**
 * Rare keys, which programs may not know or may treat as their own commands: keys of Asian keyboards,
 * KEY_KPEQUAL and KEY_KPPLUSMINUS, KEY_STOP to KEY_HELP without KEY_PROPS, KEY_KPLEFTPAREN to KEY_REDO, and
 * KEY_F13 to KEY_F24.
 */
const RARE_CODES = new Set([
  ...[...range(90, 94), ...range(117, 118), ...range(120, 123)],
  ...[...range(128, 129), ...range(131, 138), ...range(179, 194)],
]);
/** Codes of the remaining keys available to X11 programs. */
const OTHER_CODES = range(1, 247).filter((code) => !CHARACTER_CODES.includes(code) && !RARE_CODES.has(code));

/** Symbols of level modifiers (X11/keysymdef.h): Shift, ISO_Level3_Shift, ISO_Level5_Shift. */
const LEVEL_SYMBOLS = [0xffe1, 0xffe2, 0xfe03, 0xfe11];
/** The usual keys for these modifiers; a keyboard may have others that programs do not know. */
const USUAL_MODIFIERS = [42, 100, 54];
/** The first character's code point, and DELETE: lower code points, and DELETE, are keys in a text. */
const FIRST_CHARACTER = 0x20, DELETE = 0x7f;
/** Keypad symbols (KP_Space to KP_9): programs may not treat its keys as characters. */
const NUMBER_PAD = { first: 0xff80, last: 0xffbd } as const;

/**
 * Reads a map.
 * @param text The map as sent by a compositor.
 * @param group The index of the active layout in the map, from 0.
 * @returns undefined if the text is not a map.
 * @throws NoDesktopError if there is no libxkbcommon.
 */
export function readLayout(text: string, group: number): Layout | undefined {
  using keymap = CompiledKeymap.of(text);
  if (!keymap) return undefined;
  const modifiers = modifierKeys(keymap, group);
  const layout = { characters: new Map<number, LayoutStroke>(), symbols: new Map<number, LayoutStroke>() };
  for (const part of [CHARACTER_CODES, OTHER_CODES]) {
    const { characters, symbols } = readKeys(keymap, part, group, modifiers);
    if (part === CHARACTER_CODES) addMissing(layout.characters, characters);
    addMissing(layout.symbols, symbols);
  }
  return layout;
}

/** Characters and symbols of some keys, each with the key that needs the simplest modifiers. */
function readKeys(
  keymap: CompiledKeymap,
  codes: readonly number[],
  group: number,
  modifiers: ReadonlyMap<number, number>,
): Pick<Layout, "characters" | "symbols"> {
  const characters = new Map<number, LayoutStroke>(), symbols = new Map<number, LayoutStroke>();
  const add = (map: Map<number, LayoutStroke>, value: number, stroke: LayoutStroke) => {
    const known = map.get(value);
    if (!known || costOf(known) > costOf(stroke)) map.set(value, stroke);
  };
  for (const code of codes) {
    keymap.symbols(code, group).forEach((symbol, level) => {
      const held = symbol && heldFor(keymap.modifiers(code, group, level), modifiers);
      if (!held) return;
      const stroke = { code, modifiers: held };
      add(symbols, symbol, stroke);
      const character = isOfNumberPad(symbol) ? 0 : keymap.character(symbol);
      if (character >= FIRST_CHARACTER && character !== DELETE) add(characters, character, stroke);
    });
  }
  return { characters, symbols };
}

/** Rates a stroke's disadvantages: each modifier, most of all one that programs may not know. */
function costOf({ modifiers }: LayoutStroke): number {
  return modifiers.reduce((sum, code) => sum + (USUAL_MODIFIERS.indexOf(code) + 1 || 10), 0);
}

function addMissing(all: Map<number, LayoutStroke>, more: ReadonlyMap<number, LayoutStroke>): void {
  for (const [value, stroke] of more) if (!all.has(value)) all.set(value, stroke);
}

/** The keys that select levels, by their modifier's bit. */
function modifierKeys(keymap: CompiledKeymap, group: number): Map<number, number> {
  const keys = new Map<number, number>();
  for (const code of [...USUAL_MODIFIERS, ...range(1, 247)]) {
    const [symbol] = keymap.symbols(code, group);
    if (!LEVEL_SYMBOLS.includes(symbol!)) continue;
    const bits = keymap.bitsOf(code);
    if (bits && !keys.has(bits)) keys.set(bits, code);
  }
  return keys;
}

/**
 * The modifier keys of the combination with the fewest modifiers.
 * @param combinations Modifier bits.
 * @returns undefined if each combination needs a key that the keyboard lacks, or a lock.
 */
function heldFor(combinations: readonly number[], keys: ReadonlyMap<number, number>): number[] | undefined {
  let best: number[] | undefined;
  for (const bits of combinations) {
    const parts = [...keys].filter(([bit]) => (bits & bit) === bit);
    if (parts.reduce((sum, [bit]) => sum | bit, 0) !== bits) continue;
    const codes = parts.map(([, code]) => code);
    if (!best || codes.length < best.length) best = codes;
  }
  return best;
}

function isOfNumberPad(symbol: number): boolean {
  return symbol >= NUMBER_PAD.first && symbol <= NUMBER_PAD.last;
}

const SHIFT = 42, TAB = 15;

/**
 * A key's codes in the order of pressing; the key's own code comes last.
 * @param key A name from `control/desktop/keys.ts`, or one character.
 * @returns A keysym instead, if the layout has no key for it.
 * @throws InputError for a key that does not exist on this system's keyboards.
 */
export function codesOf(key: string, layout: Layout): readonly number[] | { keysym: number } {
  if (key.startsWith("vk:")) {
    throw new InputError(`key ${key} exists on Windows only`);
  }
  if (key === "backtab") return [SHIFT, TAB];
  const given = /^keysym:0x([0-9a-f]+)$/.exec(key);
  const keysym = given ? parseInt(given[1], 16) : namedKey(key)?.keysym;
  if (keysym === undefined) {
    const [character] = charactersOf(key); // throws for characters that no keyboard has
    const stroke = layout.characters.get(character);
    return stroke ? [...stroke.modifiers, stroke.code] : { keysym: keysymOf(character) };
  }
  const usual = CODES_BY_NAME.get(key);
  // The keypad has a code for each key, and its symbols change with Num Lock.
  const stroke = key.startsWith("kp") && usual !== undefined ? undefined : layout.symbols.get(keysym);
  if (stroke) return [...stroke.modifiers, stroke.code];
  return usual === undefined ? { keysym } : [usual];
}

/** The codes of a character's key on a US keyboard; undefined if a US keyboard lacks the character. */
export function usCodesOf(key: string): readonly number[] | undefined {
  const stroke = OWN_STROKES.get(key.codePointAt(0)!);
  if ([...key].length !== 1 || !stroke) return undefined;
  return stroke.level ? [SHIFT, stroke.code] : [stroke.code];
}

// The person's layout, kept up to date with the keyboard map that the compositor sends to programs (wl_seat,
// wl_keyboard).

/**
 * How long a layout is assumed to stay active while its settings do not change, in milliseconds; a person may
 * switch to another one.
 */
const GROUP_MS = 2000;

/** The layout, read on demand. */
export class LayoutView {
  #layout: Layout | undefined;
  /** The map and group from which {@linkcode #layout} was read. */
  #source: string | undefined;
  #group = 0;
  /** Why keys do not arrive as sent. */
  #refusal: string | undefined;
  #askedAt = -Infinity;
  /** The settings' last change as of when they were queried. */
  #changedAt: number | undefined;

  /**
   * @param maps The compositor's map, on a connection that is closed with the view.
   * @param settings The desktop's keyboard settings.
   * @param wake Presses a key that types nothing.
   */
  constructor(
    readonly maps: OnDemand<KeymapView>,
    readonly settings: KeyboardSettings,
    readonly wake: () => Promise<void>,
  ) {}

  /**
   * The current layout.
   * @throws DesktopUnavailableError if the compositor is gone; UnsupportedError if its map cannot be read;
   * StateError if keys would not arrive as sent.
   */
  async read(): Promise<Layout> {
    const keymap = await this.maps.get();
    await keymap.read(this.wake);
    if (!this.#isFresh) {
      this.#changedAt = this.settings.changedAt?.();
      [this.#group, this.#refusal] = await Promise.all([
        this.settings.group().catch(() => 0),
        this.settings.refusal?.().catch(() => undefined),
      ]);
      this.#askedAt = performance.now();
    }
    if (this.#refusal) {
      this.#askedAt = -Infinity; // the refusal may have ended by the next key
      throw new StateError(this.#refusal);
    }
    const layout = this.#look(keymap);
    if (layout) return layout;
    throw new UnsupportedError("cannot read the compositor's keyboard map");
  }

  /** The layout without waiting; undefined if {@linkcode read} must be called. */
  peek(): Layout | undefined {
    const { present } = this.maps;
    return this.#isFresh && present ? this.#look(present) : undefined;
  }

  /** Whether the settings have not changed since they were queried. */
  get #isFresh(): boolean {
    return performance.now() - this.#askedAt <= GROUP_MS && this.settings.changedAt?.() === this.#changedAt;
  }

  close(): void {
    this.maps.close();
    this.#layout = this.#source = undefined;
    this.#askedAt = -Infinity;
  }

  #look(keymap: KeymapView): Layout | undefined {
    keymap.refresh();
    if (keymap.text === undefined) return undefined;
    const source = `${this.#group} ${keymap.text}`;
    if (source === this.#source) return this.#layout;
    this.#layout = readLayout(keymap.text, this.#group);
    this.#source = source;
    return this.#layout;
  }
}

/** Maximum time for a seat to announce a keyboard after a new keyboard's first key press, in milliseconds. */
const KEYBOARD_MS = 2000;

/** Reads each new map of a connection. */
export class KeymapView {
  /** The newest map as text; undefined until there is one. */
  text: string | undefined;
  readonly #seat: Seat;
  /** The seat's keyboard whose maps are read. */
  #bound: number | undefined;
  #release = () => {};

  private constructor(readonly connection: Connection, registry: Registry) {
    this.#seat = new Seat(connection, registry);
  }

  /** Begins to read over a connection. @throws DesktopUnavailableError if the compositor does not answer. */
  static async open({ connection, registry }: BackgroundConnection): Promise<KeymapView> {
    const view = new KeymapView(connection, registry);
    await connection.handled(); // the seat's devices are known
    return view;
  }

  /**
   * Waits for the map of the seat's keyboard. A seat without devices has a keyboard only while a program
   * presses keys.
   * @param wake Gives a seat without a keyboard one, by pressing a key that types nothing. GNOME 43 crashes
   * when a program requests a keyboard that does not exist.
   * @throws DesktopUnavailableError if no map comes.
   */
  async read(wake: () => Promise<void>): Promise<string> {
    this.connection.dispatch();
    if (this.#bound !== undefined && this.#bound === this.#seat.keyboard) return this.text!;
    if (!this.#seat.hasKeyboard) await wake();
    await this.connection.untilAsync(() => this.#seat.hasKeyboard, "a keyboard of the seat", KEYBOARD_MS);
    this.#release();
    this.#bound = this.text = undefined;
    const keyboard = this.#seat.keyboard;
    this.#release = this.#seat.readKeymaps((text) => this.text = text);
    await this.connection.untilAsync(() => this.text !== undefined, "its keyboard map");
    this.#bound = keyboard;
    return this.text!;
  }

  /** Processes the maps that have arrived. */
  refresh(): void {
    this.connection.dispatch();
  }
}
