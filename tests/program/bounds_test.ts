/** Bounds of the control API, from outside: a request past a bound gets its status, and others are served. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { crc32 } from "node:zlib";
import { peakMb } from "../../bench/measure.ts";
import { PICTURE_FILE_LIMIT } from "../../control/find/find.ts";
import { encodePng } from "../../control/image/png.ts";
import { need, needTime } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { rawStatus, readUntil, sendRaw } from "../support/notify_socket.ts";
import { until } from "../support/shell.ts";
import { keycodesDown } from "../support/window_desktops.ts";
import { Xvfb } from "../support/xvfb.ts";
import { statusOf } from "../support/uploads.ts";

const VIRTUAL = ["--desktop", "virtual", "--http", "0"];

/** Starts many requests at the same time; returns how many received each status once enough are answered. */
async function statuses(count: number, ask: (signal: AbortSignal) => Promise<Response>, answers = count) {
  const leaving = new AbortController();
  const counts: Record<string, number> = {};
  const errors = new Set<string>();
  const all = Promise.allSettled(Array.from({ length: count }, async () => {
    const response = await ask(leaving.signal);
    counts[response.status] = (counts[response.status] ?? 0) + 1;
    if (!response.ok) errors.add((await response.json()).error);
    else if (!response.headers.get("content-type")!.startsWith("text/event-stream")) await response.bytes();
  }));
  const answered = () => Object.values(counts).reduce((sum, some) => sum + some, 0);
  await until(answered, (some) => some >= answers);
  return { counts, errors: [...errors], leave: () => (leaving.abort(), all) };
}

Deno.test("waiting clients are bounded, and others are served meanwhile", async () => {
  await using server = new Program(VIRTUAL);
  const url = await server.controlUrl();
  const body = JSON.stringify({ pixel: { x: 0, y: 0, hex: "#123456" }, timeout_ms: 60_000 });
  const wait = (signal: AbortSignal) => fetch(`${url}/api/wait`, { method: "POST", body, signal });
  const { counts, errors, leave } = await statuses(70, wait, 6);
  assertEquals([counts, errors], [{ 503: 6 }, ["64 clients are waiting already; try again later"]]);
  assertEquals(await (await fetch(`${url}/api/position`)).json(), { x: 640, y: 360 });
  await leave();
  // Clients that left free their places.
  await until(async () => {
    return await statusOf(fetch(`${url}/api/wait`, {
      method: "POST",
      body: JSON.stringify({ pixel: { x: 0, y: 0, hex: "#123456" }, timeout_ms: 1 }),
    }));
  }, (status) => status === 408);
});

Deno.test({
  name: "120 concurrent searches of 16 MiB stay below 600 MB, and other requests are served",
  ignore: Deno.build.os !== "linux" || needTime("searches 120 large pictures").ignore,
}, async () => {
  await using server = new Program(VIRTUAL);
  const url = await server.controlUrl();
  const body = largestPicture();
  const find = (signal: AbortSignal) => fetch(`${url}/api/find`, { method: "POST", body, signal });
  const leaving = new AbortController();
  // A refused client that goes on sending may see its connection closed before it reads the answer.
  const found = Promise.all(Array.from({ length: 120 }, async () => {
    const answer = await find(leaving.signal).catch(() => undefined);
    await answer?.body?.cancel();
    return answer?.status;
  }));
  assertEquals(await (await fetch(`${url}/api/position`)).json(), { x: 640, y: 360 });
  const all = new Set(await found);
  // 408: on an overloaded machine, a body of 16 MiB takes longer than the 10 s allowed.
  const isRead = all.has(200) || all.has(408);
  assert(isRead && all.isSubsetOf(new Set([200, 408, 503, undefined])), `${[...all]}`);
  const peak = await peakMb(server.pid);
  assert(peak < 600, `${peak} MB`);
});

/** A small PNG file, padded by a comment to the maximum file size. */
function largestPicture(): Uint8Array<ArrayBuffer> {
  const pixels = new Uint8Array(8 * 8 * 4).map((_, i) => i * 37);
  const png = encodePng({ width: 8, height: 8, stride: 32, pixels });
  const end = png.length - 12; // IEND
  const length = PICTURE_FILE_LIMIT - png.length - 12, file = new Uint8Array(PICTURE_FILE_LIMIT);
  file.set(png.subarray(0, end));
  const view = new DataView(file.buffer);
  view.setUint32(end, length);
  file.set(new TextEncoder().encode("tEXtk"), end + 4);
  view.setUint32(end + 8 + length, crc32(file.subarray(end + 4, end + 8 + length)));
  file.set(png.subarray(end), end + 12 + length);
  return file;
}

Deno.test("concurrent screenshots are bounded", async () => {
  await using server = new Program(VIRTUAL);
  const url = await server.controlUrl();
  const { counts, errors } = await statuses(
    200,
    (signal) => fetch(`${url}/api/screenshot?format=png`, { signal }),
  );
  assert(counts[200] >= 32, JSON.stringify(counts));
  assertEquals(Object.values(counts).reduce((a, b) => a + b), 200);
  assertEquals(Object.keys(counts).filter((status) => status !== "200" && status !== "503"), []);
  // On a busy machine the first ones are still being sent while others are not yet encoded.
  const bound = /^(?:too many pictures are being made|64 pictures are being sent); try again later$/;
  for (const error of errors) assertMatch(error, bound);
  assertEquals(errors.length > 0, (counts[503] ?? 0) > 0);
});

