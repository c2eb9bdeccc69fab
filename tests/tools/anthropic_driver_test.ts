/** The Anthropic SDK driver: the SDK's own runner, a fake model and a real deskhand. */

import Anthropic from "@anthropic-ai/sdk";
import { BETA_COMPUTER_MEMBER_NAME_VALUES } from "@anthropic-ai/sdk/resources/beta/messages/messages";
import { ToolsetConfigError } from "@anthropic-ai/sdk/helpers/beta/toolsets";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
// @ts-types="../../tools/package/anthropic.d.mts"
import { DeskhandComputer } from "../../tools/package/anthropic.mjs";
import { TOOLSET } from "../../control/agents/dialects/anthropic.ts";
import { Program } from "../support/program.ts";

/** A turn that uses each member of the toolset. */
const TURN: [name: string, input: Record<string, unknown>][] = [
  ["screenshot", {}],
  ["mouse_move", { coordinate: [100, 100] }],
  ["cursor_position", {}],
  ["left_click", { coordinate: [200, 200] }],
  ["right_click", { coordinate: [201, 200], text: "ctrl" }],
  ["middle_click", { coordinate: [202, 200] }],
  ["double_click", { coordinate: [203, 200] }],
  ["triple_click", { coordinate: [204, 200] }],
  ["left_click_drag", { start_coordinate: [10, 10], coordinate: [60, 60] }],
  ["left_mouse_down", {}],
  ["left_mouse_up", {}],
  ["scroll", { coordinate: [300, 300], scroll_direction: "down", scroll_amount: 3 }],
  ["key", { text: "ctrl+s", repeat: 2 }],
  ["hold_key", { text: "shift", duration: 0.05 }],
  ["type", { text: "héllo" }],
  ["wait", { duration: 0.05 }],
  ["zoom", { region: [0, 0, 200, 100] }],
];

/** The checked part of a result block. */
interface Result {
  type: string;
  tool_use_id: string;
  toolset_name?: string;
  is_error?: boolean;
  content: { type: string; text?: string; source?: { media_type: string; data: string } }[];
}

const blocks = (turn: typeof TURN) =>
  turn.map(([name, input], i) => ({
    type: "tool_use",
    id: `toolu_${i}`,
    name,
    toolset_name: "computer",
    input,
  }));

/** Approves every call, as a caller may. */
const confirm = () => true;

/** Runs a turn in the SDK's runner; returns the tools and results that it sends to the model. */
async function run(turn: typeof TURN, computer: DeskhandComputer) {
  const asked: { tools: unknown[]; messages: { content: Result[] }[] }[] = [];
  const answers = [
    { content: blocks(turn), stop_reason: "tool_use" },
    { content: [{ type: "text", text: "done" }], stop_reason: "end_turn" },
  ];
  const client = new Anthropic({
    apiKey: "none",
    fetch: (_, init) => {
      const answer = answers[asked.push(JSON.parse(String(init?.body))) - 1];
      const usage = { input_tokens: 1, output_tokens: 1 };
      return Promise.resolve(
        Response.json({ id: "msg", type: "message", role: "assistant", model: "m", ...answer, usage }),
      );
    },
  });
  await client.beta.messages.toolRunner({
    model: "m",
    max_tokens: 1000,
    tools: [computer],
    messages: [{ role: "user", content: "Do it." }],
  });
  assertEquals(asked.length, 2);
  return { tools: asked[0].tools, results: asked[1].messages.at(-1)!.content };
}

Deno.test("the SDK's runner executes every member on a real deskhand", async () => {
  await using program = new Program(["--http", "0", "--desktop", "virtual"]);
  const url = await program.controlUrl();
  const { tools, results } = await run(TURN, new DeskhandComputer({ url, confirm }));
  assertEquals(tools, [{ type: "computer_toolset_20260801" }]);
  assertEquals(results.map(({ tool_use_id }) => tool_use_id), TURN.map((_, i) => `toolu_${i}`));
  for (const { type, toolset_name, is_error } of results) {
    assertEquals([type, toolset_name, is_error], ["tool_result", "computer", undefined]);
  }
  const { actions } = await (await fetch(`${url}/api/history`)).json();
  assertEquals(actions.filter(({ type }: { type: string }) => type === "text"), [{
    type: "text",
    text: "héllo",
  }]);

  // The endpoint returns the block that the SDK builds. One list would end at a click that changes nothing.
  const answers = [];
  for (const action of blocks(TURN)) {
    const body = JSON.stringify({ dialect: "anthropic", actions: [action] });
    answers.push(await (await fetch(`${url}/api/act`, { method: "POST", body })).json());
  }
  const shape = ({ tool_use_id, toolset_name, content }: Result) => ({
    tool_use_id,
    toolset_name,
    content: content.map(({ type, text, source }) => ({ type, text, media_type: source?.media_type })),
  });
  assertEquals(answers.map(({ ok }) => ok), TURN.map(() => true));
  assertEquals(answers.flatMap(({ results }) => results.map(shape)), results.map(shape));
});

Deno.test("a failed member is reported as an error, and the rest is not executed", async () => {
  await using program = new Program(["--http", "0", "--desktop", "virtual"]);
  const computer = new DeskhandComputer({ url: await program.controlUrl(), confirm });
  const { results } = await run([
    ["left_click", { coordinate: [99_999, 1] }],
    ["type", { text: "never" }],
  ], computer);
  assertEquals(results.map(({ is_error }) => is_error), [true, true]);
  assertStringIncludes(JSON.stringify(results[0].content), "x must be from 0 to 1279");
  assertEquals(
    JSON.stringify(results[1].content).includes(
      "Not executed: an earlier computer action in this turn failed.",
    ),
    true,
  );
});

Deno.test("reports a missing token to the model", async () => {
  await using program = new Program(["--http", "0", "--desktop", "virtual", "--require-token"], {
    env: { DESKHAND_TOKEN: "0123456789abcdef0123" },
  });
  const url = await program.controlUrl();
  const refused = await run([["screenshot", {}]], new DeskhandComputer({ url, confirm }));
  assertStringIncludes(JSON.stringify(refused.results[0].content), "deskhand answered 401");
  const { results } = await run(
    [["screenshot", {}]],
    new DeskhandComputer({ url, confirm, token: "0123456789abcdef0123" }),
  );
  assertEquals(results[0].content[0].type, "image");
});

Deno.test("passes the SDK's toolset options on", async () => {
  const computer = new DeskhandComputer({ confirm, configs: { type: { enabled: false } } });
  assertEquals(computer.toJSON().configs, { type: { enabled: false } });
  assertThrows(
    () => new DeskhandComputer({ confirm, toolConfigs: { configs: {} } as never }),
    ToolsetConfigError,
  );
  const { results } = await run([["key", { text: "a" }]], new DeskhandComputer({ confirm: () => false }));
  assertEquals(results[0].is_error, true);
  assertThrows(() => new DeskhandComputer(), ToolsetConfigError, "requires a confirm");
});

Deno.test("the members match those of the SDK", () => {
  const names = [...BETA_COMPUTER_MEMBER_NAME_VALUES].sort();
  assertEquals(TURN.map(([name]) => name).sort(), names);
  assertEquals(Object.keys(TOOLSET.actions).sort(), names);
});
