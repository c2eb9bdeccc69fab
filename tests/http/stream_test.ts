/** Bodies generated while they are sent, compression, and listeners that reopen. */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { urlHost } from "../../http/host.ts";
import { listen, LOOPBACK } from "../../http/listener.ts";
import { acceptsGzip, compressedFor, COMPRESSIBLE, streamOf } from "../../http/stream.ts";
import { sendRaw, UPGRADE } from "../support/notify_socket.ts";
import { until } from "../support/shell.ts";

/** A body of numbered pieces, and counts of the requested pieces and ends. */
function numbered(count: number, failsAt = Infinity) {
  const asked = { pieces: 0, ends: 0 };
  const body = streamOf(() => {
    if (asked.pieces === failsAt) throw new Error("cannot be made");
    return asked.pieces < count ? new Uint8Array(3).fill(++asked.pieces) : undefined;
  }, () => void asked.ends++);
  return { asked, reader: body.getReader() };
}

Deno.test("generates a piece when the reader asks for it, and reports the end once", async () => {
  const { asked, reader } = numbered(2);
  await Promise.resolve();
  assertEquals(asked, { pieces: 0, ends: 0 });
  for (const piece of [1, 2]) {
    assertEquals((await reader.read()).value!.slice(), new Uint8Array(3).fill(piece));
    assertEquals(asked, { pieces: piece, ends: 0 });
  }
  assertEquals((await reader.read()).done, true);
  await reader.cancel();
  assertEquals(asked, { pieces: 2, ends: 1 });
});

Deno.test("frees a piece's memory when the reader asks for the next", async () => {
  const { reader } = numbered(2);
  const { value: first } = await reader.read();
  assertEquals(first!.length, 3);
  await reader.read();
  assertEquals(first!.length, 0);
});

Deno.test("a canceling reader or a failing piece ends the body once", async () => {
  const left = numbered(9);
  await left.reader.read();
  await left.reader.cancel();
  await left.reader.cancel();
  assertEquals(left.asked, { pieces: 1, ends: 1 });
  const failing = numbered(9, 1);
  await failing.reader.read();
  await assertRejects(() => failing.reader.read(), Error, "cannot be made");
  await failing.reader.cancel().catch(() => {});
  assertEquals(failing.asked, { pieces: 1, ends: 1 });
});

// Clients that receive gzip, and their responses.

const LONG = "deskhand ".repeat(100);

Deno.test("uses gzip for clients that accept it and do not prefer identity", () => {
  const cases: [accepted: string | null, gzip: boolean][] = [
    [null, false],
    ["", false],
    ["gzip", true],
    ["GZIP", true],
    ["x-gzip", true],
    ["gzip, deflate, br, zstd", true],
    ["br , gzip ; q=0.5", true],
    ["gzip;q=0", false],
    ["gzip;q=0.000", false],
    ["gzip;q=0, *", false],
    ["*", true],
    ["*;q=0", false],
    ["br", false],
    ["identity", false],
    ["identity;q=0.5, gzip;q=1.0", true],
    ["identity, gzip;q=0.5", false],
    ["gzip;q=nonsense", false],
    ["gzip;level=9", false],
    ["gzipped", false],
  ];
  for (const [accepted, gzip] of cases) {
    const headers = new Headers(accepted === null ? [] : [["accept-encoding", accepted]]);
    assertEquals(acceptsGzip(headers), gzip, accepted ?? "no header");
  }
});

Deno.test("a compressed response keeps its status and headers, and has its own length", async () => {
  const request = new Request("http://a/", { headers: { "accept-encoding": "gzip" } });
  const answer = await compressedFor(
    request,
    new Response(LONG, { status: 404, headers: [COMPRESSIBLE, ["content-length", "900"], ["x-a", "b"]] }),
  );
  assertEquals(answer.status, 404);
  const { "content-length": length, ...headers } = Object.fromEntries(answer.headers);
  assertEquals(headers, {
    "content-encoding": "gzip",
    "content-type": "text/plain;charset=UTF-8",
    "vary": "accept-encoding",
    "x-a": "b",
  });
  const gzip = await answer.bytes();
  assertEquals(gzip.length, Number(length));
  const plain = new Blob([gzip]).stream().pipeThrough(new DecompressionStream("gzip"));
  assertEquals(await new Response(plain).text(), LONG);
});

