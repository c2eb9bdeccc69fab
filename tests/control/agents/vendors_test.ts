/** The OpenAI and Google SDKs as witnesses: their types, clients and runners, with a fake model. */

import { GoogleGenAI, type Interactions } from "@google/genai";
import { Agent, computerTool, OpenAIProvider, Runner } from "@openai/agents";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import OpenAI from "openai";
import { type ComputerDriver, ComputerToolset } from "openai/helpers/computer";
import type { ComputerAction, ResponseInputItem } from "openai/resources/responses/responses";
import { pictureSize } from "../../../control/image/read_picture.ts";
// @ts-types="../../../tools/package/openai.d.mts"
import { DeskhandDriver, deskhandTool } from "../../../tools/package/openai.mjs";
import { withoutRepeats } from "../../support/agent_tools.ts";
import { controlApi } from "../../support/control.ts";
import { short } from "../../support/shell.ts";

/** Every kind of action that OpenAI's SDK knows, on the desktop background. */
const ACTIONS: Record<ComputerAction["type"], ComputerAction> = {
  screenshot: { type: "screenshot" },
  move: { type: "move", x: 10, y: 20, keys: ["SHIFT"] },
  click: { type: "click", button: "left", x: 1000, y: 600 },
  double_click: { type: "double_click", x: 1100, y: 600, keys: null },
  drag: { type: "drag", path: [{ x: 1000, y: 640 }, { x: 1020, y: 640 }] },
  scroll: { type: "scroll", x: 10, y: 20, scroll_x: 0, scroll_y: 100 },
  keypress: { type: "keypress", keys: ["CTRL", "A"] },
  type: { type: "type", text: "x" },
  wait: { type: "wait" },
};

/** Plays a model: answers each request with the next answer, and records the requests. */
function played(...answers: unknown[]) {
  const asked: { input: ResponseInputItem[] }[] = [];
  return {
    asked,
    fetch: ((_, init) => {
      asked.push(JSON.parse(String(init?.body ?? "{}")));
      return Promise.resolve(Response.json(answers.shift()));
    }) as typeof fetch,
  };
}

/** A response of OpenAI's service whose output is one item. */
const responseOf = (id: string, item: Record<string, unknown>) => ({
  id,
  object: "response",
  status: "completed",
  error: null,
  incomplete_details: null,
  model: "gpt-5.4",
  output: [{ id: `${id}_item`, status: "completed", ...item }],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
});

const callOf = (actions: ComputerAction[], pending_safety_checks: unknown[] = []) =>
  responseOf("r1", { type: "computer_call", call_id: "c1", actions, pending_safety_checks });
const DONE = responseOf("r2", {
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text: "done", annotations: [] }],
});
const CHECK = { id: "k1", code: "malicious_instructions", message: "Are you sure?" };

/** A desktop, and the `fetch` that reaches its control API. */
function desk() {
  const api = controlApi();
  const fetch = (url: string | URL | Request, { body }: RequestInit = {}) =>
    api.request("POST", new URL(String(url)).pathname, body);
  return { ...api, options: { fetch: fetch as typeof globalThis.fetch } };
}

/** The answer to a call in a later request, as the service receives it. */
function outputIn({ input }: { input: ResponseInputItem[] }): ResponseInputItem.ComputerCallOutput {
  const output = input.find((item) => item.type === "computer_call_output");
  if (!output) throw new Error("no answer to the call");
  return output;
}

function assertPicture(url: string | null | undefined): void {
  const { width } = pictureSize(Uint8Array.fromBase64(url!.replace("data:image/png;base64,", "")));
  assertEquals(width, 1280);
}

/** Runs OpenAI's own loop over a computer_call. */
async function runToolset(
  call: unknown,
  driver: ComputerDriver,
  options: Parameters<ComputerToolset["run"]>[2] = {},
) {
  const { fetch, asked } = played(call, DONE);
  const client = new OpenAI({ apiKey: "none", fetch });
  const { output_text: text } = await new ComputerToolset(driver).run(
    client,
    { model: "gpt-5.4", input: "Do it." },
    options,
  );
  return { text, asked };
}

