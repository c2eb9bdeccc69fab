/** The keyboard of one connection: single keys and text. */

import { delay } from "@std/async/delay";
import type { Keyboard } from "../../control/desktop/desktop.ts";
import { namedKey } from "../../control/desktop/keys.ts";
import { InputError } from "../../core/errors.ts";
import type { InputMethods, SuspendedEngine } from "../linux/input_method/input_methods.ts";
import { isEngineLeft } from "../linux/input_method/left_engine.ts";
import { hasWideCharacter } from "../lossy_programs.ts";
import { charactersOf, cutText, KEYS_IN_TEXT, PressedKeys, untypable } from "../text.ts";
import type { Connection } from "./connection.ts";
import { PACES } from "./handled/paces.ts";
import { type Keymap, type KeyStroke, LOCK_MASK } from "./keymap.ts";
import type { Xdo } from "./pointer.ts";
import { slaveKeyboards } from "./raw_selection.ts";
import { TemporaryKeyBindings } from "./temporary_bindings.ts";
import { USE_CORE_KEYBOARD } from "./xkb.ts";

// Modifiers that are held while text is typed: released before it, and pressed again afterwards.

/** Offsets in XDeviceState and XKeyState (X11/extensions/XInput.h). */
export const DEVICE_STATE = { classes: 8, data: 16 } as const;
export const KEY_STATE = { class: 0, length: 1, keys: 4, bytes: 32 } as const;
const KEY_CLASS = 0;

/**
 * Releases the modifiers that are down and switches Caps Lock off.
 * @returns A function that presses the modifiers again that programs held, except the keycodes of `released`, and the
 * modifiers that a person still holds on a device. It switches Caps Lock on again if it was on.
 */
function suspendModifiers(connection: Connection, keymap: Keymap): (released: Set<number>) => void {
  const { libraries: { x11, xtst }, display } = connection;
  const down = new Uint8Array(32);
  x11.XQueryKeymap(display, down);
  const held = keysDown(down).filter((keycode) => keymap.isModifier(keycode));
  const byPrograms = held.length ? heldBy(connection, (name) => /XTEST/.test(name)) : new Set<number>();
  const capsLock = (keymap.lockedMods & LOCK_MASK) !== 0;
  for (const keycode of held) xtst.XTestFakeKeyEvent(display, keycode, 0, 0n);
  if (capsLock) x11.XkbLockModifiers(display, USE_CORE_KEYBOARD, LOCK_MASK, 0);
  return (released) => {
    const byDevices = held.length ? heldBy(connection, (name) => !/XTEST/.test(name)) : new Set<number>();
    const again = byPrograms.difference(released).union(byDevices);
    for (const keycode of held) {
      if (again.has(keycode)) xtst.XTestFakeKeyEvent(display, keycode, 1, 0n);
    }
    if (capsLock) x11.XkbLockModifiers(display, USE_CORE_KEYBOARD, LOCK_MASK, LOCK_MASK);
    x11.XSync(display, 0);
  };
}

/** Keycodes that are down in a bit vector, as XQueryKeymap gives it. */
function keysDown(bits: Uint8Array): number[] {
  const codes: number[] = [];
  for (let keycode = 0; keycode < 256; keycode++) {
    if (bits[keycode >> 3] & (1 << (keycode & 7))) codes.push(keycode);
  }
  return codes;
}

/** Keycodes that are down on the keyboards chosen by name. */
function heldBy(connection: Connection, chosen: (name: string) => boolean): Set<number> {
  const { libraries: { xi }, display } = connection;
  const codes = new Set<number>();
  for (const { id, name } of slaveKeyboards(connection)) {
    if (!chosen(name)) continue;
    const device = xi.XOpenDevice(display, BigInt(id));
    if (!device) continue;
    const state = xi.XQueryDeviceState(display, device);
    if (state) {
      for (const keycode of keysOfState(state)) codes.add(keycode);
      xi.XFreeDeviceState(state);
    }
    xi.XCloseDevice(display, device);
  }
  return codes;
}

