/**
 * Combo boxes in parts: LibreOffice shows a text field and a button, while the combo box itself, which has
 * the name, has no place. The list that the button opens is in its own window.
 */

import { delay } from "@std/async/delay";
import { ExpectedError, on, StateError } from "../../core/errors.ts";
import { timeByLoad } from "../../core/proc.ts";
import { combination } from "../operator/gestures.ts";
import type { Operator } from "../operator/operator.ts";
import { clickElement } from "./click.ts";
import { effectMs, type ListedElement, readElements, readIn, rereadElement } from "./list.ts";
import { chosenIn, listedOptions, type Option, optionIn, optionsOf, parentsOf } from "./table.ts";
import { describeElement as describe, type ElementTarget, type Found, matchingElements } from "./query.ts";
import { setElement } from "./set.ts";

/** Maximum time for a list to open, longer on a busy machine, and the polling interval, in milliseconds. */
const OPENS_MS = 1500, LOOK_MS = 50;

/** States of the button of an open list. */
const OPEN = ["expanded", "pressed", "checked"] as const;

/** How the element was set, and its state afterwards. */
interface Brought {
  via: "click" | "action" | "keys" | "none";
  element: ListedElement;
}

/** The on-screen parts of a combo box. */
export interface Parts {
  /** The box's own name, or that of its panel. */
  name: string;
  /** The text field next to it. */
  field?: ListedElement;
  /** The button that opens its list. */
  opener?: ListedElement;
  /** Whether it is in a toolbar, where a text takes effect only after Enter. */
  isInToolbar: boolean;
}

/**
 * The parts of a combo box that has no place itself. Pure.
 * @param elements The elements of a window, in tree order.
 * @returns undefined if the element is not such a box.
 * @example
 * const place = { x: 0, y: 0, width: 9, height: 9 }, panel = { ref: "e1", role: "panel", name: "Font Name", depth: 1, states: [] };
 * const field = { ref: "e2", role: "textbox", name: "", depth: 2, states: [], place };
 * const box = { ref: "e3", role: "combobox", name: "", depth: 2, states: ["hidden"] };
 * partsOf([panel, field, box], "e3")?.name; // "Font Name"
 */
export function partsOf(elements: readonly ListedElement[], ref: string): Parts | undefined {
  const at = elements.findIndex((element) => element.ref === ref), box = elements[at];
  if (box?.role !== "combobox" || isShown(box)) return undefined;
  const parents = parentsOf(elements), end = parents[at];
  const isSibling = ({ depth }: ListedElement) => depth === box.depth;
  const before = elements.slice(end + 1, at).findLast(isSibling);
  const behind = elements.slice(at + 1).find(({ depth }) => depth <= box.depth);
  const field = before?.role === "textbox" && isShown(before) ? before : undefined;
  const opener = behind?.role === "togglebutton" && isSibling(behind) && isShown(behind) ? behind : undefined;
  if (!field && !opener) return undefined;
  const isInToolbar = (at: number): boolean =>
    at >= 0 && (elements[at].role === "toolbar" || isInToolbar(parents[at]));
  return { name: box.name || elements[end]?.name || "", field, opener, isInToolbar: isInToolbar(end) };
}

function isShown({ place, states }: ListedElement): boolean {
  return place !== undefined && !states.includes("hidden");
}

/**
 * The only combo box in parts that a query means, among those whose parts are shown; undefined if there is
 * not exactly one.
 */
export async function findParted(
  operator: Operator,
  { element, window, role, name, exact, nth }: ElementTarget,
  signal: AbortSignal,
): Promise<Found | undefined> {
  if (element !== undefined || name === undefined || (role ?? "combobox").toLowerCase() !== "combobox") {
    return undefined;
  }
  const read = await readElements(operator, window, true, signal); // names of hidden elements are not read otherwise
  const boxes = read.elements.filter(({ role }) => role === "combobox").flatMap((box) => {
    const parts = partsOf(read.elements, box.ref);
    return parts ? [{ ...box, name: parts.name }] : [];
  });
  const found = matchingElements(boxes, { name, exact });
  const whole = matchingElements(boxes, { name, exact: true }), fitting = whole.length ? whole : found;
  const box = nth === undefined ? fitting.length === 1 ? fitting[0] : undefined : fitting[nth - 1];
  return box && { window: read.window, element: box };
}