Deno.test("OpenAI's ComputerToolset runs every action on deskhand", async () => {
  const { desktop, options } = desk();
  const long = Array.from({ length: 150 }, (_, i) => ({ x: 900 + i, y: 600 }));
  const drags = [[{ x: 1050, y: 640 }], long].map((path) => ({ type: "drag" as const, path }));
  const { text, asked } = await runToolset(
    callOf([...Object.values(ACTIONS), ...drags]),
    new DeskhandDriver(options),
  );
  assertEquals(text, "done");
  const { output, call_id: id } = outputIn(asked[1]);
  assertEquals([id, output.type], ["c1", "computer_screenshot"]);
  assertPicture(output.image_url);
  const told = short(desktop.log);
  assertEquals(told.slice(0, 5), ["+shift", "(10,20)", "-shift", "(1000,600)", "+left"]);
  const point = told.indexOf("(1050,640)"), end = told.lastIndexOf("-left");
  assertEquals(told.slice(point - 6, point + 5), [
    "down 1",
    "+ctrl",
    "+a",
    "-a",
    "-ctrl",
    "x",
    "(1050,640)",
    "+left",
    "-left",
    "(900,600)",
    "+left",
  ]);
  assertEquals(told.slice(end - 1), ["(1049,600)", "-left"]);
});

Deno.test("an action that deskhand refuses ends the run of OpenAI's ComputerToolset", async () => {
  const { desktop, options } = desk();
  const call = callOf([{ type: "click", button: "left", x: 9999, y: 1 }, ACTIONS.type]);
  const error = await assertRejects(() => runToolset(call, new DeskhandDriver(options)), Error);
  assertStringIncludes(error.message, "deskhand answered 400: x must be from 0 to 1279");
  assertEquals(desktop.log, []);
});

Deno.test("OpenAI's safety checks are left to the caller of ComputerToolset", async () => {
  const { desktop, options } = desk(), call = callOf([ACTIONS.type], [CHECK]);
  await assertRejects(() => runToolset(call, new DeskhandDriver(options)), Error, "explicit approval");
  assertEquals(desktop.log, []);
  const { asked } = await runToolset(call, new DeskhandDriver(options), { approveSafetyChecks: () => true });
  assertEquals(short(desktop.log), ["x"]);
  assertEquals(outputIn(asked[1]).acknowledged_safety_checks, [CHECK]);
});

/** Runs the Agents SDK's own loop over a computer_call. */
async function runAgent(
  call: unknown,
  options: { fetch: typeof fetch; onSafetyCheck?: () => Promise<boolean> },
) {
  const { fetch, asked } = played(call, DONE);
  const openAIClient = new OpenAI({ apiKey: "none", fetch });
  const runner = new Runner({
    modelProvider: new OpenAIProvider({ openAIClient }),
    tracingDisabled: true,
  });
  const tools = [computerTool(deskhandTool(options))];
  const { finalOutput } = await runner.run(new Agent({ name: "desk", model: "gpt-5.4", tools }), "Do it.");
  return { finalOutput, asked };
}

Deno.test("the Agents SDK's runner executes every action on deskhand", async () => {
  const { desktop, options } = desk();
  const { finalOutput, asked } = await runAgent(callOf(Object.values(ACTIONS)), options);
  assertEquals(finalOutput, "done");
  assertPicture(outputIn(asked[1]).output.image_url);
  const told = short(desktop.log);
  assertEquals(told.slice(0, 4), ["(10,20)", "(1000,600)", "+left", "-left"]);
  assertEquals(told.slice(-6), ["down 1", "+ctrl", "+a", "-a", "-ctrl", "x"]);
});

Deno.test("deskhandTool refuses OpenAI's safety checks that the caller does not answer", async () => {
  const { desktop, options } = desk(), call = callOf([ACTIONS.type], [CHECK]);
  await runAgent(call, options);
  assertEquals(desktop.log, []);
  const { asked } = await runAgent(call, { ...options, onSafetyCheck: () => Promise.resolve(true) });
  assertEquals(short(desktop.log), ["x"]);
  assertEquals(outputIn(asked[1]).acknowledged_safety_checks, [CHECK]);
});

Deno.test("a whole computer_call is answered by a whole computer_call_output", async () => {
  const { fetch } = played(callOf([ACTIONS.scroll, ACTIONS.keypress, ACTIONS.type], [CHECK]));
  const client = new OpenAI({ apiKey: "none", fetch });
  const { output: actions } = await client.responses.create({ model: "gpt-5.4", input: "Do it." });
  const { request, desktop } = desk();
  const act = async (fields: Record<string, unknown>) => {
    const answer = await request("POST", "/api/act", { dialect: "openai", actions, ...fields });
    return { status: answer.status, ...await answer.json() };
  };
  const refused = await act({});
  assertEquals([refused.status, desktop.log], [409, []]);
  assertStringIncludes(refused.error, '"Are you sure?"): ask the user');
  const { ok, results } = await act({ acknowledged: true });
  const [output]: ResponseInputItem.ComputerCallOutput[] = results;
  assertEquals([ok, output.call_id, output.acknowledged_safety_checks], [true, "c1", [CHECK]]);
  assertPicture(output.output.image_url);
  assertEquals(short(desktop.log).slice(-6), ["down 1", "+ctrl", "+a", "-a", "-ctrl", "x"]);
});

