/** The pointer: its moves, and the button and wheel events that a page receives. */

import type { Part } from "../cell.ts";
import type { Bench } from "../field.ts";
import { SilentError, tried, triedInTurn } from "../faults.ts";
import type { Answer } from "../hand.ts";
import { waitFor } from "../waiting.ts";
import type { PageEvent } from "../witness_page.ts";

/** A position on the page's pad, which fills the screen, and the distance from there to another position. */
export const PLACE = { x: 960, y: 400 } as const, WAY = { x: 120, y: 90 } as const;
const OTHER = { x: PLACE.x + WAY.x, y: PLACE.y + WAY.y };

/** A position on the screen, in pixels. */
interface Place {
  x: number;
  y: number;
}

/** The number of wheel notches, and the minimum distance that a page scrolls per notch, in pixels. */
const NOTCHES = 3, NOTCH = 40;

/** Moves to the corners and the center of each display. */
export async function movePointer(bench: Bench): Promise<Part[]> {
  const { displays }: Answer = await bench.hand.get("/api/screen");
  const places = displays.flatMap(({ name, x, y, width, height }: Answer) =>
    [[0.5, 0.5], [0, 0], [1, 0], [0, 1], [1, 1]].map(([h, v]) => {
      const place = { x: x + Math.round(h * (width - 1)), y: y + Math.round(v * (height - 1)) };
      return [`${name} ${place.x},${place.y}`, () => reach(bench, place)];
    })
  );
  return await triedInTurn(places);
}

/**
 * Moves the pointer to a position; once more if the desktop moves it away: KWin pushes it off a corner a
 * moment later, and Muffin moves it when the screen has changed.
 * @throws SilentError if the pointer does not finally reach it; another error if no program's pointer stays
 * there.
 */
export async function reach({ session, kind, hand }: Bench, place: Place): Promise<void> {
  const ask = (): Promise<Place> => kind.pointer ? kind.pointer(session) : hand.get("/api/position");
  const isThere = (at: Place | undefined) => at?.x === place.x && at.y === place.y;
  const after = async (move: (place: Place) => unknown) => {
    await move(place);
    return await waitFor(ask, isThere, 2);
  };
  const byHand = () => after((place) => hand.post("/api/move", place));
  if (isThere(await byHand())) return;
  const at = await byHand();
  if (isThere(at)) return;
  const others = kind.move && await after((place) => kind.move!(session, place));
  if (others && at && others.x === at.x && others.y === at.y) {
    throw new Error(`the desktop moves every program's pointer from there to ${at.x},${at.y}`);
  }
  throw new SilentError(`it is at ${at?.x},${at?.y}`);
}

/** Clicks with each button, and double-clicks. */
export function click(bench: Bench): Promise<Part[]> {
  const cases = [
    { what: "left", body: { button: "left" }, type: "click", button: 0 },
    { what: "middle", body: { button: "middle" }, type: "auxclick", button: 1 },
    { what: "right", body: { button: "right" }, type: "contextmenu", button: 2 },
    { what: "double", body: { button: "left", count: 2 }, type: "dblclick", button: 0 },
  ];
  return triedInTurn(cases.map(({ what, body, type, button }) => [what, async () => {
    const clicked = (place: Place) =>
      reported(bench, type, () => bench.hand.post("/api/click", { ...place, ...body }), button);
    mustBeApart(await clicked(PLACE), await clicked(OTHER));
  }]));
}

/** Turns the wheel down and up. */
export function turnWheel(bench: Bench): Promise<Part[]> {
  const { hand, page } = bench, directions = [["down", 1], ["up", -1]] as const;
  const scrolled = () => page.events.reduce((sum, { deltaY }) => sum + deltaY, 0);
  return triedInTurn(directions.map(([direction, sign]) => [direction, async () => {
    const scroll = { direction, amount: NOTCHES, ...PLACE };
    await reported(bench, "wheel", () => hand.post("/api/scroll", scroll));
    // Each notch may be a separate event; none may be left for the next turn.
    const deltaY = await waitFor(scrolled, (all) => sign * all >= NOTCHES * NOTCH, 5) ?? 0;
    if (Math.sign(deltaY) !== sign) throw new SilentError(`the page scrolls by ${deltaY}`);
  }]));
}

/** Drags from one position to another. */
export async function drag(bench: Bench): Promise<Part[]> {
  return [
    await tried("left button", async () => {
      const up = await reported(
        bench,
        "mouseup",
        () => bench.hand.post("/api/drag", { from: PLACE, to: OTHER }),
      );
      const down = bench.page.events.find(({ type }) => type === "mousedown");
      if (!down) throw new SilentError("the page got no press");
      mustBeApart(down, up);
    }),
  ];
}

/** Runs an action and waits for the page's event. @throws SilentError if the page receives none. */
export async function reported(
  { page }: Bench,
  type: string,
  act: () => Promise<unknown>,
  button?: number,
): Promise<PageEvent> {
  page.events = [];
  await act();
  const find = () =>
    page.events.find((event) => event.type === type && event.button === (button ?? event.button));
  const event = await waitFor(find, Boolean, 5);
  if (event) return event;
  const got = page.events.map((event) => event.type).join(" ");
  throw new SilentError(`the page gets no ${type}, but ${got || "nothing"}`);
}

function mustBeApart(from: PageEvent, to: PageEvent): void {
  const x = to.x - from.x, y = to.y - from.y;
  // A scaled page reports positions in whole pixels of its own.
  if (Math.abs(x - WAY.x) > 1 || Math.abs(y - WAY.y) > 1) {
    throw new SilentError(`places ${WAY.x},${WAY.y} apart are ${x},${y} apart`);
  }
}