Deno.test("other responses are unchanged", async () => {
  const gzip = { headers: { "accept-encoding": "gzip" } };
  const cases: [string, RequestInit, Response][] = [
    ["not accepted", {}, new Response(LONG, { headers: [COMPRESSIBLE] })],
    ["not marked", gzip, new Response(LONG)],
    [
      "compressed already",
      gzip,
      new Response(LONG, { headers: [COMPRESSIBLE, ["content-encoding", "gzip"]] }),
    ],
    ["no content", gzip, new Response(null, { status: 304, headers: [COMPRESSIBLE] })],
  ];
  for (const [name, init, answer] of cases) {
    assertEquals(await compressedFor(new Request("http://a/", init), answer) === answer, true, name);
  }
  const short = await compressedFor(
    new Request("http://a/", gzip),
    new Response("a", { headers: [COMPRESSIBLE] }),
  );
  assertEquals(short.headers.get("content-encoding"), null, "gzip would be longer");
  assertEquals(await short.text(), "a");
});

// A server that ended on its own reopens.

/** A server of "hello" whose listener on one address ends on a request for /end; and its reported errors. */
function mortal() {
  const notices: string[] = [], reported: unknown[] = [];
  const listener = listen({
    name: "Test server",
    port: 0,
    report: (error) => reported.push(error),
    notice: (text) => notices.push(text),
    // Deno ends a server whose handler upgrades a request but returns another response.
    handler: (request) => {
      if (request.url.endsWith("/end")) Deno.upgradeWebSocket(request);
      return Promise.resolve(new Response("hello"));
    },
  });
  return { listener, notices, reported };
}

/** Ends the listener. Returns the connection, which is never answered, for the caller to close. */
async function end(hostname: string, port: number): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname, port });
  await connection.write(new TextEncoder().encode(`GET /end HTTP/1.1\r\nHost: localhost\r\n${UPGRADE}`));
  return connection;
}

const place = (address: string, port: number) => `${urlHost(address)}:${port}`;

for (const address of LOOPBACK) {
  Deno.test({
    name: `a listener on ${address} that ends without an error reopens, and both are logged`,
    sanitizeOps: false, // the upgrade that ends the listener is never finished
    sanitizeResources: false,
  }, async () => {
    const { listener, notices, reported } = mortal();
    const at = place(address, listener.port),
      request = `GET / HTTP/1.1\r\nHost: ${at}\r\nConnection: close\r\n\r\n`;
    try {
      using waiting = await Deno.connect({ hostname: address, port: listener.port });
      assertMatch(await sendRaw(`http://${at}`, request), /hello$/);
      using _unanswered = await end(address, listener.port);
      assertEquals(await waiting.read(new Uint8Array(1)), null, "an open connection ends with its listener");
      await until(() => notices.length, (count) => count === 2);
      assertEquals(notices, [
        `Test server: no connection can be taken for now: the listener on ${at} ended by itself`,
        `Test server: connections are taken again on ${at}`,
      ]);
      for (const other of LOOPBACK) {
        const answer = await fetch(`http://${place(other, listener.port)}/`);
        assertEquals([answer.status, await answer.text()], [200, "hello"], other);
      }
      assertEquals(reported, []);
    } finally {
      await listener.close();
    }
  });
}

Deno.test({
  name: "a closed listener stays closed, even if it had ended before",
  sanitizeOps: false, // the upgrade that ends the listener is never finished
  sanitizeResources: false,
}, async () => {
  const closed = mortal(), later = mortal(), [address] = LOOPBACK;
  using _first = await end(address, closed.listener.port);
  await until(() => closed.notices.length);
  await closed.listener.close();
  using _second = await end(address, later.listener.port);
  await until(() => later.notices.length, (count) => count === 2);
  // The one that ended later has reopened, so the closed one would have as well.
  assertEquals(closed.notices.length, 1);
  await assertRejects(
    () => Deno.connect({ hostname: address, port: closed.listener.port }),
    Deno.errors.ConnectionRefused,
  );
  await later.listener.close();
});
