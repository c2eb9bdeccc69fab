/** Several actions in one request, and `tool_use` blocks with their results. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { NOT_EXECUTED } from "../../../control/agents/dialects/anthropic.ts";
import { pictureSize } from "../../../control/image/read_picture.ts";
import { controlApi } from "../../support/control.ts";
import { withoutRepeats } from "../../support/agent_tools.ts";
import { short } from "../../support/shell.ts";

/** A toolset block. */
function block(name: string, input: Record<string, unknown> = {}, id = `toolu_${name}`) {
  return { type: "tool_use", id, name, toolset_name: "computer", input };
}

async function act(api: ReturnType<typeof controlApi>, dialect: string, body: Record<string, unknown>) {
  const answer = await api.request("POST", "/api/act", { dialect, ...body });
  return { status: answer.status, ...await answer.json() };
}

/** Members whose result is text: the model's fields, the text, and the input that the desktop receives. */
const MEMBERS: [name: string, input: Record<string, unknown>, text: string, told: string[]][] = [
  ["left_click", { coordinate: [10, 20] }, "Clicked.", ["(10,20)", "+left", "-left"]],
  ["right_click", { coordinate: [10, 20] }, "Right-clicked.", ["(10,20)", "+right", "-right"]],
  ["middle_click", {}, "Middle-clicked.", ["(640,360)", "+middle", "-middle"]],
  ["double_click", { coordinate: null }, "Double-clicked.", [
    "(640,360)",
    ..."+left -left +left -left".split(" "),
  ]],
  ["triple_click", { coordinate: [1, 2], text: "ctrl" }, "Triple-clicked.", [
    "(1,2)",
    "+ctrl",
    ..."+left -left +left -left +left -left".split(" "),
    "-ctrl",
  ]],
  ["left_mouse_down", {}, "Left mouse button pressed.", ["+left"]],
  ["left_mouse_up", {}, "Left mouse button released.", ["-left"]],
  ["mouse_move", { coordinate: [3, 4] }, "Moved the mouse.", ["(3,4)"]],
  ["scroll", { scroll_direction: "down", scroll_amount: 2, coordinate: [3, 4] }, "Scrolled down.", [
    "(3,4)",
    "down 2",
  ]],
  ["key", { text: "Down", repeat: 3 }, "Pressed Down.", Array(3).fill(["+down", "-down"]).flat()],
  ["hold_key", { text: "shift", duration: 0.01 }, "Held shift for 0.01s.", ["+shift", "-shift"]],
  ["type", { text: "héllo" }, "Typed.", ["héllo"]],
  ["wait", { duration: 0.01 }, "Waited 0.01s.", []],
  ["cursor_position", {}, "X=640,Y=360", []],
];

for (const [name, input, text, told] of MEMBERS) {
  Deno.test(`the toolset's ${name} answers ${JSON.stringify(text)}`, async () => {
    const api = controlApi();
    assertEquals(await act(api, "anthropic", { action: block(name, input) }), {
      status: 200,
      ok: true,
      results: [{
        type: "tool_result",
        tool_use_id: `toolu_${name}`,
        toolset_name: "computer",
        content: [{ type: "text", text }],
      }],
    });
    assertEquals(short(api.desktop.log), told);
  });
}

Deno.test("a toolset result is on one line, whatever the model wrote", async () => {
  const { results } = await act(controlApi(), "anthropic", {
    actions: [block("key", { text: "a\n\u202eb" }, "1")],
  });
  assertEquals(results[0].is_error, true); // no such key
  const typed = await act(controlApi(), "anthropic", {
    actions: [block("key", { text: "ctrl\u2028+ a" }, "1")],
  });
  assertEquals(typed.results[0].content.length, 1);
});

Deno.test("toolset screenshots are alone in their results and as large as its models accept", async () => {
  const api = controlApi();
  const { ok, results } = await act(api, "anthropic", {
    actions: [block("screenshot"), block("zoom", { region: [10, 20, 110, 70] })],
  });
  assertEquals([ok, results.length], [true, 2]);
  for (const { content } of results) {
    assertEquals(content.map(({ type }: { type: string }) => type), ["image"]);
  }
  const { media_type, data } = results[0].content[0].source;
  assertEquals(media_type, "image/png");
  const { width, height } = pictureSize(Uint8Array.fromBase64(data));
  assertEquals([width, height], [1280, 720]);
});

