/** The program prints nothing but its own text: warnings of the runtime stay off the person's terminal. */

import { assertEquals, assertMatch } from "@std/assert";
import { newRecording } from "../../control/recording/format.ts";
import { formatRecording } from "../support/recordings.ts";
import { Program, run } from "../support/program.ts";
import { rawStatus, sendRaw } from "../support/raw.ts";
import { temporary } from "../support/temporary.ts";

Deno.test("what is done over HTTP prints nothing, whether its client stays or leaves", async () => {
  await using server = new Program([
    "--desktop",
    "virtual",
    "--http",
    "0",
    "--files",
    "--no-hidden",
    "--files-port",
    "0",
  ]);
  const url = await server.controlUrl(), files = await server.filesUrl();
  const done = async (path: string, body: unknown) => {
    const response = await fetch(`${url}/api/${path}`, { method: "POST", body: JSON.stringify(body) });
    assertEquals((await response.json()).ok, true, path);
  };
  await done("type", { text: "a" });
  await done("drag", { from: { x: 1, y: 1 }, to: { x: 9, y: 9 } });
  await done("wait", { still: { ms: 1 } });
  for (const path of ["/api/screenshot", "/api/screenshot?format=png", "/", "/api/nothing"]) {
    await (await fetch(url + path)).bytes();
  }
  await (await fetch(`${files}/main.ts`)).bytes();
  await (await fetch(`${files}/`)).bytes();
  for (const path of ["/api/events", "/api/screenshot"]) {
    const leaving = new AbortController();
    await fetch(url + path, { signal: leaving.signal });
    leaving.abort();
  }
  const waiting = fetch(`${url}/api/wait`, {
    method: "POST",
    body: JSON.stringify({ pixel: { x: 0, y: 0, hex: "#123456" }, timeout_ms: 60_000 }),
    signal: AbortSignal.timeout(100),
  });
  await waiting.catch(() => {});
  const live = new WebSocket(`${url.replace("http", "ws")}/api/live`);
  await new Promise((resolve, reject) => (live.onopen = resolve, live.onerror = reject));
  live.close();
  await done("move", { x: 5, y: 5 });
  server.kill();
  const { stderr, stdout } = await server.ended();
  assertEquals(stderr, "");
  assertMatch(stdout, /^HTTP server started on port/);
});

Deno.test("a WebSocket's request that lacks what it needs is refused by name, and prints nothing", async () => {
  await using server = new Program(["--desktop", "virtual", "--http", "0"]);
  const url = await server.controlUrl();
  const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", version = "Sec-WebSocket-Version: 13\r\n";
  const cases: [lacks: RegExp, headers: string][] = [
    [/sec-websocket-key/i, `Connection: Upgrade, close\r\n${version}`],
    [/connection/i, `Connection: close\r\n${version}${key}`], // as proxies leave it that do not know of it
  ];
  for (const [lacks, headers] of cases) {
    const request = `GET /api/live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n${headers}\r\n`;
    const answer = await sendRaw(url, request);
    assertEquals(rawStatus(answer), 426, answer);
    assertMatch(answer, lacks);
  }
  server.kill();
  assertEquals((await server.ended()).stderr, "");
});

Deno.test("a late replay reports how late it was, and the runtime prints no warning", async () => {
  const scroll = { t: 0, type: "scroll", direction: "up", amount: 1, x: 1, y: 1 } as const;
  const recording = newRecording({ x: 0, y: 0, width: 1280, height: 720 }, new Date(0));
  recording.events.push(...Array.from({ length: 20_000 }, () => scroll)); // all due at once
  await temporary(async (folder) => {
    await Deno.writeTextFile(`${folder}/a.json`, formatRecording(recording));
    const { stderr } = await run(["--desktop", "virtual"], `load ${folder}/a.json\nplay\n`);
    assertMatch(stderr, /^loaded 20000 events\nplayed: 20000 events, [^\n]+\n$/);
  });
});
