/**
 * Lists of elements since an earlier list: new, changed and removed elements, and the cases in which all are listed
 * again.
 */

import { assertEquals, assertMatch } from "@std/assert";
import { controlApi } from "../../support/control.ts";
import { ElementsDesktop } from "../../support/elements.ts";

const place = { x: 10, y: 20, width: 30, height: 10 };

function form() {
  const desktop = new ElementsDesktop([
    { key: "w", role: "dialog", name: "Ask", depth: 0 },
    { key: "s", name: "Save", place },
    { key: "n", role: "textbox", name: "Name", value: "Ada", place },
    { key: "c", name: "Close", place },
  ]);
  let reads = 0;
  const { elements } = desktop, read = elements.read.bind(elements);
  elements.read = (window, hidden) => (reads++, read(window, hidden));
  const { request } = controlApi({ desktop });
  const list = async (query = "") => await (await request("GET", `/api/elements?${query}`)).json();
  return { desktop, request, list, reads: () => reads };
}

Deno.test("since a serial only what is new, other or gone is listed", async () => {
  const { desktop, request, list } = form();
  const first = await list();
  assertEquals([first.elements.length, first.since, first.removed], [4, undefined, undefined]);
  desktop.made = [
    ...desktop.made.slice(0, 2),
    { key: "n", role: "textbox", name: "Name", value: "Zoë", place },
    { key: "x", name: "New", place },
  ];
  const second = await list(`since=${first.serial}`);
  assertEquals(second.since, first.serial);
  assertEquals(second.elements.map(({ name }: { name: string }) => name), ["Name", "New"]);
  assertEquals(second.removed, ["e4"]);
  const buttons = await list(`since=${first.serial}&role=button`);
  assertEquals(buttons.elements.map(({ name }: { name: string }) => name), ["New"]);
  const text = await (await request("GET", `/api/elements?format=text&since=${first.serial}`)).text();
  assertMatch(text, /^# "Notes", 2 changed since \d+, places: screen, serial \d+\n.*\n.*\ngone: e4\n$/);
  const third = await list(`since=${second.serial}`);
  assertEquals([third.serial, third.elements, third.removed], [second.serial, [], []]);
});

Deno.test("a serial that is not remembered lists all", async () => {
  const { list } = form();
  const { serial } = await list(), far = await list(`since=${serial + 999}`);
  assertEquals([far.since, far.elements.length, far.serial], [undefined, 4, serial]);
  const other = await list(`since=${serial}&visible=false`);
  assertEquals([other.since, other.elements.length], [undefined, 4]);
});

Deno.test("what did not change is not read again, where the desktop can tell", async () => {
  const { desktop, list, reads } = form();
  let isSame = false;
  desktop.elements.isSame = () => Promise.resolve(isSame);
  const { serial } = await list();
  await list(`since=${serial}`);
  assertEquals(reads(), 2);
  isSame = true;
  const { elements, removed } = await list(`since=${serial}`);
  assertEquals([reads(), elements, removed], [2, [], []]);
  await list();
  assertEquals(reads(), 3); // without since all is read
});
