/** The end of a service: the requests that SIGTERM lets finish, and the messages to a service manager. */

import { assertEquals, assertRejects } from "@std/assert";
import { need } from "../support/need.ts";
import { NotifySocket } from "../support/notify_socket.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/until.ts";

const ARGS = ["--desktop", "virtual", "--http", "0"];

/** Sends JSON. */
const post = (url: string, body: unknown) => fetch(url, { method: "POST", body: JSON.stringify(body) });

/** Waits until a figure has a value, or any that is not 0 if left out. */
async function figure(url: string, name: string, value?: number) {
  await until(async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    const found = Number(new RegExp(`^deskhand_${name} (.*)$`, "m").exec(text)?.[1] ?? 0);
    return value === undefined ? found > 0 : found === value;
  });
}

/** Waits until no connection is taken any more. */
const refused = (url: string) => until(() => fetch(`${url}/healthz`).then(() => false, () => true));

Deno.test({
  ...need("python3"),
  name: "SIGTERM takes no new requests, finishes those under way, ends streams, and exits with 0",
}, async () => {
  await using socket = await NotifySocket.open();
  await using program = new Program(ARGS, { env: { NOTIFY_SOCKET: socket.name } });
  const url = await program.controlUrl();
  assertEquals(await socket.next(), "READY=1");
  const waiting = post(`${url}/api/wait`, { change: {}, timeout_ms: 600_000 });
  await figure(url, "picture_duration_seconds_count");
  const stream = (await fetch(`${url}/api/events`)).body!.getReader();
  await stream.read();
  const viewer = new WebSocket(`${url.replace("http", "ws")}/api/live`);
  await new Promise((opened) => viewer.onopen = opened);
  const closed = new Promise<CloseEvent>((closed) => viewer.onclose = closed);
  await figure(url, "viewers", 1);
  program.kill("SIGTERM");
  assertEquals(await socket.next(), "STOPPING=1");
  await refused(url);
  await program.write("t hello"); // shows on the screen
  const answer = await waiting;
  assertEquals([answer.status, (await answer.json()).ok], [200, true]);
  assertEquals((await closed).code, 1001);
  while (!(await stream.read()).done);
  const { code, stderr } = await program.ended();
  assertEquals([code, stderr], [0, ""]);
});

Deno.test("a second signal ends the program at once while the first lets requests finish", async () => {
  await using program = new Program(ARGS);
  const url = await program.controlUrl();
  const waiting = post(`${url}/api/wait`, {
    pixel: { x: 1, y: 1, hex: "#123456" },
    timeout_ms: 600_000,
  });
  const lost = assertRejects(() => waiting);
  await figure(url, "picture_duration_seconds_count");
  program.kill("SIGTERM");
  await refused(url);
  program.kill("SIGTERM");
  assertEquals((await program.ended()).code, 143); // after all is drained, or late, it would be 0
  await lost;
});

Deno.test("SIGTERM ends a program that still waits for its desktop, with requests that wait too", async () => {
  await using program = new Program(["--http", "0", "--wait-desktop", "600"], {
    env: { DISPLAY: ":64999", WAYLAND_DISPLAY: "" },
  });
  await program.printed(/^waiting 600 s for the desktop/m);
  program.kill("SIGTERM");
  assertEquals((await program.ended()).code, 0);
});
