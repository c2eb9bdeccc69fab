/**
 * Elements that are not listed: those that only lay others out, and texts that repeat the element around them. Backends
 * need not ask for their places.
 */

import type { ElementInfo } from "./elements.ts";

/** Roles that only lay other elements out, where they have neither a name nor a value. */
const LAYOUT = new Set(
  ("filler,panel,viewport,scroll pane,split pane,layered pane,root pane,section,redundant,unknown,glass pane,group," +
    "html container,internal frame,option pane,static,separator,scrollbar,invalid,embedded,window,img,icon,label")
    .split(","),
);
/** Roles of the texts in an element. */
const TEXTS = new Set(["label", "static"]);
/** Roles of elements that their texts name where their programs do not (Accessible Name and Description Computation, 2F). */
const NAMED_BY_TEXT = new Set("button,togglebutton,link,menuitem,tab,checkbox,radio,switch".split(","));

/** The part of an element that decides whether it is listed. */
export type Outline = Pick<ElementInfo, "depth" | "role" | "name" | "value">;

/**
 * Leaves out elements that only lay others out, and texts that repeat or name the element around them; their children move
 * up.
 */
export function withoutLayout(elements: readonly ElementInfo[]): ElementInfo[] {
  const kept: ElementInfo[] = [], around: { depth: number; kept?: ElementInfo }[] = [];
  for (const element of elements) {
    while (around.length && around.at(-1)!.depth >= element.depth) around.pop();
    const above = around.filter(({ kept }) => kept), parent = above.at(-1)?.kept;
    const isNamedBy = parent?.name === "" && NAMED_BY_TEXT.has(parent.role) && isText(element);
    if (isNamedBy) parent.name = element.name;
    const own = isLayout(element, parent) ? undefined : { ...element, depth: above.length };
    if (own) kept.push(own);
    around.push({ depth: element.depth, ...(own ? { kept: own } : {}) });
  }
  return kept;
}

/**
 * Tells whether an element is not listed.
 * @param parent The nearest listed element around it.
 */
export function isLayout({ depth, role, name, value }: Outline, parent?: Omit<Outline, "depth">): boolean {
  if (depth === 0 || value !== undefined) return false;
  return LAYOUT.has(role) &&
    (name === "" || name === parent?.name || isText({ role }) && name === parent?.value);
}

/** Tells whether an element is a text, and may repeat the value of the element around it. */
export function isText({ role }: Pick<Outline, "role">): boolean {
  return TEXTS.has(role);
}
