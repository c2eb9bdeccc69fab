/** The log of agents' tools: texts as their length, and no secrets. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { controlApi } from "../../support/control.ts";
import { call } from "../../support/mcp.ts";

Deno.test("the log has a line for each call, with texts as their length", async () => {
  const lines: string[] = [];
  const api = controlApi({ agents: { log: (line) => lines.push(line) } });
  await call(api, "type", { text: "sécret" });
  await call(api, "type", { text: "password", sensitive: true });
  await call(api, "do", { actions: [{ tool: "type", text: "inner" }], look: false });
  await call(api, "click", { x: 9999, y: 1 });
  const logged = lines.map((line) => JSON.parse(line));
  assertEquals(logged.map(({ tool, arguments: given, outcome }) => [tool, given, outcome]), [
    ["type", { text: { characters: 6 } }, "ok"],
    ["type", { text: "secret", sensitive: true }, "ok"],
    ["do", { actions: [{ tool: "type", text: { characters: 5 } }], look: false }, "ok"],
    ["click", { x: 9999, y: 1 }, "x must be from 0 to 1279 (the picture is 1280x720), not 9999"],
  ]);
  assertMatch(logged[0].time, /^\d{4}-\d\d-\d\dT/);
  assert(!/secret"?s|sécret|password|inner/.test(lines.join().replaceAll('"secret"', "")), lines.join("\n"));
});

Deno.test("the log has what no tool takes as its length, and no value of it in the outcome", async () => {
  const cases: [tool: string, given: Record<string, unknown>, logged: unknown, outcome: RegExp][] = [
    [
      "type",
      { txt: "my password" },
      { txt: { characters: 11 } },
      /^Missing text: txt is unknown, did you mean text\?$/,
    ],
    ["type", { text: "a", txt: "my password", sensitive: true }, {
      text: "secret",
      txt: "secret",
      sensitive: true,
    }, /txt/],
    ["type", { text: 73519 }, { text: { characters: 5 } }, /not what was given$/],
    ["move", { x: "my password", y: 1 }, { x: { characters: 11 }, y: 1 }, /not what was given$/],
    [
      "click",
      { x: 1, y: 1, button: "my password" },
      { x: 1, y: 1, button: { characters: 11 } },
      /not what/,
    ],
    [
      "click",
      { x: 1, y: 1, hold: ["my password"] },
      { x: 1, y: 1, hold: { characters: 15 } },
      /not what/,
    ],
    ["drag", { path: [{ x: 1, y: 2, z: "my password" }, { x: 5, y: 6 }] }, {
      path: [{ x: 1, y: 2, z: { characters: 11 } }, { x: 5, y: 6 }],
    }, /^path\[0\]\.z is unknown; path\[0\] takes x, y$/],
    ["do", { actions: [{ tool: "type", txt: { b: "my password" } }], look: false }, {
      actions: [{ tool: "type", txt: { characters: 19 } }],
      look: false,
    }, /Missing text/],
    ["do", { actions: [{ tool: "my password", text: "my password" }] }, {
      actions: [{ tool: { characters: 11 }, text: { characters: 11 } }],
    }, /no tool "…"/],
    ["do", { actions: [{ text: "my password" }, 5] }, {
      actions: [{ text: { characters: 11 } }, { characters: 1 }],
    }, /not what/],
    ["do", { action: "my password" }, { action: { characters: 11 } }, /action/],
  ];
  for (const [tool, given, logged, outcome] of cases) {
    const lines: string[] = [];
    await call(controlApi({ agents: { log: (line) => lines.push(line) } }), tool, given);
    const { arguments: known, outcome: said } = JSON.parse(lines[0]);
    assertEquals(known, logged, JSON.stringify(given));
    assertMatch(said, outcome);
    assert(!/password|73519/.test(lines.join()), lines.join());
  }
});
