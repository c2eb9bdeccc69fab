/** Turns of OpenAI's and Google's models in their own envelopes, and the fields of their actions. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { DesktopUnavailableError } from "../../../core/errors.ts";
import { pictureSize } from "../../../control/image/read_picture.ts";
import { withoutRepeats } from "../../support/agent_tools.ts";
import { controlApi } from "../../support/control.ts";
import { short } from "../../support/shell.ts";

const act = async (given: Record<string, unknown>) => {
  const api = controlApi(), answer = await api.request("POST", "/api/act", given);
  return { status: answer.status, log: withoutRepeats(short(api.desktop.log)), ...await answer.json() };
};

const CHECK = { id: "s1", code: "malicious_instructions", message: "The page asks for a password." };
const CLICK = { type: "click", x: 10, y: 20, button: "left" };
const computerCall = (more: Record<string, unknown> = {}) => ({
  ...{ type: "computer_call", id: "a", call_id: "b", status: "completed", pending_safety_checks: [] },
  actions: [CLICK],
  ...more,
});

Deno.test("a whole computer_call is answered by a ready computer_call_output", async () => {
  const { status, ok, results: [output], log } = await act({ dialect: "openai", actions: [computerCall()] });
  assertEquals([status, ok, log], [200, true, ["(10,20)", "+left", "-left"]]);
  assertEquals([output.type, output.call_id, output.acknowledged_safety_checks], [
    "computer_call_output",
    "b",
    undefined,
  ]);
  const [, data] = /^data:image\/png;base64,(.*)$/.exec(output.output.image_url)!;
  assertEquals(pictureSize(Uint8Array.fromBase64(data)).width, 1280);
});

Deno.test("a vendor's safety check is a 409 until the caller acknowledges it", async () => {
  const call = computerCall({ pending_safety_checks: [CHECK] });
  const refused = await act({ dialect: "openai", actions: [call] });
  assertEquals([refused.status, refused.log], [409, []]);
  assertStringIncludes(refused.error, "The page asks for a password.");
  for (
    const allowed of [{ acknowledged: true, actions: [call] }, {
      actions: [{ ...call, acknowledged_safety_checks: [CHECK] }],
    }]
  ) {
    const { status, results: [output] } = await act({ dialect: "openai", ...allowed });
    assertEquals([status, output.acknowledged_safety_checks], [200, [CHECK]]);
  }
});

Deno.test("a step of Google's Interactions is answered by a ready function_result", async () => {
  const step = {
    type: "function_call",
    id: "x",
    name: "click",
    arguments: { x: 500, y: 500, intent: "open" },
  };
  for (const given of [{ action: step }, { actions: [step] }]) {
    const { status, ok, results: [result], log } = await act({ dialect: "google", ...given });
    assertEquals([status, ok, log.slice(-2)], [200, true, ["+left", "-left"]]);
    assertEquals([result.type, result.call_id, result.name, result.is_error], [
      "function_result",
      "x",
      "click",
      undefined,
    ]);
    assertEquals(result.result.map(({ type }: { type: string }) => type), ["text", "image"]);
  }
});

Deno.test("a failed step is an error in its result, and later ones are not executed", async () => {
  const step = (id: string, given: Record<string, unknown>) => ({
    ...{ type: "function_call", id, name: "click", arguments: given },
  });
  const { ok, results } = await act({
    dialect: "gemini",
    actions: [step("1", { x: 5000, y: 1 }), step("2", { x: 1, y: 1 })],
  });
  assertEquals([ok, results.map(({ is_error }: { is_error?: boolean }) => is_error)], [false, [true, true]]);
  assertMatch(results[1].result[0].text, /^skipped: an earlier call/);
});

Deno.test("calls that ran have their results even if no picture can be taken after a failure", async () => {
  const api = controlApi(), { screen, pointer } = api.desktop, button = pointer.button;
  pointer.button = (...args) => { // the desktop goes away with the second click
    if (short(api.desktop.log).includes("-left")) {
      screen.capture = () => Promise.reject(new DesktopUnavailableError("the desktop is gone"));
    }
    return button.apply(pointer, args);
  };
  const step = (id: string) => ({ type: "function_call", id, name: "click", arguments: { x: 500, y: 500 } });
  const answer = await api.request("POST", "/api/act", {
    dialect: "google",
    actions: ["1", "2", "3"].map(step),
  });
  const { ok, text, results } = await answer.json();
  assertEquals([answer.status, ok, text], [200, false, "the desktop is gone"]);
  type Result = { is_error?: boolean; result: { type: string }[] };
  const kinds = results.map(({ is_error: isError = false, result }: Result) => [
    isError,
    ...result.map(({ type }) => type),
  ]);
  assertEquals(kinds, [[false, "text", "image"], [true, "text"], [true, "text"]]);
  assertMatch(results[2].result[0].text, /^skipped: an earlier call/);
});

Deno.test("an action that needs confirmation for Google's service is a 409 until acknowledged", async () => {
  const decision = { decision: "require_confirmation", explanation: "This sends an order." };
  const action = { name: "click", args: { x: 500, y: 500, safety_decision: decision } };
  const refused = await act({ dialect: "google", action });
  assertEquals([refused.status, refused.log], [409, []]);
  assertStringIncludes(refused.error, "This sends an order.");
  assertEquals((await act({ dialect: "google", action, acknowledged: true })).status, 200);
});

Deno.test("keys are held while OpenAI's model moves the pointer", async () => {
  const { log } = await act({ dialect: "openai", action: { type: "move", x: 10, y: 20, keys: ["SHIFT"] } });
  assertEquals(log, ["+shift", "(10,20)", "-shift"]);
});

Deno.test("a drag of OpenAI's model can have a path of any length", async () => {
  const path = Array.from({ length: 150 }, (_, i) => ({ x: 10 + i, y: 20 }));
  const long = await act({ dialect: "openai", action: { type: "drag", path } });
  assertEquals([long.status, long.log[0], long.log.at(-2)], [200, "(10,20)", "(159,20)"]);
  const one = await act({ dialect: "openai", action: { type: "drag", path: [{ x: 10, y: 20 }] } });
  assertEquals(one.log, ["(10,20)", "+left", "-left"]);
  const none = await act({ dialect: "openai", action: { type: "drag", path: [] } });
  assertEquals([none.status, none.error], [400, "action.path must have at least one point"]);
  const wrong = await act({ dialect: "openai", action: { type: "drag", path: [null] } });
  assertEquals([wrong.status, wrong.error], [400, "action.path[0] must be a point with x and y, not null"]);
});

/** Fields that a dialect would have to ignore. */
const UNKNOWN: [dialect: string, action: Record<string, unknown>, message: string][] = [
  ["openai", { ...CLICK, pressure: 2 }, "action.pressure is unknown; click takes button, x, y, keys"],
  [
    "google",
    { name: "wait", args: { seconds: 1, until: "x" } },
    "action.until is unknown; wait takes seconds",
  ],
];

for (const [dialect, action, message] of UNKNOWN) {
  Deno.test(`an action with a field unknown to the dialect ${dialect} is refused`, async () => {
    const { status, error, log } = await act({ dialect, action });
    assertEquals([status, error, log], [400, message, []]);
  });
}
