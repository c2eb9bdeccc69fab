/** Actions tried with a program that accepts text. */

import type { Part } from "../cell.ts";
import { arrived, type Field } from "../field.ts";
import { SilentError, tried, triedInTurn } from "../faults.ts";
import type { Hand } from "../hand.ts";
import { difference, TEXTS } from "../texts.ts";
import { waitFor } from "../waiting.ts";
import type { FieldThing } from "./names.ts";

/** Fails unless a field finally contains a text. */
async function mustHave(field: Field, text: string): Promise<void> {
  const fault = difference(text, await arrived(field, text));
  if (!fault) return;
  const other = await field.covered();
  throw new SilentError(
    other === undefined ? fault : `${fault}; the keyboard is in ${JSON.stringify(other)}`,
  );
}

function typeTexts(field: Field, name: FieldThing): Promise<Part[]> {
  return triedInTurn(TEXTS[name].map(([what, text]) => [what, async () => {
    await field.put(text);
    await mustHave(field, text);
  }]));
}

/** Keys for each kind of field, and the text that must be there afterwards. */
const SHORTCUTS: Readonly<Record<Field["kind"], (hand: Hand, field: Field) => Promise<Part[]>>> = {
  async terminal(hand, field) {
    const line = await tried("ctrl+u, Enter", async () => {
      await hand.type("wrong");
      await hand.key("ctrl+u");
      await hand.type("right");
      await hand.key("enter");
      await mustHave(field, "right");
    });
    const end = await tried("ctrl+d", async () => {
      await hand.key("ctrl+d");
      if (!await waitFor(field.hasEnded)) throw new SilentError("cat did not end");
    });
    return [line, end];
  },
  editor: editText,
  page: editText,
};

/** Copies, pastes, selects and replaces, without trailing spaces, which some editors remove. */
async function editText(hand: Hand, field: Field): Promise<Part[]> {
  const press = async (...combinations: string[]) => {
    for (const keys of combinations) await hand.key(keys);
  };
  const copy = await tried("shift+Home, ctrl+c, End, ctrl+v", async () => {
    await field.put("one two");
    await mustHave(field, "one two");
    await press("end", "shift+home", "ctrl+c", "end", "ctrl+v");
    await field.save();
    await mustHave(field, "one twoone two");
  });
  const select = await tried("shift+Home, a text, ctrl+Left, ctrl+Delete, Backspace", async () => {
    await press("end", "shift+home");
    await hand.type("three four");
    await press("ctrl+left", "ctrl+delete", "backspace");
    await field.save();
    await mustHave(field, "three");
  });
  return [copy, select];
}

/** Tries an action with a field. @returns The outcomes of its parts. */
export async function doWithField(thing: FieldThing, hand: Hand, field: Field): Promise<Part[]> {
  return thing === "shortcuts" ? await SHORTCUTS[field.kind](hand, field) : await typeTexts(field, thing);
}