Deno.test("after a failure the rest of a turn is not executed, and says so", async () => {
  const api = controlApi();
  const answer = await act(api, "anthropic", {
    actions: [
      block("left_click", { coordinate: [1000, 600] }, "1"),
      block("left_click", { coordinate: [5000, 20] }, "2"),
      block("type", { text: "never" }, "3"),
      block("screenshot", {}, "4"),
    ],
  });
  assertEquals([answer.status, answer.ok], [200, false]);
  const said = answer.results.map(({ tool_use_id, toolset_name, is_error, content: [{ text }] }: {
    tool_use_id: string;
    toolset_name: string;
    is_error?: boolean;
    content: { text: string }[];
  }) => [tool_use_id, toolset_name, is_error, text]);
  assertEquals(said[0], ["1", "computer", undefined, "Clicked."]);
  assertEquals(said[1].slice(0, 3), ["2", "computer", true]);
  assertStringIncludes(said[1][3], "x must be from 0 to 1279");
  assertEquals(said.slice(2), [["3", "computer", true, NOT_EXECUTED], ["4", "computer", true, NOT_EXECUTED]]);
  assertEquals(withoutRepeats(short(api.desktop.log)), ["(1000,600)", "+left", "-left"]);
});

Deno.test("only an unknown member fails, and the message names the known ones", async () => {
  const { results } = await act(controlApi(), "anthropic", { actions: [block("fly", {}, "1")] });
  assertEquals(results[0].is_error, true);
  assertStringIncludes(results[0].content[0].text, "action.name must be one of key, hold_key, type");
});

Deno.test("a block of the earlier tool is answered without a toolset name", async () => {
  const action = {
    type: "tool_use",
    id: "1",
    name: "computer",
    input: { action: "left_click", coordinate: [1, 2] },
  };
  const { results } = await act(controlApi(), "anthropic", { action });
  assertEquals(results, [{
    type: "tool_result",
    tool_use_id: "1",
    content: [{ type: "text", text: "clicked left at 1,2 of 1280x720" }],
  }]);
});

/** Lists that are refused before any action is executed. */
const REFUSED: [entry: Record<string, unknown>, message: string][] = [
  [{ ...block("left_click"), id: undefined }, "actions[1].id must be a non-empty string"],
  [{ ...block("left_click"), input: 5 }, "actions[1].input must be a JSON object, not 5"],
  [{ ...block("left_click"), toolset_name: "browser" }, 'actions[1] must have toolset_name "computer"'],
  [{ action: "left_click" }, "actions[1] must be a tool_use block"],
];

for (const [entry, message] of REFUSED) {
  Deno.test(`a turn with ${JSON.stringify(entry)} is refused before anything is executed`, async () => {
    const api = controlApi();
    const answer = await act(api, "anthropic", { actions: [block("left_click"), entry] });
    assertEquals(answer.status, 400);
    assertStringIncludes(answer.error, message);
    assertEquals(api.desktop.log, []);
  });
}

/**
 * Lists of bare actions, which begin with a click on the background that leaves a ring: all are executed, and
 * the answer is one final screenshot.
 */
const LISTS: [dialect: string, actions: Record<string, unknown>[]][] = [
  ["openai", [{ type: "click", x: 1000, y: 600, button: "left" }, { type: "type", text: "a" }]],
  ["google", [{ name: "click", args: { x: 781, y: 833 } }, { name: "type", args: { text: "a" } }]],
  ["anthropic", [{ action: "left_click", coordinate: [1000, 600] }, { action: "type", text: "a" }]],
];

for (const [dialect, actions] of LISTS) {
  Deno.test(`a list of ${dialect}'s actions returns one final screenshot`, async () => {
    const api = controlApi(), { ok, image, text } = await act(api, dialect, { actions });
    assertEquals([ok, pictureSize(Uint8Array.fromBase64(image)).width], [true, 1280]);
    assertEquals(text.split("\n").length, 3);
    assertEquals(withoutRepeats(short(api.desktop.log)), ["(1000,600)", "+left", "-left", "a"]);
  });
}

Deno.test("a list ends at the first action that fails, and the message has its index", async () => {
  const api = controlApi();
  const actions = [{ type: "type", text: "a" }, { type: "click", x: 9999, y: 1 }, {
    type: "type",
    text: "b",
  }];
  const { status, error } = await act(api, "openai", { actions });
  assertEquals(status, 400);
  assertStringIncludes(error, "actions[1]: x must be from 0 to 1279");
  assertEquals(short(api.desktop.log), ["a"]);
});

Deno.test("with observe a result reports in separate text whether the action did something", async () => {
  const api = controlApi();
  const told = /^(hit|(miss|unsure): [a-z0-9 .]+); active: "Notes"$/;
  const blocks = await act(api, "anthropic", {
    actions: [block("left_click", { coordinate: [10, 20] }), block("mouse_move", { coordinate: [3, 4] })],
    observe: true,
  });
  const [clicked, moved] = blocks.results.map(({ content }: { content: { text: string }[] }) =>
    content.map(({ text }) => text)
  );
  assertEquals(clicked.slice(0, -1), ["Clicked."]);
  assertMatch(clicked.at(-1), told);
  assertEquals(moved, ["Moved the mouse.", 'active: "Notes"']);
  const bare = await act(api, "openai", {
    action: { type: "click", x: 5, y: 6, button: "left" },
    observe: true,
  });
  assertMatch(bare.text.split("\n").at(-1), told);
});
