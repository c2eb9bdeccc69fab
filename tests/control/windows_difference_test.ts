/** The difference between two lists of windows: a table. */

import { assertEquals } from "@std/assert";
import type { WindowInfo } from "../../control/desktop/desktop.ts";
import { differenceOf, isOther } from "../../control/windows/difference.ts";

/** Windows as `id:pid`; a star marks the active one, and one without a program has no pid. */
function windows(...texts: string[]): WindowInfo[] {
  return texts.map((text) => {
    const [id, pid] = text.replace("*", "").split(":");
    const place = { x: 0, y: 0, width: 10, height: 10 }, active = text.endsWith("*");
    return {
      id,
      title: "",
      class: "",
      ...(pid ? { pid: Number(pid) } : {}),
      ...place,
      state: "normal",
      active,
    };
  });
}

/**
 * A case: the windows before and after, the ids of opened and of closed windows, and the id of the window that is
 * active now.
 */
const CASES: [
  name: string,
  before: string[],
  after: string[],
  opened: string,
  closed: string,
  active?: string,
][] = [
  ["the same windows", ["a:1*", "b:2"], ["b:2", "a:1*"], "", ""],
  ["a window more", ["a:1*"], ["b:2", "a:1*"], "b", ""],
  ["a window less", ["a:1*", "b:2"], ["a:1*"], "", "b"],
  ["another active one", ["a:1*", "b:2"], ["a:1", "b:2*"], "", "", "b"],
  ["none active any more", ["a:1*"], ["a:1"], "", "", "none"],
  ["another program's window with the id of one that is gone", ["a:1"], ["a:2"], "a", "a"],
  ["the same when it is active", ["a:1*"], ["a:2*"], "a", "a", "a"],
  ["a window that tells its program late", ["a*"], ["a:1*"], "", ""],
];

for (const [name, before, after, opened, closed, active] of CASES) {
  Deno.test(`the difference between windows: ${name}`, () => {
    const lists = [windows(...before), windows(...after)] as const, difference = differenceOf(...lists);
    const ids = (list: WindowInfo[]) => list.map(({ id }) => id).join();
    assertEquals([ids(difference.opened), ids(difference.closed)], [opened, closed]);
    assertEquals(difference.active === null ? "none" : difference.active?.id, active);
    assertEquals(isOther(...lists), opened + closed !== "" || active !== undefined);
  });
}
