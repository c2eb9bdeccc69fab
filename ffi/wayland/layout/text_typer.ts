/**
 * Types text by the keys of the person's layout. A text with characters that no key types is committed by the desktop's
 * input method as a whole, or pasted if the focused field takes no text from the input method.
 */

import { KEYS_IN_TEXT, untypable } from "../../text.ts";
import { CHARACTERS_AT_ONCE, TypingPace } from "../wire/keymaps.ts";
import { codesOf, type Layout, usCodesOf } from "./layout.ts";
import type { TextPaster } from "./text_paster.ts";

// Division of a text into pieces that keys type and pieces that are pasted. Pure.

/** A piece of a text. */
interface Piece {
  /** Code points. */
  characters: number[];
  isPasted: boolean;
}

/**
 * The longest run of typable characters that is pasted together with the untypable characters around it, since a
 * paste takes as long as typing some hundred characters.
 */
const GAP = 16;

/**
 * Cuts a text.
 * @param isTyped Whether a key types a character.
 * @param isKey Whether a character is a key in a text, such as Enter: it is never pasted.
 * @example
 * pieces([0x61, 0xe9, 0x20, 0x62], (character) => character < 128, () => false).length; // 3
 */
export function pieces(
  characters: readonly number[],
  isTyped: (character: number) => boolean,
  isKey: (character: number) => boolean,
): Piece[] {
  const all: Piece[] = [];
  /** Typed characters behind the last piece, which the next one may paste. */
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

/** The plan of a text's typing. */
export interface Typing {
  layout: Layout;
  /** Stops after the present character. */
  signal?: AbortSignal;
  /** Called with the code point of each character after the character was typed. */
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
  readonly #pace = new TypingPace();

  /**
   * @param method Left out where the desktop has no input method.
   * @param paster Left out where programs do not get at the clipboard.
   */
  constructor(
    readonly keys: KeyPresser,
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
      await this.#pace.wait();
      const batch = characters.slice(from, from + CHARACTERS_AT_ONCE);
      this.#pace.count(batch.length);
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
   * Presses keys by their names. If the layout lacks a character, presses the key that has it on a US keyboard, where
   * programs look for commands.
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
   * @param codes In the order of pressing, as the kernel counts keys; all but the last are modifiers.
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

/** The codes of a character that a key types, in the order of pressing. */
function strokeCodes(character: number, layout: Layout): readonly number[] {
  const name = KEYS_IN_TEXT.get(character);
  if (name) {
    const codes = codesOf(name, layout);
    if (!("keysym" in codes)) return codes;
  }
  const { modifiers, code } = layout.characters.get(character)!;
  return [...modifiers, code];
}

/** Cuts a text before and after each key that it has. */
function runsOf(characters: readonly number[]): number[][] {
  const runs: number[][] = [];
  for (const [i, character] of characters.entries()) {
    const isKey = KEYS_IN_TEXT.has(character), wasKey = i > 0 && KEYS_IN_TEXT.has(characters[i - 1]);
    if (i > 0 && !isKey && !wasKey) runs.at(-1)!.push(character);
    else runs.push([character]);
  }
  return runs;
}

/** Keys by their codes as the kernel counts them (linux/input-event-codes.h). */
export interface KeyPresser {
  /** The number of presses and releases so far. */
  readonly sent: number;

  /**
   * Presses (`down`) or releases a key. The press may wait until {@linkcode flush}.
   * @param isModifier Whether it changes what other keys type.
   * @throws DesktopUnavailableError if the desktop is gone.
   */
  press(code: number, down: boolean, isModifier?: boolean): void;

  /** Resolves when the desktop has processed all presses. */
  flush(): Promise<void>;

  /**
   * Releases keys that a person may hold, which a press would not press again; left out where a release does not reach
   * another keyboard's keys.
   * @throws StateError if a person holds a modifier that cannot be released.
   */
  releaseOthers?(codes: readonly number[]): Promise<void>;

  /** Whether Caps Lock is on; left out where the desktop does not tell. */
  isCapsLocked?(): Promise<boolean>;
}

// The desktop's input method as a way to type text: committed text arrives unchanged in the focused field.

/** The input method of a desktop. */
export interface TextMethod {
  /**
   * Takes the place of the person's input method, where the focused field takes text from it.
   * @param isNeeded Whether the text has characters that no key types. If not, it begins only if the person's input
   * method would change the typed text.
   * @returns undefined if keys type the text, or the field takes no text from an input method.
   * @throws StateError naming an input method that would change the text and cannot be replaced; BusyError if another
   *   deskhand types.
   */
  begin(isNeeded: boolean): Promise<CommittedText | undefined>;

  /** Puts the person's input method back before it returns. Never throws. */
  close(): void;
}

/** An input method that stands in for the person's. */
export interface CommittedText {
  /**
   * Puts text into the focused field. Resolves when the desktop has handed it on, and a further text may follow.
   * @throws DesktopUnavailableError if the input method is gone.
   */
  commit(text: string): Promise<void>;

  /**
   * Presses a key between texts. Resolves when a text may follow: programs take text at once, and keys in their turn.
   * @param press Presses and releases the key.
   */
  key(press: () => Promise<void>): Promise<void>;

  /** Puts the person's input method back. */
  end(): Promise<void>;
}
