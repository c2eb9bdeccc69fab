/** Choosing from a window's menus, one name after the other. */

import { delay } from "@std/async/delay";
import { NotFoundError } from "../../../core/errors.ts";
import { type ListedElement, readElements } from "../../elements/list.ts";
import { chosenElement, matchingElements } from "../../elements/query.ts";
import type { ToolContext } from "../tool.ts";
import { click } from "../tools/pointer.ts";
import type { Play } from "./runner.ts";
import { COMES_MS } from "./target.ts";

/** Roles of menus and of what they offer. */
const ROLES = /^(menu|menuitem|menuitemcheckbox|menuitemradio|menubutton|tearoff menu item)$/;
/** Time between two readings, in milliseconds. */
const INTERVAL_MS = 100;
/** Names that a message lists. */
const MOST_LISTED = 20;

/** Opens each menu, and clicks the last entry. */
export async function* chooseMenu(names: readonly string[], context: ToolContext): Play {
  for (const name of names) {
    const { ref } = await menuItem(name, context);
    yield { tool: click, values: { element: ref } };
  }
  return undefined;
}

/** Finds an entry of a menu that is open, or of the menu bar. */
async function menuItem(name: string, { operator, signal }: ToolContext): Promise<ListedElement> {
  for (const start = performance.now();;) {
    const { elements, window } = await readElements(operator, {});
    const shown = elements.filter(({ role, place, states }) =>
      ROLES.test(role) && place !== undefined && !states.includes("hidden")
    );
    const item = chosenElement(shown, { name }) ??
      matchingElements(shown, { name, exact: true }).at(-1); // an open submenu stands behind its menu
    if (item) return item;
    if (performance.now() - start > COMES_MS.later) {
      const others = shown.map(({ name }) => name).filter((name) => name).slice(0, MOST_LISTED);
      throw new NotFoundError(
        `no menu in ${JSON.stringify(window.title)} shows ${JSON.stringify(name)}; available: ${
          others.map((name) => JSON.stringify(name)).join(", ") || "no entries"
        }`,
      );
    }
    await delay(INTERVAL_MS, { signal });
  }
}
