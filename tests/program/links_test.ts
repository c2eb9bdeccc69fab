/** `deskhand link` and the links it creates. */

import { assertEquals, assertMatch } from "@std/assert";
import { Program, run } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { statusOf } from "../support/uploads.ts";

const TOKEN = "a-token-of-the-links-tests";

/** Runs `deskhand link` for the deskhand at an address. */
const link = (url: string, ...args: string[]) =>
  run(["link", "--http", new URL(url).port, "--token", TOKEN, ...args]);

const POINT = { x: 1, y: 2 };
/** Calls with their statuses for a look link, an act link, and the main token. */
const CALLS: [method: string, path: string, body: unknown, look: number, act: number, main: number][] = [
  ["GET", "/api/position", undefined, 200, 200, 200],
  ["GET", "/api/screenshot", undefined, 200, 200, 200],
  ["GET", "/api/screen", undefined, 200, 200, 200],
  ["POST", "/api/wait", { still: { ms: 1 } }, 200, 200, 200],
  ["POST", "/api/move", POINT, 403, 200, 200],
  ["POST", "/api/type", { text: "x" }, 403, 200, 200],
  ["POST", "/api/find", { text: "x", source: "element" }, 200, 200, 200],
  ["POST", "/api/find", { text: "x", source: "element", click: "left" }, 403, 404, 404],
  ["POST", "/api/find?click=left", { text: "x", source: "element" }, 403, 404, 404],
  ["GET", "/api/clipboard", undefined, 403, 200, 200],
  ["PUT", "/api/clipboard", { text: "x" }, 403, 200, 200],
  ["POST", "/api/recording/start", {}, 403, 200, 409], // already recording
  ["GET", "/api/events", undefined, 403, 200, 200],
  ["POST", "/api/act", { dialect: "openai", action: { type: "move", ...POINT } }, 403, 200, 200],
  ["POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "ping" }, 403, 200, 200],
  ["POST", "/api/links", {}, 403, 403, 200],
  ["GET", "/api/links", undefined, 403, 403, 200],
  ["GET", "/api/screenshot?seen=a", undefined, 403, 200, 200],
  // Otherwise an agent that came by a link would answer its own question; there is none here.
  ["POST", "/api/agents/answer", { id: 1, answer: "always" }, 403, 403, 404],
  ["POST", "/api/agents/forget", {}, 403, 403, 200],
  ["DELETE", "/api/links?id=1", undefined, 403, 403, 200],
];

Deno.test("a link looks or acts, never creates links, and ends when it is revoked", async () => {
  await using program = new Program(["--desktop", "virtual", "--http", "0", "--token", TOKEN]);
  const url = await program.controlUrl();
  const [look, act] = [await link(url, "--look", "--name", "Ada"), await link(url, "--hours", "0.5")].map(
    ({ code, stdout, stderr }) => {
      assertEquals([code, stderr], [0, ""]);
      assertMatch(stdout, /^It works on this machine only: .* --host, or a proxy\.$/m);
      return /#token=(\S+)/.exec(stdout)![1];
    },
  );
  const call = async (token: string, method: string, path: string, body?: unknown) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    return await statusOf(fetch(url + path, { method, headers, body: JSON.stringify(body) }));
  };
  for (const [method, path, body, ...wanted] of CALLS) {
    const got = [];
    for (const token of [look, act, TOKEN]) got.push(await call(token, method, path, body));
    assertEquals(got, wanted, `${method} ${path}`);
  }
  // The table's last call revoked the first link, "look".
  assertEquals(await call(look, "GET", "/api/position"), 401);
  const listed = await link(url, "--list");
  assertMatch(listed.stdout, /^2 +act +until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n3 +look +until .*\n$/);
  assertEquals((await link(url, "--revoke", "2")).code, 0);
  assertEquals(await call(act, "GET", "/api/position"), 401);
  const unknown = await link(url, "--revoke", "2");
  assertEquals([unknown.code, unknown.stderr], [1, 'deskhand: there is no open link "2"\n']);
  assertEquals(program.stdout.includes(look) || program.stderr.includes(look), false);
});

Deno.test("a guest's live view and waits end with the link, and a guest who looks cannot act through it", async () => {
  await using program = new Program(["--desktop", "virtual", "--http", "0", "--token", TOKEN]);
  const url = await program.controlUrl();
  const owner = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    return await (await fetch(url + path, { method, headers, body: JSON.stringify(body) })).json();
  };
  const { id, links } = await owner("POST", "/api/links", { name: "Ada", hours: 1 });
  const token = new URL(links[0]).hash.slice("#token=".length);
  const messages: Record<string, unknown>[] = [];
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/live`, [
    "deskhand",
    `deskhand.token.${btoa(token).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`,
  ]);
  socket.onmessage = ({ data }) => typeof data === "string" && messages.push(JSON.parse(data));
  const closed = new Promise<CloseEvent>((resolve) => socket.onclose = resolve);
  const told = async (kind: string) => (await until(() => messages.find(({ type }) => type === kind)))!;
  const screen = await told("screen");
  assertEquals([screen.readOnly, screen.isGuest], [true, true]);
  socket.send(JSON.stringify({ type: "move", ...POINT }));
  assertEquals((await told("error")).message, "this link is view-only");
  assertEquals((await owner("GET", "/api/history")).actions, []);
  assertEquals((await owner("GET", "/api/links")).viewers, [{ name: "Ada", rights: "look" }]);
  const waiting = fetch(`${url}/api/wait`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ pixel: { x: 1, y: 1, hex: "#123456" }, timeout_ms: 60_000 }),
  });
  await owner("DELETE", `/api/links?id=${id}`);
  assertEquals((await closed).code, 1008);
  const answer = await waiting; // when the link ends, long before the wait's own timeout
  assertMatch((await answer.json()).error, /this link has expired or was revoked/);
  await until(() => owner("GET", "/api/links"), ({ viewers }) => viewers.length === 0);
});

Deno.test("link says what is wrong", async () => {
  await using program = new Program(["--desktop", "virtual", "--http", "0", "--token", TOKEN]);
  const url = await program.controlUrl();
  for (
    const [args, code, words] of [
      [["--hours", "0"], 1, /hours must be a number from 0\.02 to 720/],
      [["--hours", "two"], 2, /--hours takes a number such as 2 or 0\.5, not "two"/],
      [["--list", "--revoke", "1"], 2, /--list and --revoke cannot be combined/],
    ] as const
  ) {
    const given = await link(url, ...args);
    assertEquals(given.code, code, given.stderr);
    assertMatch(given.stderr, words);
  }
  const missing = await link("http://127.0.0.1:1");
  assertEquals(missing.code, 2);
  assertMatch(missing.stderr, /no deskhand answers at http:\/\/127\.0\.0\.1:1: start it with --http/);
});
