/** Chooses the elements of a window that are useful to a reader of text; all others only cost tokens. */

import type { ShownElement, ShownElements } from "./shown.ts";

/** Roles of elements that, without a name and a value, are only containers. */
const HOLDERS = new Set(
  ("menubar,toolbar,titlebar,statusbar,info bar,tablist,tab,frame,list,listitem,tree,treeitem,table,treegrid,row," +
    "cell,columnheader,rowheader,tearoff menu item").split(","),
);
/** Roles of texts and pictures, which stand for no element around them. */
const TEXTS = new Set("label,static,img,icon".split(","));

/** Elements that lines of text show. */
export interface Compact {
  kept: ShownElement[];
  /** The number of elements that are left out for want of a place. */
  unplaced: number;
}

/**
 * Chooses the elements that lines of text show; children of omitted elements move up. Omitted are elements without a
 * place in a window that has places, such as items of closed menus; the window's own element if it repeats the title;
 * nameless elements that are only containers, or have the same place as their child.
 */
export function compact({ window, elements }: ShownElements): Compact {
  const hasPlaces = elements.some(({ x }) => x !== undefined);
  let unplaced = 0;
  const kept: ShownElement[] = [], around: { depth: number; isKept: boolean }[] = [];
  elements.forEach((element, i) => {
    const { depth, name, role } = element;
    while (around.length && around.at(-1)!.depth >= depth) around.pop();
    const isPlaced = !hasPlaces || element.x !== undefined;
    const isUseful = !(depth === 0 && name === window.title) && !isHolder(element) &&
      !isStoodFor(element, elements[i + 1]);
    const isKept = isPlaced && isUseful;
    if (!isPlaced && isUseful) unplaced++;
    const states = role === "label" ? element.states.filter((state) => state !== "readonly") : element.states;
    if (isKept) kept.push({ ...element, states, depth: around.filter(({ isKept }) => isKept).length });
    around.push({ depth, isKept });
  });
  return { kept, unplaced };
}

function isHolder({ role, name, value, states }: ShownElement): boolean {
  return HOLDERS.has(role) && name === "" && value === undefined &&
    states.every((state) => state === "disabled");
}

/** Tells whether the next element is in a nameless one and at its place, and has its role or a name. */
function isStoodFor(element: ShownElement, next: ShownElement | undefined): boolean {
  if (!next || next.depth <= element.depth || element.name !== "" || element.value !== undefined) {
    return false;
  }
  if (element.states.length || TEXTS.has(next.role) || middle(next) !== middle(element)) return false;
  return next.role === element.role || next.name !== "";
}

function middle({ x = NaN, y = NaN, width = 0, height = 0 }: ShownElement): string {
  return `${x + (width >> 1)},${y + (height >> 1)}`;
}
