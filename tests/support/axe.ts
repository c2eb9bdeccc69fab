/** Findings of axe-core, which looks for faults that keep people from using a page. */

import axe from "axe-core";
import type { Page } from "playwright-core";
import { waiting } from "./waits.ts";

/**
 * Has axe look at a page as it is shown now.
 * @returns Each finding as its rule and the selectors of its elements.
 */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = page.evaluate<string[]>(`axe.run().then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map(({ target }) => target.join(" ")).join(", ")))`);
  return await waiting(`axe on ${page.url()}`, found);
}
