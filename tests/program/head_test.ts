/** HEAD over every version of HTTP: GET's answer without the content. */

import { assertEquals, assertMatch } from "@std/assert";
import { delay } from "@std/async/delay";
import { certificate } from "../support/certificate.ts";
import { need } from "../support/need.ts";
import { readUntil } from "../support/notify_socket.ts";
import { Program } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";

const CONTROL = [
  "/api/position",
  "/api/screen",
  "/api/screenshot",
  "/api/screenshot?format=png",
  "/",
  "/api/nothing",
  "/api/move",
  "/api/pixel?x=-1&y=0",
];
const FILES = [
  "/small.txt",
  "/empty.txt",
  "/large.bin",
  "/",
  "/?format=json",
  "/nothing",
  "/folder",
  "/folder/",
];

/**
 * Status and headers of the answers to curl, address by address, without headers that depend on the moment or
 * connection.
 */
async function headersOf(args: string[], urls: string[]): Promise<[url: string, headers: string[]][]> {
  // curl 7.88 sends no second request on such a connection.
  if (args.includes("--http2-prior-knowledge") && urls.length > 1) {
    const answers = [];
    for (const url of urls) answers.push(...await headersOf(args, [url]));
    return answers;
  }
  const { code, stdout } = await new Deno.Command("curl", {
    args: ["-sk", "-m", "180", "-D", "-", ...args, ...urls.flatMap((url) => ["-o", "/dev/null", url])],
  }).output();
  assertEquals(code, 0, `${args}`);
  const answers = new TextDecoder().decode(stdout).trim().split("\r\n\r\n");
  assertEquals(answers.length, urls.length, `${args}`);
  return answers.map((answer, i) => [
    urls[i],
    answer.split("\r\n").filter((line) => !/^(date|connection|transfer-encoding):/i.test(line)).sort(),
  ]);
}

Deno.test({ name: "HEAD is answered like GET, without content", ...need("curl", "openssl") }, async () => {
  await temporary(async (folder) => {
    const { cert, key } = await certificate(folder), root = `${folder}/root`;
    await Deno.mkdir(`${root}/folder`, { recursive: true });
    await Deno.writeTextFile(`${root}/small.txt`, "hello");
    await Deno.writeTextFile(`${root}/empty.txt`, "");
    await Deno.writeFile(`${root}/large.bin`, new Uint8Array(5_000_000));
    const servers = ["--desktop", "virtual", "--http", "0", "--files", root, "--files-port", "0"];
    for (
      const [options, versions] of [
        [[], ["--http1.1", "--http2-prior-knowledge"]],
        [["--cert", cert, "--key", key], ["--http1.1", "--http2"]],
      ]
    ) {
      await using program = new Program([...servers, ...options], {
        env: { DESKHAND_CLOCK: "2026-01-15T09:41" },
      });
      const scheme = options.length ? "https:" : "http:";
      const control = (await program.controlUrl()).replace("http:", scheme);
      const files = (await program.filesUrl()).replace("http:", scheme);
      // The validator of a file that was just written changes from weak to strong.
      await until(async () => {
        const [[, headers]] = await headersOf(["-I"], [`${files}/large.bin`]);
        return !headers.some((header) => header.startsWith("etag: W/"));
      });
      for (const version of versions) {
        const urls = [...CONTROL.map((path) => control + path), ...FILES.map((path) => files + path)];
        for (
          const extra of [[], ["--compressed"], ["-r", "1-3"], [
            "-H",
            "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT",
          ]]
        ) {
          const args = [version, ...extra];
          assertEquals(await headersOf([...args, "-I"], urls), await headersOf(args, urls), `${args}`);
        }
        // An endless stream has no length; each request frees its place again.
        await headersOf([version, "-I"], Array.from({ length: 40 }, () => `${control}/api/events`));
      }
      assertEquals(program.stderr, "");
    }
  });
});

// Clients that leave while they wait for an answer, after a body that came in a separate packet.

const OPTIONS = ["--desktop", "virtual", "--http", "0"];
/** Where a click leaves a ring, and the center of the ring's image. */
const RING = { x: 300, y: 200 }, MIDDLE = { x: 300, y: 195 };

