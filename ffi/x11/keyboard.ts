/** The keyboard of one connection: single keys and text. */

import { delay } from "@std/async/delay";
import type { Keyboard } from "../../control/desktop/desktop.ts";
import { namedKey } from "../../control/desktop/keys.ts";
import { InputError, StateError } from "../../core/errors.ts";
import type { InputMethods, SuspendedEngine } from "../linux/input_method/input_methods.ts";
import { isEngineLeft } from "../linux/input_method/engine_records.ts";
import { hasWideCharacter } from "../quirks.ts";
import { charactersOf, cutText, KEYS_IN_TEXT, PressedKeys, untypable } from "../text.ts";
import { AIDS, aidsOn, switchAids } from "./xkb.ts";
import type { Connection } from "./connection.ts";
import { PACES } from "./handled/mod.ts";
import { type FullState, type Keymap, type KeyStroke, LOCK_MASK, readState } from "./keymap.ts";
import { keysDown, suspendState } from "./keyboard_state.ts";
import type { Xdo } from "./pointer.ts";
import { TemporaryKeyBindings } from "./temporary_bindings.ts";

/** The last Latin-1 character, and the number added to the code points of all other characters. */
const LATIN_1 = 0xff, UNICODE = 0x1000000;
/** Number of characters typed before other work gets a turn. */
const TYPING_BATCH = 16;

/** Sends keys through libxdo, text through XTEST. */
export class X11Keyboard implements Keyboard {
  /** Waits until a watchdog ends Xlib's waits for a server that hangs; undefined if one already does. */
  watched: () => Promise<void> | undefined = () => undefined;
  readonly #bindings: TemporaryKeyBindings;
  readonly #pressed = new PressedKeys();
  #methods: InputMethods | undefined;
  /** The number of presses and releases sent for texts. */
  #sent = 0;
  /** Whether programs must confirm every key of the text. */
  #notesAll = false;
  /**
   * Keycodes that texts have pressed on XTEST's keyboard while a person holds them. The person's release
   * leaves them down there, and the server drops another press of such a modifier.
   */
  #lent = new Set<number>();
  /** Modifiers that the text holds for the current character. */
  #textModifiers: readonly number[] = [];
  /** Modifiers that are locked while the text is typed, as a mask. */
  #lockedMods = 0;
  /** Characters of the text: those typed before a keyboard change, and all. */
  #typed = { before: 0, all: 0 };
  /** Restores the keyboard state that a text has suspended; set while the text is typed. */
  #restoreState: (() => void) | undefined;

  constructor(readonly connection: Connection, readonly xdo: Xdo) {
    this.#bindings = new TemporaryKeyBindings(connection);
    this.#bindings.freeLeft();
    this.#recoverEngine().catch(() => {}); // the server is gone: the next connection recovers the engine
  }

