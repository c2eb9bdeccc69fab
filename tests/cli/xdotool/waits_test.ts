/** `search --sync` goes on when its window appears, by xdotool and by deskhand. */

import { assertEquals } from "@std/assert";
import { until } from "../../support/shell.ts";
import { Stage, start, type Which, wordsOf, XDOTOOL } from "./stage.ts";

const LINE = "search --sync --name ^Later$ getwindowname";

/** The output of a chain whose window gets its name while the chain waits. */
async function printed(stage: Stage, which: Which): Promise<string> {
  const name = (text: string) =>
    stage.server.run("xdotool", "set_window", "--name", text, stage.windows.terminal);
  await name("Terminal");
  const child = start(which, wordsOf(LINE, stage.windows), stage.server.env);
  await child.stdin.close();
  const drained = child.stderr.cancel(), text = new Response(child.stdout).text();
  let isOver = false;
  const ended = child.status.then(() => isOver = true);
  await until(async () => {
    await name("Later");
    return isOver;
  });
  await Promise.all([ended, drained]);
  return await text;
}

Deno.test({ ...XDOTOOL, name: "search --sync waits for its window" }, async () => {
  await using stage = await Stage.start();
  assertEquals(await printed(stage, "xdotool"), "Later\n");
  assertEquals(await printed(stage, "deskhand"), "Later\n");
});