Deno.test("event followers are bounded", async () => {
  await using server = new Program(VIRTUAL);
  const url = await server.controlUrl();
  const { counts, errors, leave } = await statuses(
    40,
    (signal) => fetch(`${url}/api/events`, { signal }),
  );
  assertEquals(counts, { 200: 32, 503: 8 });
  assertEquals(errors.length, 1);
  assertMatch(errors[0], /32/);
  await leave();
});

Deno.test("viewers are bounded, even when they connect at the same time", async () => {
  await using server = new Program(VIRTUAL);
  const live = `${(await server.controlUrl()).replace("http", "ws")}/api/live`;
  /** Opens a connection; resolves once it is accepted or refused. */
  const view = () => {
    const socket = new WebSocket(live), made = Promise.withResolvers<WebSocket>();
    socket.onopen = socket.onerror = () => made.resolve(socket);
    return made.promise;
  };
  const isOpen = ({ readyState }: WebSocket) => readyState === WebSocket.OPEN;
  // Clients that leave before their connection is accepted free their places.
  const upgrade =
    "GET /api/live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  for (let i = 0; i < 20; i++) {
    using connection = await Deno.connect({ port: Number(new URL(live).port) });
    await connection.write(new TextEncoder().encode(upgrade));
  }
  const first = await until(view, isOpen);
  const others = await Promise.all(Array.from({ length: 39 }, view));
  const open = [first, ...others].filter(isOpen);
  assert(open.length <= 8, `${open.length} are open`);
  for (const socket of open) socket.close();
  await until(async () =>
    (await Promise.all(Array.from({ length: 8 }, view))).filter((socket) => {
      const wasOpen = isOpen(socket);
      socket.close();
      return wasOpen;
    }).length, (count) => count === 8);
});

Deno.test("the size and nesting of bodies are bounded, however they are sent", async () => {
  await using server = new Program(VIRTUAL);
  const url = await server.controlUrl();
  const { host } = new URL(url);
  const post = (headers: string, body: string) =>
    `POST /api/move HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n${body}`;
  const long = "x".repeat(70_000), nested = "[".repeat(40) + "]".repeat(40);
  const cases: [request: string, status: number, error: RegExp][] = [
    [post("Content-Length: 70000\r\n", ""), 413, /larger than the 65536 bytes/],
    [post("Content-Length: 99999999999999999\r\n", ""), 413, /larger than the 65536 bytes/],
    [post("Transfer-Encoding: chunked\r\n", `11170\r\n${long}\r\n0\r\n\r\n`), 413, /larger than the 65536/],
    [post(`Content-Length: 80\r\n`, nested), 400, /nested deeper than 32/],
    [post("Content-Length: 4\r\n", "\xff\xfe{}"), 400, /not valid JSON/],
  ];
  for (const [request, status, error] of cases) {
    const answer = await sendRaw(url, request, '"}');
    assertEquals(rawStatus(answer), status, request.slice(0, 150));
    assertMatch(JSON.parse(answer.slice(answer.lastIndexOf('{"error"'))).error, error);
  }
  assertEquals((await fetch(`${url}/api/position`)).status, 200);
});

Deno.test({
  name: "an idle desktop holds no image memory and no thread",
  ignore: Deno.build.os !== "linux" || needTime("waits 30 s without a request").ignore,
}, async () => {
  await using server = await Xvfb.start();
  await using program = new Program(["--http", "0"], { env: server.env });
  await (await fetch(`${await program.controlUrl()}/api/screenshot`)).bytes();
  // SYSV marks memory shared with the X server (proc_pid_maps(5)).
  const hasShared = () => Deno.readTextFileSync(`/proc/${program.pid}/maps`).includes("SYSV");
  const hasWorker = () =>
    [...Deno.readDirSync(`/proc/${program.pid}/task`)].some(({ name }) =>
      Deno.readTextFileSync(`/proc/${program.pid}/task/${name}/comm`).startsWith("worker")
    );
  await until(hasWorker, (has) => has);
  assertEquals(hasShared(), true);
  await until(() => hasShared() || hasWorker(), (has) => !has);
});

Deno.test({
  name: "a client that leaves ends its text and its held key",
  ignore: Deno.build.os !== "linux" || need("Xvfb", "xinput").ignore,
}, async () => {
  await using server = await Xvfb.start();
  await using program = new Program(["--http", "0"], { env: server.env });
  const url = await program.controlUrl(), port = Number(new URL(url).port);
  const ended = async (action: string) =>
    (await (await fetch(`${url}/metrics`)).text()).includes(`{action="${action}",result="failed"} 1`);
  const calls = { key: { keys: "shift", hold_ms: 300_000 }, type: { text: "y".repeat(60_000) } };
  for (const [action, values] of Object.entries(calls)) {
    const body = JSON.stringify(values), client = await Deno.connect({ port });
    const send = (text: string) => client.write(new TextEncoder().encode(text));
    // Deno notices the end of a client itself only if the body comes with the headers.
    await send(`POST /api/${action} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n`);
    await send(`Content-Length: ${body.length}\r\n\r\n`);
    assertMatch(await readUntil(client, (text) => text.endsWith("\r\n\r\n")), /^HTTP\/1\.1 100 /);
    for (let sent = 0; sent < body.length;) sent += await send(body.slice(sent));
    if (action === "key") await until(() => keycodesDown(server), (down) => down.length === 1);
    client.close();
    await until(() => ended(action));
    assertEquals(await keycodesDown(server), []);
  }
});
