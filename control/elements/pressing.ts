/** A click that cannot hit a neighbour: if the element moves between press and release, the press is cancelled. */

import { delay } from "@std/async/delay";
import { ExpectedError, StateError } from "../../core/errors.ts";
import { checkArrival, checkPoint } from "../bounds.ts";
import { contains, type Point, type WindowInfo } from "../desktop.ts";
import { type Hands, keysHeld } from "../held.ts";
import type { Operator } from "../operator.ts";
import { describeElement, type ElementClick } from "./finding.ts";
import type { ElementPlace } from "./reaching.ts";
import { elementsOf } from "./reading.ts";

/** The time after which a program has handled a press, in milliseconds. */
const HANDLED_MS = 15;
/** The time that an element that takes a press back is left alone, in milliseconds. */
const TAKEN_BACK_MS = 20;

/**
 * Clicks an element if it is still at its listed place, which is checked before the press and before the release. If
 * the element has moved in between, the button is released beside the window, which cancels the press as a person
 * would.
 * @returns Whether the element was clicked.
 * @throws StateError if the element vanished between press and release.
 */
export async function clickIfThere(
  operator: Operator,
  { window, element, point }: ElementPlace,
  { button, count, hold = [], signal }: ElementClick,
): Promise<boolean> {
  const place = point!, screen = operator.screen();
  checkPoint(screen, place);
  const look = () => lookAt(operator, window, element.key, place);
  let seen = "there" as Sight;
  const clicks = async ({ desktop, whileDown }: Hands) => {
    for (let i = 0; i < count && seen === "there"; i++) {
      seen = await look();
      if (seen !== "there") return;
      await whileDown([["button", button]], async () => {
        seen = await look();
        // A program may report places before it handles an earlier press.
        if (seen === "there") await delay(HANDLED_MS);
        if (seen === "there") seen = await look();
        if (seen === "there") return;
        await desktop.pointer.move(besideOf(window, screen));
        await delay(TAKEN_BACK_MS);
      });
    }
  };
  await operator.gesture(async (hands) => {
    await hands.desktop.pointer.move(place);
    checkArrival(hands.desktop, place);
    await hands.whileDown(keysHeld(hold), () => clicks(hands));
  }, { signal });
  if (seen === "gone") throw new StateError(`${describeElement(element)} vanished while it was clicked`);
  return seen === "there";
}

/** An element at its place, elsewhere, or no more. */
type Sight = "there" | "away" | "gone";

async function lookAt(operator: Operator, window: WindowInfo, key: string, point: Point): Promise<Sight> {
  try {
    const element = await elementsOf(operator).reread(window, key);
    if (!element) return "gone";
    return element.place && contains(element.place, point) ? "there" : "away";
  } catch (error) {
    // A program that does not answer while a button is down does not move its elements either.
    if (error instanceof ExpectedError) return "there";
    throw error;
  }
}

/** A place of the desktop beside a window; the desktop's last corner if the window leaves none. */
function besideOf(
  window: WindowInfo,
  screen: { x: number; y: number; width: number; height: number },
): Point {
  const { x, y, width, height } = window;
  const candidates = [{ x: x - 1, y }, { x: x + width, y }, { x, y: y - 1 }, { x, y: y + height }];
  return candidates.find((point) => contains(screen, point)) ??
    { x: screen.x + screen.width - 1, y: screen.y + screen.height - 1 };
}