/** Sends the headers, and the body 50 ms later. @param more Further headers, each with its line's end. */
async function ask(
  url: string,
  path: string,
  body: Uint8Array<ArrayBuffer>,
  more = "",
): Promise<Deno.TcpConn> {
  const { hostname, port } = new URL(url);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${more}` +
    `Content-Length: ${body.length}\r\n\r\n`;
  await connection.write(new TextEncoder().encode(head));
  await delay(50);
  for (let sent = 0; sent < body.length;) sent += await connection.write(body.subarray(sent));
  return connection;
}

/** Draws the ring. */
const show = (url: string) => post(url, "click", { ...RING, button: "left" });
const post = async (url: string, path: string, body: unknown) =>
  await (await fetch(`${url}/api/${path}`, { method: "POST", body: JSON.stringify(body) })).json();
const position = async (url: string) => await (await fetch(`${url}/api/position`)).json();

/** The ring's image, from a separate desktop. */
async function pictureOfRing(): Promise<Uint8Array<ArrayBuffer>> {
  await using program = new Program(OPTIONS);
  const url = await program.controlUrl();
  await show(url);
  return await (await fetch(`${url}/api/screenshot?format=png&x=280&y=180&width=40&height=30`)).bytes();
}

/** Waits until this many calls of an action have failed. */
async function failed(url: string, action: string, count: number): Promise<void> {
  const line = `deskhand_actions_total{action="${action}",result="failed"} ${count}\n`;
  await until(async () => (await (await fetch(`${url}/metrics`)).text()).includes(line));
}

Deno.test("a client that left while it waited gets no click; one that stays does", async () => {
  const png = await pictureOfRing(), path = "/api/find?click=left&timeout_ms=600000";
  await using program = new Program(OPTIONS);
  const url = await program.controlUrl();
  const leaving = await Promise.all(Array.from({ length: 3 }, () => ask(url, path, png)));
  leaving[0].close();
  await leaving[1].closeWrite(); // indistinguishable from a client that left
  leaving[2].close();
  await failed(url, "clickPicture", 3);
  leaving[1].close();
  const last = await ask(url, path, png);
  last.close();
  await show(url); // immediately, before anything checks the client
  await failed(url, "clickPicture", 4);
  assertEquals(await position(url), RING);
  using staying = await ask(url, path, png);
  assertMatch(await readUntil(staying), / 200 OK[^]*"matches":\[\{/);
  assertEquals(await position(url), MIDDLE);
  assertEquals(program.stderr, "");
});

Deno.test("a client that stays for seconds before the image appears gets its click", async () => {
  const png = await pictureOfRing();
  await using program = new Program(OPTIONS);
  const url = await program.controlUrl();
  using staying = await ask(url, "/api/find?click=left&timeout_ms=600000", png);
  await delay(2500); // two checks of the client
  await show(url);
  assertMatch(await readUntil(staying), / 200 OK[^]*"matches":\[\{/);
  assertEquals(await position(url), MIDDLE);
});

Deno.test("a waiting client that leaves frees its place for another", async () => {
  await using program = new Program(OPTIONS);
  const url = await program.controlUrl();
  const body = new TextEncoder().encode('{"pixel":{"x":1,"y":1,"hex":"#ffffff"},"timeout_ms":600000}');
  const leaving = await Promise.all(Array.from({ length: 64 }, () => ask(url, "/api/wait", body)));
  await until(async () => {
    const isFull = (await post(url, "wait", { still: { ms: 1 } })).error !== undefined;
    // This request may have taken a place before one of the others, which was then refused.
    if (!isFull) leaving.push(await ask(url, "/api/wait", body));
    return isFull;
  });
  leaving.forEach((connection) => connection.close());
  await failed(url, "wait", leaving.length + 1);
  assertEquals((await post(url, "wait", { still: { ms: 1 } })).ok, true);
});

Deno.test({
  name: "a client that resets its connection immediately ends its held key",
  ignore: Deno.build.os !== "linux",
}, async () => {
  await using program = new Program(OPTIONS);
  const url = await program.controlUrl();
  const body = new TextEncoder().encode('{"keys":"shift","hold_ms":300000}');
  const presses = async () => {
    const { actions } = await (await fetch(`${url}/api/history`)).json();
    return actions.filter(({ type, down }: { type: string; down?: boolean }) => type === "key" && down)
      .length;
  };
  const found = await ask(url, "/api/key", body);
  await until(async () => await presses() === 1);
  found.close();
  await failed(url, "key", 1);
  const resetting = await ask(url, "/api/key", body, "Expect: 100-continue\r\n");
  await until(async () => await presses() === 2);
  await resetting.read(new Uint8Array(1)); // closing with the rest unread resets the connection
  resetting.close();
  await failed(url, "key", 2);
});