  key(key: string, down: boolean): Promise<void> {
    return Promise.try(() => this.#key(key, down));
  }

  tap(key: string): Promise<void> {
    return Promise.try(() => this.#key(key, true, true));
  }

  #key(key: string, down: boolean, isTap = false): void | Promise<void> {
    const keymap = this.#bindings.readMap();
    const codes = this.#pressed.of(key) ?? codesOf(this.#strokeOf(key, keymap));
    if (down) this.#press(key, codes, keymap, isTap);
    else for (const code of this.#pressed.release(key, codes)) this.xdo.key(code, false, keymap.group);
    if (!down || isTap) this.#bindings.touch();
    return this.connection.handled();
  }

  /**
   * Presses a key even where the server would drop the press: a person or another program holds the key, a
   * person has released a key that deskhand holds, or Slow Keys or Bounce Keys are on.
   * @param isTap Releases it, too, without libxdo, which would wait for the server in between.
   */
  #press(key: string, codes: readonly number[], keymap: Keymap, isTap: boolean): void {
    const { connection } = this, isDown = new Set(keysDown(connection)), own = this.#pressed.held;
    const filters = aidsOn(connection) & (AIDS.slow | AIDS.bounce);
    const send = (code: number, down: boolean) =>
      isTap ? this.#fake(code, down) : this.xdo.key(code, down, keymap.group);
    connection.sender("keyboard", () => {
      switchAids(connection, filters, false);
      const sent = this.#pressed.press(key, codes), last = codes.at(-1);
      const lost = codes.filter((code) => own.has(code) && !isDown.has(code) && !sent.includes(code));
      for (const code of [...lost, ...sent]) {
        const isLeft = this.#lent.delete(code) && !isDown.has(code);
        if (isLeft || (own.has(code) ? !isDown.has(code) : code === last && isDown.has(code))) {
          send(code, false);
        }
        send(code, true);
      }
      if (isTap) { for (const code of this.#pressed.release(key, codes)) send(code, false); }
      switchAids(connection, filters, true);
    });
  }

  async type(text: string, signal?: AbortSignal): Promise<void> {
    const characters = charactersOf(text);
    const keymap = this.#freeMap();
    const unknown = this.#missing(characters, keymap);
    if (unknown.size && !this.#bindings.capacity(keymap) && this.#bindings.freeLeft()) {
      return await this.type(text, signal);
    }
    const capacity = this.#bindings.capacity(keymap);
    if (unknown.size && !capacity) {
      throw untypable([...unknown.keys()][0], "no key of the keyboard map is free");
    }
    // Both ask the server again and again.
    if (unknown.size || characters.length > TYPING_BATCH) await this.watched();
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
      this.#suspendState(keymap);
      this.#typed = { before: 0, all: characters.length };
      for (const batch of cutText(characters, (code) => unknown.has(code), capacity)) {
        const keysyms = [
          ...new Set(batch.filter((code) => unknown.has(code)).map((code) => unknown.get(code)!)),
        ];
        if (keysyms.length) await this.#bindings.bind(keysyms, signal);
        for (const part of cut(batch)) {
          await this.#typeBatch(part, keymap, unknown, signal);
          const { before, all } = this.#typed;
          await wait?.(handled, before < all ? signal : undefined); // its end may close the window
        }
        this.#bindings.touch();
      }
    } finally {
      this.#restoreState?.();
      if (this.connection.isOpen) this.#bindings.touch();
      rest?.();
      if (engine) await this.#resumeEngine(engine, this.#sent - begin);
    }
    await this.connection.handled(); // the keyboard is as it was
  }

  async awake(signal?: AbortSignal, isRepeated = false): Promise<void> {
    const { handled } = this.#bindings, { begin } = PACES[handled.focused().pace];
    if (begin) await begin(handled, signal);
    else if (isRepeated) await handled.learnt(signal);
  }

  /** Waits according to the program's pace. */
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

  /** Undoes the bindings after programs have had time to look up the last typed keys. */
  async restore(): Promise<void> {
    await this.#bindings.unbind();
  }

  /** Leaves the keyboard as it was, even in the middle of a text. Never throws. */
  close(): void {
    this.#restoreState?.();
    this.#bindings.close();
    this.#methods?.close();
  }

  /**
   * The map without keys that are being held: a key that is down cannot be pressed, and releasing it would
   * type it again. Their characters are bound to free keys.
   */
  #freeMap(): Keymap {
    const keymap = this.#bindings.readMap();
    const held = keysDown(this.connection).filter((code) => !keymap.isModifier(code));
    return held.length ? keymap.without(new Set([...keymap.excluded, ...held])) : keymap;
  }

  /** Suspends the keyboard state until {@linkcode #restoreState} is called, which works once. */
  #suspendState(keymap: Keymap) {
    const { libraries: { xtst }, display } = this.connection, own = this.#pressed.held;
    for (const code of this.#lent) xtst.XTestFakeKeyEvent(display, code, 0, 0n);
    const state = suspendState(this.connection, keymap);
    this.#lockedMods = state.lockedMods;
    this.#restoreState = () => {
      this.#restoreState = undefined;
      this.#hold([]);
      this.#lent = state.restore(own.difference(this.#pressed.held));
    };
  }

