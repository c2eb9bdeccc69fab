/** Clients that get gzip, and their answers. */

import { assertEquals } from "@std/assert";
import { acceptsGzip, compressedFor, COMPRESSIBLE } from "../../http/stream.ts";

const LONG = "deskhand ".repeat(100);

Deno.test("gzip is for clients that accept it and do not prefer no coding", () => {
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

Deno.test("a compressed answer keeps its status and headers, and has its own length", async () => {
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

Deno.test("other answers stay as they are", async () => {
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
