/** Presses on no element are recorded with the text that is read there, and saved by it. */

import { assertEquals, assertMatch } from "@std/assert";
import { delay } from "@std/async/delay";
import type { InputAction } from "../../../control/desktop/desktop.ts";
import { PressNoter, textAt } from "../../../control/recording/noting.ts";
import type { TextReader } from "../../../control/read/reader.ts";
import { Desk } from "../../../clients/typescript/src/mod.ts";
import { controlApi } from "../../support/control.ts";
import { need } from "../../support/need.ts";
import { Program } from "../../support/program.ts";
import { temporary, until } from "../../support/shell.ts";
import { Xvfb } from "../../support/xvfb.ts";

/** A line of words with letters of 10 pixels; each space is as wide. */
function line(y: number, text: string) {
  const words = Array.from(text.matchAll(/\S+/g), ({ 0: text, index }) => ({
    ...{ text, x: 10 * index, y, width: 10 * text.length, height: 10 },
  }));
  return { x: 0, y, width: 10 * text.length, height: 10, words };
}

const LINES = [
  line(100, "New game    Load game    x"),
  line(200, "Load game"),
  { ...line(400, "oO"), words: [{ ...line(400, "oO").words[0], confidence: 43 }] },
  line(300, "a longer text of seven words here"),
];
const PRESSES: [place: string, x: number, y: number, text: object | undefined][] = [
  ["a label", 30, 105, { text: "New game" }],
  ["the padding of its button", 85, 93, { text: "New game" }],
  ["the first of two labels", 140, 105, { text: "Load game", nth: 1 }],
  ["the second", 40, 208, { text: "Load game", nth: 2 }],
  ["a word of a longer text", 50, 305, { text: "longer" }],
  ["a letter, which may be an icon", 253, 105, undefined],
  ["a ring that the engine reads as letters", 10, 405, undefined],
  ["nothing", 30, 150, undefined],
];

for (const [name, x, y, text] of PRESSES) {
  Deno.test(`a press on ${name} has ${text ? "its text" : "no text"}`, () => {
    assertEquals(textAt(LINES, { x, y }), text);
  });
}

Deno.test("a press without a rest before it has its text, although the screen changes while it is read", async () => {
  const { operator } = controlApi(), at = { x: 300, y: 200 };
  Object.defineProperty(operator.desktop, "elements", { value: undefined });
  const { promise: isChanged, resolve: change } = Promise.withResolvers<void>();
  let reads = 0;
  const read: TextReader["read"] = async ({ picture }) => {
    const pixels = new Uint8Array(picture!.memory), before = pixels.slice();
    reads++;
    await isChanged;
    return {
      lines: [line(200, `${" ".repeat(28)}${pixels.every((byte, i) => byte === before[i])}`)],
    } as never;
  };
  const noter = new PressNoter(operator, () => Promise.resolve({ read } as TextReader));
  const press: InputAction = { type: "button", button: "left", down: true, ...at };
  noter.take(press);
  await until(() => reads, Boolean);
  await operator.click(at, "left"); // draws a ring
  noter.take({ type: "move", ...at });
  await delay(200); // the pointer rests
  change();
  await noter.end();
  assertEquals(press.text?.text, "true");
});

/** The font that every X server has, and space around the labels. */
const LEGIBLE = ["-fn", "fixed", "-xrm", "*internalWidth: 20", "-xrm", "*internalHeight: 10"]
  .concat("-xrm", "*Command.shapeStyle: Rectangle");

Deno.test({
  name: "a press in a program without elements is recorded by its text, and hits it at its new position",
  ...need("Xvfb", "blackbox", "xmessage", "curl"),
}, async (t) => {
  await using xvfb = await Xvfb.start();
  await using _manager = await xvfb.manager("blackbox");
  await using program = new Program(["--http", "0", "--desktop", "x11"], { env: xvfb.env });
  const url = await program.controlUrl(), desk = new Desk({ url });
  /** Shows the question; its exit code is the pressed button's. */
  const question = async (place: string) => {
    const args = [...LEGIBLE, "-buttons", "Reply:7,Later:8", "-geometry", place, "What now?"];
    const child = new Deno.Command("xmessage", { args, env: xvfb.env, stdout: "null", stderr: "null" })
      .spawn();
    await desk.window({ title: "xmessage" }).wait();
    return child;
  };
  const first = await question("+100+100");
  const { matches: [{ center }] } = await desk.findText({ text: "Reply", timeout_ms: 90_000 });
  // The press has no visible effect until it is recorded.
  Deno.kill(first.pid, "SIGSTOP");
  await desk.startRecording();
  await desk.move({ x: center.x + 2, y: center.y });
  await delay(100); // a person's pointer rests
  await desk.click({ ...center, button: "left" });
  await desk.stopRecording();
  Deno.kill(first.pid, "SIGCONT");
  assertEquals((await first.status).code, 7);
  const recording = await (await fetch(`${url}/api/recording`)).json();
  const pressed = recording.events.find(({ type, down }: { type: string; down?: boolean }) =>
    type === "button" && down
  );
  assertEquals(pressed.text, { text: "Reply", title: "xmessage" });

  await t.step("as a shell script", async () => {
    await temporary(async (folder) => {
      await Deno.writeTextFile(
        `${folder}/r.sh`,
        await (await fetch(`${url}/api/recording?format=sh`)).text(),
      );
      const second = await question("+500+300");
      const { stderr } = await new Deno.Command("sh", { args: [`${folder}/r.sh`] }).output();
      assertEquals((await second.status).code, 7, new TextDecoder().decode(stderr));
    });
  });
  await t.step("as tests", async () => {
    const saved = async (format: string) =>
      await (await fetch(`${url}/api/recording?format=${format}`)).text();
    assertMatch(
      await saved("playwright"),
      /^ {2}await xmessageWindow\.clickText\("Reply"(, \{ timeout: \d+ \})?\);$/m,
    );
    assertMatch(await saved("pytest"), /^ {4}xmessage_window\.click_text\("Reply"(, timeout=\d+)?\)$/m);
    const third = question("+300+200"); // comes later
    await desk.window({ title: "xmessage" }).clickText("Reply", { timeout: 90_000 });
    assertEquals((await (await third).status).code, 7);
    await until(async () => !(await desk.windows({})).windows.length);
  });
});