function keysOfState(state: Deno.PointerObject): number[] {
  const view = new Deno.UnsafePointerView(state);
  let at = view.getPointer(DEVICE_STATE.data);
  for (let left = view.getInt32(DEVICE_STATE.classes); left > 0 && at; left--) {
    const input = new Deno.UnsafePointerView(at);
    if (input.getUint8(KEY_STATE.class) === KEY_CLASS) {
      const bits = new Uint8Array(KEY_STATE.bytes);
      input.copyInto(bits, KEY_STATE.keys);
      return keysDown(bits);
    }
    at = Deno.UnsafePointer.offset(at, input.getUint8(KEY_STATE.length));
  }
  return [];
}

/** The last character of Latin-1, and the number that is added to the code points of all other characters. */
const LATIN_1 = 0xff, UNICODE = 0x1000000;
/** Characters that are typed before other work gets its turn. */
const TYPING_BATCH = 16;

/** Keys by libxdo, text by XTEST. */
export class X11Keyboard implements Keyboard {
  readonly #bindings: TemporaryKeyBindings;
  readonly #pressed = new PressedKeys();
  #methods: InputMethods | undefined;
  /** The number of presses and releases that texts have sent. */
  #sent = 0;
  /** Tells whether programs are asked to have handled every key of the text. */
  #notesAll = false;
  /** Modifiers that the text holds for its present character. */
  #textModifiers: readonly number[] = [];
  /** Presses the modifiers again that a text released; set while the text is typed. */
  #restoreModifiers: (() => void) | undefined;

  constructor(readonly connection: Connection, readonly xdo: Xdo) {
    this.#bindings = new TemporaryKeyBindings(connection);
    this.#bindings.freeLeft();
    void this.#recoverEngine();
  }

  key(key: string, down: boolean): Promise<void> {
    return Promise.try(() => this.#key(key, down));
  }

  #key(key: string, down: boolean): void {
    const keymap = this.#bindings.readMap();
    const codes = this.#pressed.of(key) ?? codesOf(this.#strokeOf(key, keymap));
    const sent = down ? this.#pressed.press(key, codes) : this.#pressed.release(key, codes);
    for (const code of sent) this.xdo.key(code, down, keymap.group);
    if (!down) this.#bindings.touch();
    this.connection.sync();
  }

  async type(text: string, signal?: AbortSignal): Promise<void> {
    const characters = charactersOf(text);
    const keymap = this.#bindings.readMap();
    const unknown = this.#missing(characters, keymap);
    if (unknown.size && !this.#bindings.capacity(keymap) && this.#bindings.freeLeft()) {
      return await this.type(text, signal);
    }
    const capacity = this.#bindings.capacity(keymap);
    if (unknown.size && !capacity) {
      throw untypable([...unknown.keys()][0], "no key of the keyboard map is free");
    }
    const { handled } = this.#bindings, hasMethod = await this.#hasInputMethod();
    const isExamined = hasMethod || hasWideCharacter(characters);
    const { pid, pace } = isExamined ? handled.program(characters, hasMethod) : handled.focused();
    const { cut, wait, begin: awake } = PACES[pace];
    await awake?.(handled, signal);
    const engine = await this.#suspendEngine(), begin = this.#sent;
    this.#notesAll = engine !== undefined || wait !== undefined;
    let rest: (() => void) | undefined;
    try {
      if (unknown.size || wait) rest = await this.#watchBus(pid);
      this.#suspendModifiers(keymap);
      for (const batch of cutText(characters, (code) => unknown.has(code), capacity)) {
        const keysyms = [
          ...new Set(batch.filter((code) => unknown.has(code)).map((code) => unknown.get(code)!)),
        ];
        if (keysyms.length) await this.#bindings.bind(keysyms, signal);
        for (const part of cut(batch)) {
          await this.#typeBatch(part, keymap, unknown, signal);
          await wait?.(handled, signal);
        }
        this.#bindings.touch();
      }
    } finally {
      this.#restoreModifiers?.();
      if (this.connection.isOpen) this.#bindings.touch();
      rest?.();
      if (engine) await this.#resumeEngine(engine, this.#sent - begin);
    }
    this.connection.check();
  }

