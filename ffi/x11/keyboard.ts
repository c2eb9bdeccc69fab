/** The keyboard of one connection: single keys and text. */

import { delay } from "@std/async/delay";
import type { Keyboard } from "../../control/desktop.ts";
import { namedKey } from "../../control/keys.ts";
import { InputError } from "../../core/errors.ts";
import { charactersOf, cutText, KEYS_IN_TEXT, untypable } from "../text.ts";
import type { Connection } from "./connection.ts";
import type { Keymap, KeyStroke } from "./keymap.ts";
import { suspendModifiers } from "./modifiers.ts";
import { COOLDOWN_MS, MAP_PROPAGATION_MS, TemporaryKeyBindings } from "./temporary_bindings.ts";
import type { Xdo } from "./xdo.ts";

/** Characters typed before the event loop gets its turn. */
const TYPING_BATCH = 16;

/** Keys by libxdo, text by XTEST. */
export class X11Keyboard implements Keyboard {
  readonly #bindings: TemporaryKeyBindings;
  /** Keycodes that each pressed key holds, in the order of pressing; keys may share some. */
  readonly #down = new Map<string, readonly number[]>();
  /** Presses the modifiers again that a text released; set while the text is typed. */
  #restoreModifiers: (() => void) | undefined;

  constructor(readonly connection: Connection, readonly xdo: Xdo) {
    this.#bindings = new TemporaryKeyBindings(connection);
  }

  key(key: string, down: boolean): void {
    const keymap = this.#bindings.readMap();
    if (down) {
      const held = this.#held();
      // A second press is a repetition: the release has to undo what the first one pressed.
      const codes = this.#down.get(key) ?? codesOf(this.#strokeOf(key, keymap));
      this.#down.set(key, codes);
      const keycode = codes.at(-1);
      for (const code of codes) {
        if (code === keycode || !held.has(code)) this.xdo.key(code, true, keymap.group);
      }
    } else {
      // A key that another program or a person holds is released too.
      const codes = this.#down.get(key) ?? [this.#strokeOf(key, keymap).keycode];
      this.#down.delete(key);
      const held = this.#held();
      for (const code of codes.toReversed()) {
        if (!held.has(code)) this.xdo.key(code, false, keymap.group);
      }
      this.#bindings.touch();
    }
    this.connection.sync();
  }

  async type(text: string, signal?: AbortSignal): Promise<void> {
    const characters = charactersOf(text);
    const keymap = this.#bindings.readMap();
    const unknown = this.#missing(characters, keymap);
    const capacity = this.#bindings.capacity(keymap);
    if (unknown.size && !capacity) {
      throw untypable([...unknown.keys()][0], "no key of the keyboard map is free");
    }
    this.#suspendModifiers(keymap);
    try {
      for (const batch of cutText(characters, (code) => unknown.has(code), capacity)) {
        const keysyms = [
          ...new Set(batch.filter((code) => unknown.has(code)).map((code) => unknown.get(code)!)),
        ];
        if (keysyms.length) await this.#bind(keysyms, unknown.size > capacity);
        await this.#typeBatch(batch, keymap, unknown, signal);
        this.#bindings.touch();
      }
    } finally {
      this.#restoreModifiers?.();
      if (this.connection.isOpen) this.#bindings.touch();
    }
    this.connection.check();
  }

  /** Undoes the bindings, when programs have had time to look up what was typed last. */
  async restore(): Promise<void> {
    await this.#bindings.whenIdle();
    this.#bindings.unbind();
  }

  /** Leaves the keyboard as it was, also in the middle of a text. Never throws. */
  close(): void {
    this.#restoreModifiers?.();
    this.#bindings.unbind();
  }

  /** Releases modifiers until {@linkcode #restoreModifiers} is called, which works once. */
  #suspendModifiers(keymap: Keymap) {
    const own = this.#held();
    const restore = suspendModifiers(this.connection, keymap);
    this.#restoreModifiers = () => {
      this.#restoreModifiers = undefined;
      restore(own.difference(this.#held()));
    };
  }

  /** Keycodes that pressed keys hold. */
  #held(): Set<number> {
    return new Set([...this.#down.values()].flat());
  }

  /** Waits. Another call may meanwhile find the server gone, and close the connection. */
  async #pause(ms: number): Promise<void> {
    await delay(ms);
    this.connection.check();
  }

  /** @param patient Whether the text needs several bindings of the same keycodes, so that clients may lag behind. */
  async #bind(keysyms: number[], patient: boolean) {
    const cooldown = this.#bindings.cooldownMs(keysyms);
    if (cooldown) await this.#pause(cooldown);
    if (this.#bindings.bind(keysyms)) await this.#pause(patient ? COOLDOWN_MS : MAP_PROPAGATION_MS);
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
        : { keycode: this.#bindings.keycode(keysym)!, modifiers: [] };
      for (const modifier of stroke.modifiers) fake(modifier, true);
      fake(stroke.keycode, true);
      fake(stroke.keycode, false);
      for (const modifier of stroke.modifiers.toReversed()) fake(modifier, false);
      if (i % TYPING_BATCH === TYPING_BATCH - 1) {
        this.connection.sync();
        await this.#pause(0);
      }
    }
    // Events left in Xlib's buffer would be sent only after their keycodes had got other symbols.
    this.connection.sync();
  }

  /**
   * The characters that no key gives, with the symbols to bind for them.
   * @throws InputError naming the first that has no symbol.
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

  #strokeOf(key: string, keymap: Keymap): KeyStroke {
    if (key.startsWith("vk:")) throw new InputError(`key ${key} is one of Windows, which X11 does not know`);
    const named = namedKey(key);
    const code = /^keysym:0x([0-9a-f]+)$/.exec(key);
    const keysym = named?.keysym ?? (code ? parseInt(code[1], 16) : undefined);
    const stroke = keysym === undefined ? keymap.character(key.codePointAt(0)!) : keymap.stroke(keysym);
    if (stroke) return stroke;
    const wanted = keysym ?? this.connection.libraries.xkbcommon.xkb_utf32_to_keysym(key.codePointAt(0)!);
    if (!wanted || !this.#bindings.capacity(keymap)) throw new InputError(`this keyboard has no key ${key}`);
    if (this.#bindings.bind([wanted])) this.connection.libraries.c.usleep(MAP_PROPAGATION_MS * 1000);
    return { keycode: this.#bindings.keycode(wanted)!, modifiers: [] };
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
