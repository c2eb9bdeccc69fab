/**
 * Text and windows next to a user: another keyboard's layout, held keys, keyboard aids, another workspace.
 */

import { delay } from "@std/async/delay";
import { readPng } from "../../../control/image/read_png.ts";
import type { Part } from "../cell.ts";
import { SilentError, tried, triedInTurn } from "../faults.ts";
import type { Bench } from "../field.ts";
import { AIDS } from "../sessions/kind.ts";
import { difference } from "../texts.ts";
import { waitFor } from "../waiting.ts";
import { PLACE } from "./pointer.ts";

/** A text whose keys differ between the US and German layouts. */
const APART = "yz-hello;@1";
/** A text that a held `y` and a held Shift would change. */
const HELD = "maybe why C1";
/** A text with repeated characters and capitals, which slow, bounce and sticky keys would change. */
const AIDED = "hello Wood C";

/** Maximum time for deskhand to notice a desktop setting, in milliseconds. */
const SETTINGS_MS = 2500;

/** Clears the page's field. */
async function clear({ hand, page }: Bench): Promise<void> {
  await hand.key("ctrl+a");
  await hand.key("delete");
  await waitFor(() => page.value, (value) => value === "", 5);
}

/** Fails unless the field finally contains a text. @param own Removes what the user typed. */
async function mustHave({ page }: Bench, text: string, own = (value: string) => value): Promise<void> {
  const read = () => page.value === undefined ? undefined : own(page.value);
  const fault = difference(text, await waitFor(read, (value) => value === text, 5));
  if (fault) throw new SilentError(fault);
}

/** Types after a user has used a keyboard with another layout. */
export async function typeBesideLayout(bench: Bench): Promise<Part[]> {
  const { hand, kind: { person } } = bench;
  const inputs = [["text", APART, () => hand.type(APART)], ["key", "y", () => hand.key("y")]] as const;
  try {
    await person.layout?.(bench, "de");
    return await triedInTurn(inputs.map(([what, text, act]) => [what, async () => {
      await clear(bench);
      for (const down of [true, false]) await person.press(bench, "a", down);
      await mustHave(bench, "a");
      await act();
      await mustHave(bench, `a${text}`);
    }]));
  } finally {
    await person.layout?.(bench, "us");
  }
}

/** Types while a user holds a letter, then Shift. */
export function typeBesideHeldKeys(bench: Bench): Promise<Part[]> {
  const { hand, page, kind: { person } } = bench, keys = [["y", /^y+/], ["shift", /^$/]] as const;
  return triedInTurn(keys.map(([key, own]) => [`${key} is held`, async () => {
    await clear(bench);
    await person.press(bench, key, true);
    try {
      if (key === "y" && !await waitFor(() => page.value?.startsWith("y"), Boolean, 5)) {
        throw new Error("the person's key did not arrive");
      }
      await hand.type(HELD);
      await mustHave(bench, HELD, (value) => value.replace(own, ""));
    } finally {
      await person.press(bench, key, false);
    }
  }]));
}

/** Types while a keyboard aid is on. */
export function typeWithAids(bench: Bench): Promise<Part[]> {
  const { hand, kind: { person } } = bench;
  return triedInTurn(AIDS.map((aid) => [`${aid} keys`, async () => {
    if (!person.aid) throw new Error("this compositor has no slow, bounce and sticky keys");
    await clear(bench);
    await person.aid(bench, aid);
    await delay(SETTINGS_MS);
    try {
      await hand.type(AIDED);
      await mustHave(bench, AIDED);
    } finally {
      await person.aid(bench, undefined);
    }
  }]));
}

/** Takes a screenshot of a window on another workspace, and brings the window back. */
export async function changeWorkspace(bench: Bench): Promise<Part[]> {
  const { hand, page, kind: { person } } = bench, colour = "#c02040", title = "Witness page";
  const left = await tried("leave", async () => {
    await page.show(colour);
    await person.leave(bench);
    await hand.settled();
  });
  if (left.outcome !== "delivered") return [left];
  const isColour = (pixel: number) => pixel === parseInt(colour.slice(1), 16);
  return [
    await tried("picture", async () => {
      const { windows: [window] } = await hand.get(`/api/windows?title=${encodeURIComponent(title)}`);
      if (!window) throw new Error("the desktop does not list the window");
      const { width, height, pixels } = readPng(
        await hand.bytes(`/api/screenshot?format=png&window=${window.id}`),
      );
      const middle = pixels[Math.floor(height / 2) * width + Math.floor(width * 0.9)];
      if (!isColour(middle)) throw new SilentError(`the picture has #${middle.toString(16)} there`);
    }),
    await tried("activate", async () => {
      await hand.post("/api/window/activate", { title });
      const pixel = () => hand.get(`/api/pixel?x=${PLACE.x}&y=${PLACE.y}`);
      const isShown = ({ hex }: { hex: string }) => isColour(parseInt(hex.replace("#", ""), 16));
      const seen = await waitFor(pixel, isShown, 3) ?? await pixel();
      if (!isShown(seen)) throw new SilentError(`the screen shows ${seen.hex} there`);
    }),
  ];
}