  async awake(signal?: AbortSignal, isRepeated = false): Promise<void> {
    const { handled } = this.#bindings, { begin } = PACES[handled.focused().pace];
    if (begin) await begin(handled, signal);
    else if (isRepeated) await handled.learnt(signal);
  }

  /** Waits by the pace of the program. */
  async ready(signal?: AbortSignal): Promise<void> {
    const { handled } = this.#bindings, { pid, pace } = handled.focused(), { ready } = PACES[pace];
    if (!ready) return;
    const rest = await this.#watchBus(pid);
    try {
      handled.note();
      await ready(handled, signal);
    } finally {
      this.#bindings.touch();
      rest?.();
    }
  }

  /** Undoes the bindings, when programs have had time to look up the last typed keys. */
  async restore(): Promise<void> {
    await this.#bindings.unbind();
  }

  /** Leaves the keyboard as it was, also in the middle of a text. Never throws. */
  close(): void {
    this.#restoreModifiers?.();
    this.#bindings.close();
    this.#methods?.close();
  }

  /** Releases modifiers until {@linkcode #restoreModifiers} is called, which works once. */
  #suspendModifiers(keymap: Keymap) {
    const own = this.#pressed.held;
    const restore = suspendModifiers(this.connection, keymap);
    this.#restoreModifiers = () => {
      this.#restoreModifiers = undefined;
      this.#hold([]);
      restore(own.difference(this.#pressed.held));
    };
  }

  /** Switches a person's engine off that would change the text. */
  async #suspendEngine(): Promise<SuspendedEngine | undefined> {
    return await (await this.#inputMethods()).suspend();
  }

