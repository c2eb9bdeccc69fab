/** Types text by the keys of the person's layout, by added symbols, and by the clipboard where there can be none. */

import { ExpectedError } from "../../../core/errors.ts";
import { KEYS_IN_TEXT, untypable } from "../../text.ts";
import { keysymOf } from "../wire/keymaps.ts";
import { CHARACTERS_AT_ONCE, TypingPace } from "../wire/typing_pace.ts";
import type { AddedSymbols } from "./added_symbols.ts";
import type { KeyPresser } from "./key_presser.ts";
import type { Layout } from "./layout.ts";
import { codesOf, usCodesOf } from "./layout_keys.ts";
import type { LayoutView } from "./layout_view.ts";
import { planText, type TypedPart } from "./planned_text.ts";
import type { TextPaster } from "./text_paster.ts";

/** How a text is typed. */
export interface Typing {
  layout: Layout;
  /** Stops after the present character. */
  signal?: AbortSignal;
  /** Called with each character's code point when it has been typed. */
  typed?: (codePoint: number) => void;
}

/** A text that is ready to be typed: what the first part needs is there. */
export type PlannedText = { parts: TypedPart[] } | { pasted: number[][]; paster: TextPaster };

/** Types while no modifier is held. */
export class TextTyper {
  readonly #pace = new TypingPace();

  /** @param paster Left out where programs do not get at the clipboard. */
  constructor(
    readonly keys: KeyPresser,
    readonly view: LayoutView,
    readonly added: AddedSymbols,
    readonly paster: TextPaster | undefined,
  ) {}

  /**
   * Plans a text, and adds the symbols that its beginning needs.
   * @param characters Code points.
   * @throws InputError naming the character that cannot be typed; what AddedSymbols.give throws.
   */
  async plan(characters: readonly number[], layout: Layout): Promise<PlannedText> {
    const has = (character: number) => layout.characters.has(character);
    const parts = planText(characters, has, { free: layout.free, present: this.added.present });
    let reason = "no key of the keyboard map is free";
    try {
      if (parts?.[0].symbols) await this.added.give(parts[0].symbols, this.view);
      if (parts) return { parts: [{ ...parts[0], symbols: undefined }, ...parts.slice(1)] };
    } catch (error) {
      if (!(error instanceof ExpectedError)) throw error;
      reason = error.message;
    }
    if (this.paster) return { pasted: runsOf(characters), paster: this.paster };
    throw untypable(characters.find((character) => !KEYS_IN_TEXT.has(character) && !has(character))!, reason);
  }

  /**
   * Types a text.
   * @throws The signal's reason; DesktopUnavailableError if the desktop is gone.
   */
  async type(text: PlannedText, typing: Typing): Promise<void> {
    if ("parts" in text) {
      for (const part of text.parts) await this.#typePart(part, typing);
    } else await this.#paste(text.pasted, text.paster, typing);
  }

  /**
   * Presses keys and releases them in the opposite order.
   * @param codes In the order of pressing, as the kernel counts keys.
   */
  stroke(codes: readonly number[]): void {
    for (const code of codes) this.keys.press(code, true);
    for (const code of codes.toReversed()) this.keys.press(code, false);
  }

  async #typePart({ characters, symbols }: TypedPart, { layout, signal, typed }: Typing): Promise<void> {
    if (symbols) await this.added.give(symbols, this.view);
    const added = new Map([...this.added.present].map(([{ code }, keysym]) => [keysym, code]));
    for (let from = 0; from < characters.length; from += CHARACTERS_AT_ONCE) {
      await this.#pace.wait();
      const batch = characters.slice(from, from + CHARACTERS_AT_ONCE);
      this.#pace.count(batch.length);
      for (const character of batch) {
        signal?.throwIfAborted();
        this.stroke(strokeCodes(character, layout, added));
        typed?.(character);
      }
      await this.keys.flush();
      this.added.touch();
    }
  }

  /** Types what the layout has, and pastes each run of other characters with what stands between them. */
  async #paste(runs: readonly number[][], paster: TextPaster, typing: Typing): Promise<void> {
    const { layout, signal, typed } = typing;
    const isTyped = (character: number) => KEYS_IN_TEXT.has(character) || layout.characters.has(character);
    await paster.during(async (paste) => {
      for (const run of runs) {
        signal?.throwIfAborted();
        if (run.every(isTyped)) await this.#typePart({ characters: run, symbols: undefined }, typing);
        else {
          await paste(String.fromCodePoint(...run), () => this.#pressPaste(layout));
          if (typed) run.forEach(typed);
        }
      }
    });
  }

  /** Presses Ctrl+V, with V where a US keyboard has it if the layout has none, as programs look for it. */
  async #pressPaste(layout: Layout): Promise<void> {
    const [ctrl, v] = ["ctrl", "v"].map((key) => codesOf(key, layout));
    this.stroke([...("keysym" in ctrl ? [] : ctrl), ...("keysym" in v ? usCodesOf("v")! : v)]);
    await this.keys.flush();
  }
}

/** The codes of a character in the order of pressing. */
function strokeCodes(
  character: number,
  layout: Layout,
  added: ReadonlyMap<number, number>,
): readonly number[] {
  const name = KEYS_IN_TEXT.get(character);
  if (name) {
    const codes = codesOf(name, layout);
    if (!("keysym" in codes)) return codes;
  }
  const stroke = layout.characters.get(character);
  return stroke ? [...stroke.modifiers, stroke.code] : [added.get(keysymOf(character))!];
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
