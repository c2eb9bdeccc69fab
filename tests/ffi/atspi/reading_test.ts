/** The calls of one reading of a window, and the window that it reads. */

import { assertEquals } from "@std/assert";
import { withoutLayout } from "../../../control/desktop/elements.ts";
import { made, MadeUpPrograms, windowOf } from "../../support/made_up_programs.ts";
import { SESSION_BUS } from "../../support/session_bus.ts";

/** Numbers of AtspiRole. */
const ROLES = { panel: 39, textbox: 79, static: 116 };

for (const cache of [undefined, "new"] as const) {
  Deno.test(`of elements that are not listed no place is asked, cache: ${cache}`, SESSION_BUS, async () => {
    await using programs = await MadeUpPrograms.start(made("Page", {
      "/panel": { role: ROLES.panel, children: ["/inner"] },
      "/inner": { role: ROLES.panel, children: ["/button", "/named", "/field"] },
      "/button": { name: "Save", children: [] },
      "/named": { name: "Group", role: ROLES.panel, children: ["/repeated"] },
      "/repeated": { name: "Group", role: ROLES.static },
      "/field": { name: "Name", role: ROLES.textbox, text: 3, children: ["/same", "/other"] },
      "/same": { name: "xxx", role: ROLES.static },
      "/other": { name: "x", role: ROLES.static },
    }, { cache }));
    const { elements } = programs.reader.read(windowOf("Page"), false);
    const isPlaced = ({ name, role, place }: typeof elements[number]) => [name, role, place !== undefined];
    assertEquals(elements.map(isPlaced), [
      ["Page", "frame", true],
      ["", "panel", true], // it may fill the window
      ["", "panel", false],
      ["Save", "button", true],
      ["Group", "panel", true],
      ["Group", "static", false],
      ["Name", "textbox", true],
      ["xxx", "static", false], // the text of the field
      ["x", "static", true],
    ]);
    assertEquals(withoutLayout(elements).filter(({ place }) => !place), []);
    // The second reading asks for the places beside the cache.
    assertEquals(programs.reader.read(windowOf("Page"), false).elements, elements);
    const all = programs.reader.read(windowOf("Page"), true).elements;
    assertEquals(all, elements, "a reading of hidden elements, too");
  });
}

Deno.test("a window whose number another one has now is read as that one", SESSION_BUS, async () => {
  const { objects } = made("One", { "/a": { name: "A" } });
  const two = { role: 23, name: "Two", children: ["/b"] };
  const root = { children: ["/window", "/two"] };
  await using programs = await MadeUpPrograms.start({
    objects: { ...objects, "/org/a11y/atspi/accessible/root": root, "/two": two, "/b": { name: "B" } },
  });
  const namesOf = (title: string) =>
    programs.reader.read({ ...windowOf(title), id: "1" }, false).elements.map(({ name }) => name);
  assertEquals(namesOf("One"), ["One", "A"]);
  assertEquals(namesOf("One"), ["One", "A"]);
  assertEquals(namesOf("Two"), ["Two", "B"]);
});
