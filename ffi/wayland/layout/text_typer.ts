/**
 * Types text with the keys of the person's layout. A text with characters that no key types is committed as a
 * whole through the desktop's input method, or pasted if the focused field accepts no text from the input
 * method.
 */

import { KEYS_IN_TEXT, untypable } from "../../text.ts";
import { CHARACTERS_AT_ONCE, type TypingPace } from "../wire/keymaps.ts";
import { codesOf, type Layout, usCodesOf } from "./layout.ts";
import type { TextPaster } from "./text_paster.ts";

// Splits a text into pieces that keys type and pieces that are pasted. Pure.

/** A piece of a text. */
interface Piece {
  /** Code points. */
  characters: number[];
  isPasted: boolean;
}

/**
 * Maximum run of typable characters that is pasted together with the untypable characters around it, since a
 * paste takes as long as typing some hundred characters.
 */
const GAP = 16;

/**
 * Cuts a text.
 * @param isTyped Whether a key types a character.
 * @param isKey Whether a character is a key in a text, such as Enter: such a character is never pasted.
 * @example
 * pieces([0x61, 0xe9, 0x20, 0x62], (character) => character < 128, () => false).length; // 3
 */
export function pieces(
  characters: readonly number[],
  isTyped: (character: number) => boolean,
  isKey: (character: number) => boolean,
): Piece[] {
  const all: Piece[] = [];
  /** Typed characters after the last piece, which may be pasted with the next one. */
  let gap: number[] = [];
  const type = () => {
    if (gap.length) all.push({ characters: gap, isPasted: false });
    gap = [];
  };
  for (const character of characters) {
    if (isTyped(character)) {
      gap.push(character);
      continue;
    }
    const last = all.at(-1);
    if (last?.isPasted && gap.length <= GAP && !gap.some(isKey)) last.characters.push(...gap, character);
    else {
      type();
      all.push({ characters: [character], isPasted: true });
    }
    gap = [];
  }
  type();
  return all;
}

/** How to type a text. */
export interface Typing {
  layout: Layout;
  /** Stops after the current character. */
  signal?: AbortSignal;
  /** Called with each character's code point after it has been typed. */
  typed?: (codePoint: number) => void;
}

/** A text that is ready to be typed. */
export interface PlannedText {
  /** Code points. */
  characters: readonly number[];
  /** Commits the text. */
  committed?: CommittedText;
  /** Pastes characters that no key types, if there is no `committed`. */
  paster?: TextPaster;
  /** Ends the typing of the text; must be called even if the text is not typed. */
  end(): Promise<void>;
}

/** Types while no modifier is held. */
export class TextTyper {
  /**
   * @param pace The pace that programs can follow.
   * @param method Omitted if the desktop has no input method.
   * @param paster Omitted if programs cannot use the clipboard.
   */
  constructor(
    readonly keys: KeyPresser,
    readonly pace: TypingPace,
    readonly method: TextMethod | undefined,
    readonly paster: TextPaster | undefined,
  ) {}

  /**
   * Decides how a text is typed.
   * @param characters Code points.
   * @throws InputError naming the character that cannot be typed; the errors of TextMethod.begin.
   */
  async plan(characters: readonly number[], layout: Layout): Promise<PlannedText> {
    const foreign = characters.find((character) => !isTyped(character, layout));
    const committed = await this.method?.begin(foreign !== undefined);
    if (committed) return { characters, committed, end: () => committed.end() };
    const end = () => Promise.resolve();
    if (foreign === undefined) return { characters, end };
    if (this.paster) return { characters, paster: this.paster, end };
    throw untypable(
      foreign,
      "no key of the layout types it, and deskhand knows no other way on this desktop",
    );
  }

  /**
   * Types a text.
   * @throws The signal's reason; DesktopUnavailableError if the desktop is gone.
   */
  async type({ characters, committed, paster }: PlannedText, typing: Typing): Promise<void> {
    if (committed) await this.#commit(characters, committed, typing);
    else if (paster) await this.#paste(characters, paster, typing);
    else await this.#press(characters, typing);
  }

