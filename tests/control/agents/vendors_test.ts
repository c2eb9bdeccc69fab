/** The libraries of OpenAI and Google as witnesses: their types, and their clients with a model that is played. */

import { GoogleGenAI } from "@google/genai";
import { assertEquals } from "@std/assert";
import OpenAI from "openai/index.mjs";
import type { ComputerAction } from "openai/resources/responses/responses.mjs";
import { pictureSize } from "../../../control/image/read_picture.ts";
import { controlApi } from "../../support/control.ts";
import { short } from "../../support/shell.ts";

/** Every kind of action that OpenAI's library knows. */
const ACTIONS: Record<ComputerAction["type"], ComputerAction> = {
  screenshot: { type: "screenshot" },
  move: { type: "move", x: 10, y: 20 },
  click: { type: "click", button: "left", x: 400, y: 300 },
  double_click: { type: "double_click", x: 360, y: 178, keys: null },
  drag: { type: "drag", path: [{ x: 350, y: 240 }, { x: 450, y: 240 }] },
  scroll: { type: "scroll", x: 10, y: 20, scroll_x: 0, scroll_y: 100 },
  keypress: { type: "keypress", keys: ["CTRL", "A"] },
  type: { type: "type", text: "x" },
  wait: { type: "wait" },
};

/** Plays a model: answers each request with the next of the answers. */
function played(...answers: unknown[]): typeof fetch {
  return () => Promise.resolve(Response.json(answers.shift()));
}

Deno.test("a computer_call of OpenAI's client with every action is done, and answered by one picture", async () => {
  const output = [{ type: "computer_call", id: "1", call_id: "1", actions: Object.values(ACTIONS) }];
  const client = new OpenAI({ apiKey: "none", fetch: played({ id: "r", object: "response", output }) });
  const response = await client.responses.create({
    model: "m",
    input: "Do it.",
    tools: [{ type: "computer" }],
  });
  const [call] = response.output;
  if (call.type !== "computer_call") throw new Error(call.type);
  const api = controlApi();
  const answer = await api.request("POST", "/api/act", { dialect: "openai", actions: call.actions });
  const { ok, image } = await answer.json();
  assertEquals([ok, pictureSize(Uint8Array.fromBase64(image)).width], [true, 1280]);
  assertEquals(short(api.desktop.log).slice(-6), ["down 1", "+ctrl", "+a", "-a", "-ctrl", "x"]);
});

Deno.test("function calls of Google's client are done, and answered by one picture", async () => {
  const calls = [
    { name: "click", args: { x: 500, y: 500, intent: "open the menu" } },
    { name: "hotkey", args: { keys: ["control", "a"] } },
    { name: "scroll", args: { x: 500, y: 500, direction: "down", magnitude_in_pixels: 200 } },
  ];
  const content = { role: "model", parts: calls.map((functionCall) => ({ functionCall })) };
  const client = new GoogleGenAI({
    apiKey: "none",
    httpOptions: { baseUrl: "http://127.0.0.1:1" },
  });
  const fetched = globalThis.fetch; // the client has no option for it
  globalThis.fetch = played({ candidates: [{ content }] });
  const response = await client.models.generateContent({ model: "m", contents: "Do it." })
    .finally(() => globalThis.fetch = fetched);
  const api = controlApi();
  const answer = await api.request("POST", "/api/act", {
    dialect: "google",
    actions: response.functionCalls,
  });
  assertEquals((await answer.json()).ok, true);
  assertEquals(short(api.desktop.log), [
    "(640,360)",
    "+left",
    "-left",
    "+ctrl",
    "+a",
    "-a",
    "-ctrl",
    "(640,360)",
    "down 2",
  ]);
});
