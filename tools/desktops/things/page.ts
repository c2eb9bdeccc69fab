/** Keys, the clipboard, pictures and replays, with a Chromium page as the witness. */

import type { Part } from "../cell.ts";
import type { Bench } from "../field.ts";
import { SilentError, tried, triedInTurn } from "../faults.ts";
import { difference } from "../texts.ts";
import { waitFor } from "../waiting.ts";
import { PLACE, reported, WAY } from "./pointer.ts";

const TEXT = "clip: héllo €5 漢字 😀";

/** Key combinations that a page receives before the browser acts on them. */
export function pressKeys(bench: Bench): Promise<Part[]> {
  const combinations = [["ctrl+shift+y", "ctrl+shift+KeyY"], ["alt+q", "alt+KeyQ"], ["f8", "F8"]];
  return triedInTurn(combinations.map(([keys, key]) => [keys, async () => {
    const event = await reported(bench, "keydown", () => bench.hand.key(keys));
    if (event.key !== key) throw new SilentError(`the page gets ${event.key}`);
  }]));
}

/** Text to the desktop and back; a picture. */
export async function useClipboard({ hand, page }: Bench): Promise<Part[]> {
  const paste = await tried("text, pasted into Chromium", async () => {
    await hand.put("/api/clipboard", { text: TEXT });
    await hand.key("ctrl+a");
    await hand.key("ctrl+v");
    const fault = difference(TEXT, await waitFor(() => page.value, (value) => value === TEXT, 5));
    if (fault) throw new SilentError(fault);
  });
  const copy = await tried("text, copied in Chromium", async () => {
    await hand.key("ctrl+a");
    await hand.type("other");
    await waitFor(() => page.value, (value) => value === "other", 5);
    await hand.key("ctrl+a");
    await hand.key("ctrl+c");
    const fits = ({ text }: { text: string }) => text === "other";
    const content = await waitFor(() => hand.get("/api/clipboard"), fits, 5) ??
      await hand.get("/api/clipboard");
    const fault = difference("other", content.text);
    if (fault) throw new SilentError(fault);
  });
  const picture = await tried("picture, there and back", async () => {
    const region = `&x=${PLACE.x}&y=${PLACE.y}&width=20&height=10`;
    const png = await hand.bytes(`/api/screenshot?format=png${region}`);
    await hand.put("/api/clipboard", png);
    const back = await hand.bytes("/api/clipboard?format=png");
    if (back.toBase64() !== png.toBase64()) throw new SilentError("other bytes come back");
  });
  return [paste, copy, picture];
}

/** Colours shown by the page, as pixels. */
export function takePictures({ hand, page }: Bench): Promise<Part[]> {
  return triedInTurn(["#c02040", "#20a060"].map((colour) => [colour, async () => {
    await page.show(colour);
    const pixel = () => hand.get(`/api/pixel?x=${PLACE.x}&y=${PLACE.y}`);
    const seen = await waitFor(pixel, ({ hex }) => same(hex, colour), 3) ?? await pixel();
    if (!same(seen.hex, colour)) throw new SilentError(`the pixel is ${seen.hex}`);
  }]));
}

const same = (hex: string, colour: string) => hex.replace("#", "").toLowerCase() === colour.slice(1);

/** The page's pattern, cut out of a screenshot. */
export async function findPicture({ hand }: Bench): Promise<Part[]> {
  return [
    await tried("a cut of the screen", async () => {
      const { displays: [{ width, height }] } = await hand.get("/api/screen"); // the page fills the first one
      // No two parts of the pattern are equal, and it extends below this point whatever the height of the
      // browser's bars.
      const at = { x: Math.round(width / 2) + 40, y: Math.round(height / 3) };
      const region = `x=${at.x}&y=${at.y}&width=48&height=48`;
      const cut = await hand.bytes(`/api/screenshot?format=png&${region}`);
      const { matches } = await hand.postBytes("/api/find?limit=5", cut);
      const isThere = matches.some((match: { x: number; y: number }) => match.x === at.x && match.y === at.y);
      if (!isThere) throw new SilentError(`it is found at ${JSON.stringify(matches)}`);
    }),
  ];
}

/** Records actions, and replays them. */
export async function recordAndReplay(bench: Bench): Promise<Part[]> {
  const { hand, page } = bench;
  return [
    await tried("click and keys", async () => {
      await hand.key("ctrl+a");
      await hand.key("delete");
      await hand.post("/api/recording/start");
      await hand.post("/api/click", { x: PLACE.x + WAY.x, y: PLACE.y, button: "left" });
      await hand.type("again");
      await waitFor(() => page.value, (value) => value === "again", 5);
      await hand.post("/api/recording/stop");
      await hand.key("ctrl+a");
      await hand.key("delete");
      await waitFor(() => page.value, (value) => value === "", 5);
      await reported(bench, "click", () => hand.post("/api/recording/play"));
      const fault = difference("again", await waitFor(() => page.value, (value) => value === "again", 10));
      if (fault) throw new SilentError(fault);
    }),
  ];
}