  /**
   * Checks that the keyboard is still the one for which the last keys were chosen; waits until the server has
   * the keys.
   * @throws StateError saying what has changed, and how much of the text was already typed.
   */
  #checkState(part: readonly number[], keymap: Keymap): void {
    const state = readState(this.connection), { before, all } = this.#typed;
    this.connection.check();
    const changed = this.#changeSince(keymap, state, part);
    if (!changed) {
      this.#typed.before += part.length;
      return;
    }
    throw new StateError(
      `${changed} during typing, after ${before} of ${all} characters; up to ${part.length} more may be wrong`,
    );
  }

  /** The change that a person or another program has made; undefined if none is relevant. */
  #changeSince(keymap: Keymap, state: FullState, part: readonly number[]): string | undefined {
    const locks = state.lockedMods ^ this.#lockedMods;
    if (locks & LOCK_MASK) return "Caps Lock was pressed";
    if (state.group !== keymap.group) return "another layout was chosen";
    if (locks || state.latchedMods || state.baseMods !== keymap.modsOf(this.#textModifiers)) {
      return "a modifier such as Shift was pressed or released";
    }
    const now = this.#bindings.readMap();
    if (now.map === keymap.map) return undefined;
    const symbolOf = ({ keycode, modifiers }: KeyStroke, map: Keymap) =>
      map.map.symbol(keycode, map.group, map.modsOf(modifiers));
    const isOther = part.some((code) => {
      const used = knownStroke(code, keymap);
      return used && symbolOf(used, now) !== symbolOf(used, keymap);
    });
    return isOther ? "another keyboard map was loaded" : undefined;
  }

  /** Disables the user's IBus engine if it would alter the text. */
  async #suspendEngine(): Promise<SuspendedEngine | undefined> {
    return await (await this.#inputMethods()).suspend();
  }

  /** Enables the engine again after programs have received the text. */
  async #resumeEngine(engine: SuspendedEngine, keys: number): Promise<void> {
    try {
      if (this.connection.isOpen) await this.#bindings.handled.wait();
    } finally {
      await engine.resume(keys);
    }
  }

  /** Tracks the keys that programs pass to an input method over a bus. @returns A function that stops it. */
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
    if (isEngineLeft(this.connection.name)) await (await this.#inputMethods()).recover();
  }

  /**
   * Waits for some milliseconds. Meanwhile, another call may find the server gone and close the connection.
   */
  async #pause(ms: number): Promise<void> {
    await delay(ms);
    this.connection.check();
  }

  async #typeBatch(codes: number[], keymap: Keymap, unknown: Map<number, number>, signal?: AbortSignal) {
    for (let from = 0; from < codes.length; from += TYPING_BATCH) {
      const part = codes.slice(from, from + TYPING_BATCH),
        isNoted = this.#notesAll || part.some((code) => unknown.has(code));
      if (isNoted) this.#bindings.handled.note();
      signal?.throwIfAborted();
      const strokes = part.map((code) => this.#strokeFor(code, keymap, unknown.get(code)));
      this.connection.sender("keyboard", () => strokes.forEach((stroke) => this.#stroke(stroke)));
      if (from + TYPING_BATCH >= codes.length) this.#hold([]);
      // Events left in Xlib's buffer would be sent only after their keycodes had been given other symbols.
      await this.connection.handled();
      this.#checkState(part, keymap);
      // The first key may have moved the focus to another program.
      if (isNoted) this.#bindings.handled.note();
      await this.watched(); // it ends while nothing else uses the desktop
      await this.#pause(0);
    }
  }

  #strokeFor(code: number, keymap: Keymap, keysym: number | undefined): KeyStroke {
    const stroke = keysym === undefined ? knownStroke(code, keymap) : this.#bindings.stroke(keysym, keymap);
    if (stroke) return stroke;
    const { before, all } = this.#typed;
    throw new StateError(
      `another keyboard map was loaded during typing, after ${before} of ${all} characters`,
    );
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
   * The characters that no key produces, with the symbols to bind for them.
   * @throws InputError naming the first character without a symbol.
   */
  #missing(characters: number[], keymap: Keymap): Map<number, number> {
    const missing = new Map<number, number>();
    for (const code of new Set(characters)) {
      if (knownStroke(code, keymap)) continue;
      const named = KEYS_IN_TEXT.get(code);
      const keysym = named === undefined ? textSymbol(this.connection, code) : namedKey(named)!.keysym;
      if (!keysym) throw untypable(code, "X11 has no symbol for it");
      missing.set(code, keysym);
    }
    return missing;
  }

  #strokeOf(key: string, keymap: Keymap): KeyStroke {
    if (key.startsWith("vk:")) throw new InputError(`key ${key} exists on Windows only`);
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

/** A stroke's keycodes in the order of pressing, its own last. */
function codesOf({ keycode, modifiers }: KeyStroke): number[] {
  return [...modifiers, keycode];
}

function knownStroke(codePoint: number, keymap: Keymap): KeyStroke | undefined {
  const key = KEYS_IN_TEXT.get(codePoint);
  return key === undefined ? keymap.character(codePoint) : keymap.stroke(namedKey(key)!.keysym);
}

/**
 * The symbol that programs accept for a character. Many characters also have a legacy symbol, such as
 * `horizconnector` for "─", which libX11 and GTK map to no character or to another one.
 * @returns 0 if X11 has no symbol for the character.
 */
export function textSymbol({ libraries: { xkbcommon } }: Connection, codePoint: number): number {
  const symbol = xkbcommon.xkb_utf32_to_keysym(codePoint);
  return symbol && codePoint > LATIN_1 ? UNICODE + codePoint : symbol;
}