/**
 * Sets a combo box in parts to a text or an option.
 * @throws StateError listing the options if the option does not exist, or if another one is selected
 * afterwards.
 */
export async function fillParted(
  operator: Operator,
  found: Found,
  parts: Parts,
  to: string,
  signal: AbortSignal,
): Promise<Brought> {
  if (!parts.field) return await chooseFrom(operator, found, parts.opener!, to, signal);
  const target = { element: parts.field.ref, window: {} };
  const { via } = await setElement(operator, target, parts.isInToolbar ? `${to}\n` : to, signal);
  let shows = "";
  // The field of a toolbar shows the old value until the document has taken the new one.
  for (
    const end = performance.now() + effectMs();
    performance.now() < end;
    await delay(LOOK_MS, { signal })
  ) {
    const { element } = await rereadElement(operator, parts.field.ref, signal);
    shows = element.value ?? "";
    if (shows.toLowerCase().startsWith(to.toLowerCase())) return { via, element }; // `12` is shown as `12 pt`
  }
  throw new StateError(
    `${describe(found.element)} shows ${JSON.stringify(shows)}, not ${JSON.stringify(to)}`,
  );
}

/**
 * Opens the list, clicks the option, and opens the list again to read the selection, which nothing else
 * reports.
 */
async function chooseFrom(
  operator: Operator,
  { window, element }: Found,
  opener: ListedElement,
  to: string,
  signal: AbortSignal,
): Promise<Brought> {
  const click = async (ref: string) =>
    await clickElement(operator, { element: ref, window: {} }, { button: "left", count: 1, signal });
  const close = () => combination(operator, ["escape"], {}, { signal });
  const opened = async () => {
    const before = new Set((await readIn(operator, window, false, signal)).elements.map(({ ref }) => ref));
    await click(opener.ref);
    return await listed(operator, window, before, signal);
  };
  const options = await opened(), option = optionIn(options, to);
  if (!options.length) {
    const { element: now } = await rereadElement(operator, opener.ref, signal);
    if (OPEN.some((state) => now.states.includes(state))) await close(); // otherwise Escape would close the dialog
    throw new StateError(`${describe(element)} did not show its options in time`);
  }
  if (!option || option.isSelected) await close();
  if (option?.isSelected) return { via: "none", element };
  if (!option) {
    throw new StateError(
      `${describe(element)} has no option ${JSON.stringify(to)}; it has ${listedOptions(options)}`,
    );
  }
  const { via } = await click(option.ref);
  const chosen = chosenIn(await opened());
  await close();
  if (chosen === option.label) return { via, element };
  throw new StateError(
    `${describe(element)} shows ${chosen === undefined ? "no choice" : JSON.stringify(chosen)} after ${
      JSON.stringify(option.label)
    } was chosen`,
  );
}

/**
 * The options that a window has gained, once there are some and one is selected; none if this takes too long.
 */
async function listed(
  operator: Operator,
  window: Found["window"],
  before: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Option[]> {
  let options: Option[] = [];
  for (const end = performance.now() + timeByLoad(OPENS_MS); performance.now() < end;) {
    const { elements } = await readIn(operator, window, false, signal).catch(
      on(ExpectedError, { elements: [] }),
    );
    const root = elements.find(({ ref }) => !before.has(ref));
    options = root ? optionsOf(elements, root.ref) : [];
    if (chosenIn(options) !== undefined) return options;
    await delay(LOOK_MS, { signal });
  }
  return options;
}
