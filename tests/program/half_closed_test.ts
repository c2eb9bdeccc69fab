/** Clients that close their sending half after the request, such as `nc -N`, and then read the answer. */

import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { readUntil } from "../support/notify_socket.ts";

const OPTIONS = ["--desktop", "virtual", "--http", "0", "--files-port", "0"];

/**
 * Sends a request, closes the sending half, and reads the answer.
 * @param body Sent once the server has read the headers and waits for a body (`100 Continue`).
 */
async function ask(url: string, request: string, body?: string): Promise<string> {
  const { hostname, port } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const send = (text: string) => connection.write(new TextEncoder().encode(text));
  await send(request);
  if (body !== undefined) {
    assertMatch(await readUntil(connection, (text) => text.endsWith("\r\n\r\n")), /^HTTP\/1\.1 100 /);
    await send(body);
  }
  await connection.closeWrite();
  return await readUntil(connection);
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const post = (path: string, length: number, headers = "") =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n${headers}\r\n`;

Deno.test("a client that closes its sending half gets an answer that is ready immediately", async () => {
  await using program = new Program(OPTIONS.slice(0, 4));
  const url = await program.controlUrl();
  const move = '{"x":3,"y":4}';
  const cases: [request: string, end: RegExp][] = [
    [post("/api/move", move.length) + move, /\{"ok":true\}$/],
    [get("/api/position"), /\{"x":3,"y":4\}$/],
    [get("/api/pixel?x=5&y=5"), /"hex":"#28485f"\}$/],
    [get("/"), /<\/html>\s*$/],
    [get("/api/nothing"), /404 [^]*"error"/],
  ];
  for (const [request, end] of cases) assertMatch(await ask(url, request), end, request);
  assertEquals(program.stderr, "");
});

Deno.test("a client that closes its sending half after a body gets an answer that takes time", async () => {
  await using program = new Program(OPTIONS.slice(0, 4));
  const url = await program.controlUrl();
  const cases: [path: string, length: number, body: string, end: RegExp][] = [
    ["/api/move", 13, '{"x":3,"y":4}', /\{"ok":true\}$/],
    ["/api/wait", 19, '{"still":{"ms":50}}', /\{"ok":true,"ms":\d+\}$/],
    ["/api/move", 14, '{"x":3,"y":4}', /400 Bad Request[^]*the body is incomplete/],
  ];
  for (const [path, length, body, end] of cases) {
    assertMatch(await ask(url, post(path, length, "Expect: 100-continue\r\n"), body), end, path);
  }
  assertEquals(await (await fetch(`${url}/api/position`)).json(), { x: 3, y: 4 });
  assertEquals(program.stderr, "");
});

Deno.test("a client that closes its sending half gets a small cached file", async () => {
  // A file that has just changed would not be cached, so this one belongs to the project.
  const folder = fromFileUrl(new URL("../../docs", import.meta.url));
  await using program = new Program([...OPTIONS.slice(4), "--files", folder]);
  const url = await program.filesUrl();
  // The listings let the event loop turn, so that the file's last client is alone.
  for (const path of ["/page.md", "/", "/?format=json"]) await (await fetch(url + path)).bytes();
  const text = await Deno.readTextFile(`${folder}/page.md`);
  assertEquals((await ask(url, get("/page.md"))).split("\r\n\r\n")[1], text);
  // Whether a file is missing is checked on another thread, since its disk may not answer, so that answer is
  // not ready immediately.
  assertMatch(await ask(url, "PATCH /page.md HTTP/1.1\r\nHost: localhost\r\n\r\n"), / 405 [^]*GET/);
});

Deno.test({ name: "nc -N is answered", ...need("nc.openbsd") }, async () => {
  await using program = new Program(OPTIONS.slice(0, 4));
  const { port } = new URL(await program.controlUrl());
  const child = new Deno.Command("nc.openbsd", {
    args: ["-N", "127.0.0.1", port],
    stdin: "piped",
    stdout: "piped",
  })
    .spawn();
  const input = child.stdin.getWriter();
  await input.write(new TextEncoder().encode(get("/api/position")));
  await input.close();
  const { stdout } = await child.output();
  assertMatch(new TextDecoder().decode(stdout), /\r\n\r\n\{"x":640,"y":360\}$/);
});
