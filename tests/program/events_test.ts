/** Input events as they happen. */

import { assertEquals, assertMatch } from "@std/assert";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/until.ts";
import { call } from "./recording.ts";

Deno.test({ name: "curl -N follows events as they happen", ...need("curl") }, async () => {
  await using program = new Program(["--desktop", "virtual", "--http", "0"]);
  const url = await program.controlUrl();
  const child = new Deno.Command("curl", { args: ["-sN", `${url}/api/events`], stdout: "piped" }).spawn();
  let text = "";
  const reading = (async () => {
    for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) text += part;
  })();
  await until(() => text, (got) => got.includes(": listening"));
  await call(url, "POST", "click", { x: 3, y: 4, button: "left" });
  await until(() => text, (got) => got.split("event: button").length === 3);
  assertMatch(text, /event: move\ndata: \{"at":[\d.]+,"injected":true,"type":"move","x":3,"y":4\}\n\n/);
  child.kill();
  await child.status;
  await reading;
  // Events that wait for a reader that does not read are bounded, and other readers still get theirs.
  const slow = await fetch(`${url}/api/events`);
  for (let i = 0; i < 3000; i++) await call(url, "POST", "move", { x: i % 1000, y: i % 700 });
  assertEquals((await call(url, "GET", "position")).status, 200);
  await slow.body?.cancel();
});
