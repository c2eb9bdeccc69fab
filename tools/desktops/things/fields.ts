/** What is done with a program that takes text. */

import type { Part } from "../cell.ts";
import { arrived, type Field } from "../field.ts";
import { SilentError, tried } from "../faults.ts";
import type { Hand } from "../hand.ts";
import { difference, TEXTS } from "../texts.ts";
import { waitFor } from "../waiting.ts";
import type { FieldThing } from "./names.ts";

/** Fails unless a field has a text in the end. */
async function mustHave(field: Field, text: string): Promise<void> {
  const fault = difference(text, await arrived(field, text));
  if (fault) throw new SilentError(fault);
}

async function typeTexts(field: Field, name: FieldThing): Promise<Part[]> {
  const parts: Part[] = [];
  for (const [what, text] of TEXTS[name]) {
    parts.push(
      await tried(what, async () => {
        await field.put(text);
        await mustHave(field, text);
      }),
    );
  }
  return parts;
}

/** Keys of each kind of field, and what must be there afterwards. */
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

/** Copies, pastes, selects and replaces. */
async function editText(hand: Hand, field: Field): Promise<Part[]> {
  const copy = await tried("ctrl+a, ctrl+c, End, ctrl+v", async () => {
    await field.put("one two ");
    await mustHave(field, "one two ");
    for (const keys of ["ctrl+a", "ctrl+c", "end", "ctrl+v"]) await hand.key(keys);
    await field.save();
    await mustHave(field, "one two one two ");
  });
  const select = await tried("shift+Home, a text, ctrl+left, ctrl+Delete", async () => {
    await hand.key("end");
    await hand.key("shift+home");
    await hand.type("three four");
    await hand.key("ctrl+left");
    await hand.key("ctrl+delete");
    await field.save();
    await mustHave(field, "three ");
  });
  return [copy, select];
}

/** Does a thing with a field. @returns What came of its parts. */
export async function doWithField(thing: FieldThing, hand: Hand, field: Field): Promise<Part[]> {
  return thing === "shortcuts" ? await SHORTCUTS[field.kind](hand, field) : await typeTexts(field, thing);
}