  /** Switches the engine on again, once programs have the text. */
  async #resumeEngine(engine: SuspendedEngine, keys: number): Promise<void> {
    try {
      if (this.connection.isOpen) await this.#bindings.handled.wait();
    } finally {
      await engine.resume(keys);
    }
  }

  /** Watches the keys that programs pass to an input method over a bus. @returns A function that ends the watch. */
  async #watchBus(pid: number | undefined): Promise<(() => void) | undefined> {
    const { handled } = this.#bindings, { busKeys } = handled;
    if (!busKeys || busKeys.isLost || !busKeys.covers(pid)) {
      handled.watchBus(await (await this.#inputMethods()).busKeys(pid));
    }
    return handled.busKeys?.stayAwake();
  }

  async #hasInputMethod(): Promise<boolean> {
    return await (await this.#inputMethods()).run();
  }

  async #inputMethods(): Promise<InputMethods> {
    const { InputMethods } = await import("../linux/input_method/input_methods.ts");
    return this.#methods ??= new InputMethods({
      display: this.connection.name,
      servers: () => this.#bindings.handled.inputMethods(),
    });
  }

  async #recoverEngine(): Promise<void> {
    try {
      if (isEngineLeft(this.connection.name)) await (await this.#inputMethods()).recover();
    } catch {
      // The server is gone: the next connection recovers the engine.
    }
  }

  /** Waits for some milliseconds. During the wait another call may find the server gone, and close the connection. */
  async #pause(ms: number): Promise<void> {
    await delay(ms);
    this.connection.check();
  }

  async #typeBatch(codes: number[], keymap: Keymap, unknown: Map<number, number>, signal?: AbortSignal) {
    for (let from = 0; from < codes.length; from += TYPING_BATCH) {
      const part = codes.slice(from, from + TYPING_BATCH),
        isNoted = this.#notesAll || part.some((code) => unknown.has(code));
      if (isNoted) this.#bindings.handled.note();
      for (const code of part) {
        signal?.throwIfAborted();
        this.#stroke(this.#strokeFor(code, keymap, unknown.get(code)));
      }
      if (from + TYPING_BATCH >= codes.length) this.#hold([]);
      // Events left in Xlib's buffer would be sent only after their keycodes had got other symbols.
      this.connection.sync();
      // The first key may have given the keyboard focus to another program.
      if (isNoted) this.#bindings.handled.note();
      await this.#pause(0);
    }
  }

  #strokeFor(code: number, keymap: Keymap, keysym: number | undefined): KeyStroke {
    return keysym === undefined ? knownStroke(code, keymap)! : this.#bindings.stroke(keysym, keymap)!;
  }

  /** Presses and releases a key; its modifiers stay down for the next one. */
  #stroke({ keycode, modifiers }: KeyStroke): void {
    this.#hold(modifiers);
    this.#fake(keycode, true);
    this.#fake(keycode, false);
  }

  /** Changes which modifiers the text holds. */
  #hold(modifiers: readonly number[]): void {
    const before = this.#textModifiers;
    for (const code of before.toReversed()) if (!modifiers.includes(code)) this.#fake(code, false);
    for (const code of modifiers) if (!before.includes(code)) this.#fake(code, true);
    this.#textModifiers = modifiers;
  }

  #fake(keycode: number, down: boolean): void {
    this.#sent++;
    this.connection.libraries.xtst.XTestFakeKeyEvent(this.connection.display, keycode, Number(down), 0n);
  }

  /**
   * The characters that no key gives, with the symbols to bind for them.
   * @throws InputError naming the first character without a symbol.
   */
  #missing(characters: number[], keymap: Keymap): Map<number, number> {
    const missing = new Map<number, number>();
    for (const code of new Set(characters)) {
      if (knownStroke(code, keymap)) continue;
      const keysym = textSymbol(this.connection, code);
      if (!keysym) throw untypable(code, "X11 has no symbol for it");
      missing.set(code, keysym);
    }
    return missing;
  }

  #strokeOf(key: string, keymap: Keymap): KeyStroke {
    if (key.startsWith("vk:")) throw new InputError(`key ${key} is one of Windows, which X11 does not know`);
    const named = namedKey(key);
    const code = /^keysym:0x([0-9a-f]+)$/.exec(key);
    const keysym = named?.keysym ?? (code ? parseInt(code[1], 16) : undefined);
    const stroke = keysym === undefined ? keymap.character(key.codePointAt(0)!) : keymap.stroke(keysym);
    if (stroke) return stroke;
    const wanted = keysym ?? textSymbol(this.connection, key.codePointAt(0)!);
    if (!wanted || !this.#bindings.capacity(keymap)) throw new InputError(`this keyboard has no key ${key}`);
    this.#bindings.bindBlocking(wanted);
    this.#bindings.handled.note();
    return this.#bindings.stroke(wanted, keymap)!;
  }
}

/** The keycodes of a stroke in the order of pressing: its own comes last. */
function codesOf({ keycode, modifiers }: KeyStroke): number[] {
  return [...modifiers, keycode];
}

function knownStroke(codePoint: number, keymap: Keymap): KeyStroke | undefined {
  const key = KEYS_IN_TEXT.get(codePoint);
  return key === undefined ? keymap.character(codePoint) : keymap.stroke(namedKey(key)!.keysym);
}

/**
 * The symbol that programs take for a character. Many characters have an older symbol, too, such as `horizconnector`
 * for "─", for which libX11 and GTK know no character or another one.
 * @returns 0 if X11 has no symbol for the character.
 */
export function textSymbol({ libraries: { xkbcommon } }: Connection, codePoint: number): number {
  const symbol = xkbcommon.xkb_utf32_to_keysym(codePoint);
  return symbol && codePoint > LATIN_1 ? UNICODE + codePoint : symbol;
}
