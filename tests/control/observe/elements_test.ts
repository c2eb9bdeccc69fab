/** Changes of elements in the answers of actions, and the calls that take `observe`, on a virtual desktop with elements. */

import { assertEquals, assertMatch } from "@std/assert";
import { controlApi } from "../../support/control.ts";
import { ElementsDesktop } from "../../support/elements.ts";

const names = (elements: { name: string }[]) => elements.map(({ name }) => name);

Deno.test("what became of elements is told where that is asked for", async () => {
  const desktop = new ElementsDesktop([
    { key: "a", role: "textbox", name: "Name", value: "", states: ["focused"] },
    { key: "b", name: "Next", states: ["disabled"] },
    { key: "c", name: "Help" },
    { key: "d", name: "Still there", place: { x: 1, y: 1, width: 5, height: 5 } },
  ]);
  const { request } = controlApi({ desktop });
  desktop.onChange = (_, change) => {
    if (change.type !== "set") return false;
    desktop.made = [
      { key: "a", role: "textbox", name: "Name", value: change.text },
      { key: "b", name: "Next", states: ["focused"] },
      { key: "d", name: "Still there", place: { x: 9, y: 9, width: 5, height: 5 } },
      { key: "e", name: "Undo" },
    ];
    return true;
  };
  const body = { role: "textbox", name: "Name", text: "Ann", observe: "elements" };
  const { ok, seen } = await (await request("POST", "/api/element/set", body)).json();
  assertEquals([ok, seen.verdict], [true, "hit"], JSON.stringify(seen));
  const { added, changed, removed } = seen.elements;
  assertEquals([added, changed, removed].map(names), [["Undo"], ["Name", "Next"], ["Help"]]);
  assertEquals([changed[0].value, seen.focus.name], ["Ann", "Next"]);
  assertMatch(added[0].ref, /^e\d+$/);

  const alone = await (await request("POST", "/api/key", { keys: "a", observe: true })).json();
  assertEquals([alone.seen.elements, alone.seen.focus], [undefined, undefined]);

  desktop.silent = "its program has none";
  const { seen: silent } = await (await request("POST", "/api/key", { keys: "a", observe: "elements" }))
    .json();
  assertMatch(silent.elements.silent, /shows no elements: its program has none$/);
});

Deno.test("every call that acts takes observe, in the query where the body is its own", async () => {
  const { request } = controlApi();
  const calls: [method: string, path: string, body?: unknown][] = [
    ["PUT", "/api/clipboard?observe=true", { text: "a" }],
    ["DELETE", "/api/recording?observe=true"],
    ["POST", "/api/recording/start", { observe: true }],
    ["POST", "/api/window/activate", { title: "Notes", observe: true }],
  ];
  for (const [method, path, body] of calls) {
    const answer = await (await request(method, path, body)).json();
    assertMatch(String(answer.seen?.verdict), /^(hit|miss|unsure)$/, `${path}: ${JSON.stringify(answer)}`);
  }
  const wrong: [method: string, path: string, body: unknown, message: string][] = [
    [
      "POST",
      "/api/key",
      { keys: "a", observe: "all" },
      'observe must be true, false or "elements", not "all"',
    ],
    [
      "PUT",
      "/api/clipboard?observe=1",
      { text: "a" },
      'observe must be true, false or "elements", not "1"',
    ],
  ];
  for (const [method, path, body, message] of wrong) {
    const answer = await request(method, path, body);
    assertEquals([answer.status, (await answer.json()).error], [400, message]);
  }
});