  async #press(characters: readonly number[], { layout, signal, typed }: Typing): Promise<void> {
    const codes = new Set(characters.flatMap((character) => strokeCodes(character, layout)));
    await this.keys.releaseOthers?.([...codes]);
    for (let from = 0; from < characters.length; from += CHARACTERS_AT_ONCE) {
      await this.pace.wait(signal);
      const batch = characters.slice(from, from + CHARACTERS_AT_ONCE);
      this.pace.count(batch.length);
      for (const character of batch) {
        signal?.throwIfAborted();
        this.#stroke(strokeCodes(character, layout));
        typed?.(character);
      }
      await this.keys.flush();
    }
  }

  async #commit(characters: readonly number[], committed: CommittedText, typing: Typing): Promise<void> {
    for (const run of runsOf(characters)) {
      typing.signal?.throwIfAborted();
      if (KEYS_IN_TEXT.has(run[0])) await committed.key(() => this.#press(run, typing));
      else {
        await committed.commit(textOf(run));
        if (typing.typed) run.forEach(typing.typed);
      }
    }
  }

  /** Types the characters that the layout has, and pastes the others. */
  async #paste(characters: readonly number[], paster: TextPaster, typing: Typing): Promise<void> {
    const { layout, signal, typed } = typing;
    const all = pieces(
      characters,
      (character) => isTyped(character, layout),
      (character) => KEYS_IN_TEXT.has(character),
    );
    await paster.during(async (paste) => {
      for (const { characters, isPasted } of all) {
        signal?.throwIfAborted();
        if (!isPasted) await this.#press(characters, typing);
        else {
          await paste(textOf(characters), (keys) => this.#pressKeys(keys, layout));
          if (typed) characters.forEach(typed);
        }
      }
    });
  }

  /**
   * Presses keys by name. If the layout lacks a character, presses the key that has it on a US keyboard,
   * where programs look for commands.
   */
  async #pressKeys(keys: readonly string[], layout: Layout): Promise<void> {
    this.#stroke(keys.flatMap((key) => {
      const codes = codesOf(key, layout);
      return "keysym" in codes ? usCodesOf(key) ?? [] : codes;
    }));
    await this.keys.flush();
  }

  /**
   * Presses keys and releases them in the opposite order.
   * @param codes Kernel codes in the order of pressing; all but the last are modifiers.
   */
  #stroke(codes: readonly number[]): void {
    const isModifier = (i: number) => i < codes.length - 1;
    codes.forEach((code, i) => this.keys.press(code, true, isModifier(i)));
    for (let i = codes.length; i-- > 0;) this.keys.press(codes[i], false, isModifier(i));
  }
}

function textOf(characters: readonly number[]): string {
  return characters.map((character) => String.fromCodePoint(character)).join("");
}

/** Whether a key types a character. */
function isTyped(character: number, layout: Layout): boolean {
  return KEYS_IN_TEXT.has(character) || layout.characters.has(character);
}

/** The codes of a character typed by a key, in the order of pressing. */
function strokeCodes(character: number, layout: Layout): readonly number[] {
  const name = KEYS_IN_TEXT.get(character);
  if (name) {
    const codes = codesOf(name, layout);
    if (!("keysym" in codes)) return codes;
  }
  const { modifiers, code } = layout.characters.get(character)!;
  return [...modifiers, code];
}

/** Cuts a text before and after each key in it. */
function runsOf(characters: readonly number[]): number[][] {
  const runs: number[][] = [];
  for (const [i, character] of characters.entries()) {
    const isKey = KEYS_IN_TEXT.has(character), wasKey = i > 0 && KEYS_IN_TEXT.has(characters[i - 1]);
    if (i > 0 && !isKey && !wasKey) runs.at(-1)!.push(character);
    else runs.push([character]);
  }
  return runs;
}

/** Keys by kernel code (linux/input-event-codes.h). */
export interface KeyPresser {
  /** The number of presses and releases so far. */
  readonly sent: number;

  /**
   * Presses (`down`) or releases a key. A press may wait until {@linkcode flush}.
   * @param isModifier Whether the key changes what other keys type.
   * @throws DesktopUnavailableError if the desktop is gone.
   */
  press(code: number, down: boolean, isModifier?: boolean): void;

  /** Resolves when the desktop has processed all presses. */
  flush(): Promise<void>;

  /**
   * Releases keys that a person may hold, since pressing them again would have no effect; omitted if a
   * release does not affect another keyboard's keys.
   * @throws StateError if a person holds a modifier that cannot be released.
   */
  releaseOthers?(codes: readonly number[]): Promise<void>;

  /** Whether Caps Lock is on; omitted if the desktop does not report it. */
  isCapsLocked?(): Promise<boolean>;
}

// The desktop's input method as a way to type text: committed text reaches the focused field unchanged.

/** A desktop's input method. */
export interface TextMethod {
  /**
   * Replaces the person's input method if the focused field accepts text from it.
   * @param isNeeded Whether the text has characters that no key types. If not, it begins only if the person's
   * input method would alter the typed text.
   * @returns undefined if keys type the text, or the field accepts no text from an input method.
   * @throws StateError naming an input method that would alter the text and cannot be replaced; BusyError if
   * another deskhand is typing.
   */
  begin(isNeeded: boolean): Promise<CommittedText | undefined>;

  /** Restores the person's input method before it returns. Never throws. */
  close(): void;
}

/** An input method that replaces the person's. */
export interface CommittedText {
  /**
   * Commits text to the focused field. Resolves when the desktop has passed it on, and more text may follow.
   * @throws DesktopUnavailableError if the input method is gone.
   */
  commit(text: string): Promise<void>;

  /**
   * Presses a key between texts. Resolves when text may follow: programs insert text immediately, but queue
   * keys.
   * @param press Presses and releases the key.
   */
  key(press: () => Promise<void>): Promise<void>;

  /** Restores the person's input method. */
  end(): Promise<void>;
}