/** Calls as Gemini writes them, and the input that the desktop receives. */
const CALLS = [
  { name: "click", args: { x: 781, y: 833, intent: "open the menu" } },
  { name: "hotkey", args: { keys: ["control", "a"] } },
  { name: "scroll", args: { x: 781, y: 833, direction: "down", magnitude_in_pixels: 200 } },
];
const CALLED = ["(1000,600)", "+left", "-left", "+ctrl", "+a", "-a", "-ctrl", "(1000,600)", "down 2"];

/** Calls Google's client, whose service is faked: the client has no `fetch` option. */
async function googlesAnswer<T>(answer: unknown, ask: (client: GoogleGenAI) => Promise<T>): Promise<T> {
  const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: "http://127.0.0.1:1" } });
  const fetched = globalThis.fetch;
  globalThis.fetch = played(answer).fetch;
  try {
    return await ask(client);
  } finally {
    globalThis.fetch = fetched;
  }
}

Deno.test("function calls of Google's client are executed, and answered by one screenshot", async () => {
  const content = { role: "model", parts: CALLS.map((functionCall) => ({ functionCall })) };
  const response = await googlesAnswer(
    { candidates: [{ content }] },
    (client) => client.models.generateContent({ model: "m", contents: "Do it." }),
  );
  const api = controlApi();
  const answer = await api.request("POST", "/api/act", {
    dialect: "google",
    actions: response.functionCalls,
  });
  assertEquals((await answer.json()).ok, true);
  assertEquals(withoutRepeats(short(api.desktop.log)), CALLED);
});

Deno.test("whole steps of Google's Interactions are answered by whole function_results", async () => {
  const steps = CALLS.map(({ name, args }, i) => ({
    type: "function_call",
    id: `f${i}`,
    name,
    arguments: args,
  }));
  const interaction = await googlesAnswer(
    { id: "i1", status: "requires_action", steps },
    (client) =>
      client.interactions.create({ model: "m", input: "Do it.", tools: [{ type: "computer_use" }] }),
  );
  const calls = interaction.steps.filter(({ type }) => type === "function_call");
  const { request, desktop } = controlApi();
  const answer = await request("POST", "/api/act", { dialect: "gemini", actions: calls });
  const { ok, results }: { ok: boolean; results: Interactions.FunctionResultStep[] } = await answer.json();
  assertEquals([ok, results.map(({ call_id }) => call_id)], [true, ["f0", "f1", "f2"]]);
  for (const { result } of results) {
    const picture = (result as Interactions.ImageContent[]).find(({ type }) => type === "image");
    assertPicture(picture?.data);
  }
  assertEquals(withoutRepeats(short(desktop.log)), CALLED);
  // The client accepts the results as its next input.
  const next = await googlesAnswer(
    { id: "i2", status: "completed", steps: [] },
    (client) => client.interactions.create({ model: "m", input: results, previous_interaction_id: "i1" }),
  );
  assertEquals(next.status, "completed");
});

Deno.test("a confirmation that Google's service requires is left to the caller", async () => {
  const { request, desktop } = controlApi();
  const step = {
    type: "function_call",
    id: "f",
    name: "type",
    arguments: { text: "x", safety_decision: { decision: "require_confirmation", explanation: "Sure?" } },
  };
  const act = async (fields = {}) =>
    (await request("POST", "/api/act", { dialect: "google", actions: [step], ...fields })).status;
  assertEquals([await act(), desktop.log], [409, []]);
  assertEquals([await act({ acknowledged: true }), short(desktop.log)], [200, ["x"]]);
});

/** Actions with a field that the vendor's action lacks. */
const MISSPELLED: [dialect: string, action: Record<string, unknown>][] = [
  ["openai", { ...ACTIONS.click, modifiers: ["SHIFT"] }],
  ["google", { name: "click", args: { x: 1, y: 1, count: 2 } }],
  ["anthropic", { action: "left_click", coordinate: [1, 1], hold: "shift" }],
  ["anthropic", {
    type: "tool_use",
    id: "1",
    name: "type",
    toolset_name: "computer",
    input: { text: "x", delay: 5 },
  }],
];

for (const [dialect, action] of MISSPELLED) {
  Deno.test(`${dialect} ${JSON.stringify(action)} is refused, since a field would be ignored`, async () => {
    const { request, desktop } = controlApi();
    const answer = await request("POST", "/api/act", { dialect, action });
    assertStringIncludes(await answer.text(), "is unknown; ");
    assertEquals(desktop.log, []);
  });
}
