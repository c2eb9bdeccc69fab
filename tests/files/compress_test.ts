/** Files that are sent compressed. */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { preferredCoding } from "../../http/stream.ts";
import { Compressor } from "../../files/compressor.ts";
import { LATER, served, statusOf } from "../support/uploads.ts";

/** The compression thread stays for a while after the last file. */
const THREAD = { sanitizeOps: false, sanitizeResources: false };
const BOTH = { "accept-encoding": "gzip, deflate, br, zstd" };
const TEXT = "All work and no play makes Jack a dull boy.\n".repeat(200);

Deno.test("the coding that a client prefers is chosen, and br before gzip", () => {
  const cases: [string | undefined, string | undefined][] = [
    [undefined, undefined],
    ["", undefined],
    ["identity", undefined],
    ["gzip, deflate, br", "br"],
    ["gzip", "gzip"],
    ["x-gzip", "gzip"],
    ["BR", "br"],
    ["br;q=0.5, gzip", "gzip"],
    ["br;q=0, gzip;q=0.1", "gzip"],
    ["*", "br"],
    ["br;q=0, *", "gzip"],
    ["gzip;q=0.5, identity", undefined],
    ["br;q=0, gzip;q=0", undefined],
    ["zstd", undefined],
  ];
  for (const [accepted, coding] of cases) {
    const headers = new Headers(accepted === undefined ? {} : { "accept-encoding": accepted });
    assertEquals(preferredCoding(headers, ["br", "gzip"]), coding, accepted);
  }
});

Deno.test({ name: "text is sent compressed, with its own tag", ...THREAD }, async () => {
  await served(async (root, ask) => {
    await Deno.writeTextFile(`${root}/a.txt`, TEXT);
    const plain = await ask("/a.txt");
    const tags = new Set([plain.headers.get("etag")]);
    assertEquals(plain.headers.get("vary"), "accept-encoding");
    assertEquals(await plain.text(), TEXT);
    for (const [coding, decompress] of [["br", brotliDecompressSync], ["gzip", gunzipSync]] as const) {
      for (let i = 0; i < 4; i++) { // compressed, then from the cache
        const answer = await ask("/a.txt", { headers: { "accept-encoding": coding } });
        const { status, headers } = answer;
        const content = await answer.bytes();
        assertEquals([status, headers.get("content-encoding"), headers.get("vary")], [
          200,
          coding,
          "accept-encoding",
        ]);
        assertEquals(headers.get("content-length"), `${content.length}`);
        assertEquals(headers.get("content-type"), "text/plain; charset=utf-8");
        assertEquals(headers.get("content-disposition"), `inline; filename="a.txt"`);
        assert(headers.get("last-modified") !== null); // no ranges are joined by it: see conditional_test.ts
        assertEquals(new TextDecoder().decode(decompress(content)), TEXT);
        tags.add(headers.get("etag"));
      }
      const head = await ask("/a.txt", { method: "HEAD", headers: { "accept-encoding": coding } });
      assertEquals(head.headers.get("content-encoding"), coding);
    }
    assertEquals(tags.size, 3);
    assertEquals(await (await ask("/a.txt")).text(), TEXT);
    for (const tag of tags) {
      const headers = { ...BOTH, "if-none-match": tag! };
      const isBr = tag!.includes("-br");
      assertEquals(await statusOf(ask("/a.txt", { headers })), isBr ? 304 : 200, tag!);
    }
  }, { clock: LATER });
});

Deno.test({ name: "a range applies to the uncompressed file", ...THREAD }, async () => {
  await served(async (root, ask) => {
    await Deno.writeTextFile(`${root}/a.txt`, TEXT);
    const compressed = (await ask("/a.txt", { headers: BOTH })).headers.get("etag")!;
    for (let i = 0; i < 4; i++) {
      const range = await ask("/a.txt", { headers: { ...BOTH, range: "bytes=4-7" } });
      assertEquals([range.status, range.headers.get("content-encoding")], [206, null]);
      assertEquals(range.headers.get("content-range"), `bytes 4-7/${TEXT.length}`);
      assertEquals(await range.text(), "work");
      assertNotEquals(range.headers.get("etag"), compressed);
    }
    const headers = { ...BOTH, range: "bytes=4-7", "if-range": compressed };
    const whole = await ask("/a.txt", { headers });
    assertEquals([whole.status, await whole.text()], [200, TEXT]);
  }, { clock: LATER });
});

Deno.test({ name: "a file that compression barely shrinks is sent uncompressed", ...THREAD }, async () => {
  await served(async (root, ask) => {
    const noise = crypto.getRandomValues(new Uint8Array(5000));
    await Deno.writeFile(`${root}/noise.txt`, noise);
    await Deno.writeFile(`${root}/zeros.bin`, new Uint8Array(5000));
    await Deno.writeTextFile(`${root}/short.txt`, "a".repeat(1000));
    await Deno.writeFile(`${root}/picture.png`, new Uint8Array(5000));
    await Deno.writeFile(`${root}/long.txt`, new Uint8Array(5_000_000));
    for (const name of ["noise.txt", "zeros.bin", "short.txt", "picture.png", "long.txt"]) {
      for (let i = 0; i < 3; i++) {
        const answer = await ask(`/${name}`, { headers: BOTH });
        assertEquals(answer.headers.get("content-encoding"), null, name);
        assertEquals(answer.headers.get("content-length"), `${(await answer.bytes()).length}`);
      }
    }
    assertEquals(await (await ask("/noise.txt", { headers: BOTH })).bytes(), noise);
  }, { clock: LATER });
});

Deno.test({
  name: "megabytes of text are compressed too, and changed text is never stale",
  ...THREAD,
}, async () => {
  await served(async (root, ask) => {
    for (const letter of ["a", "b"]) {
      await Deno.writeTextFile(`${root}/a.json`, `"${letter.repeat(2_000_000)}"`);
      const answer = await ask("/a.json", { headers: BOTH });
      assertEquals(answer.headers.get("content-encoding"), "br");
      const text = new TextDecoder().decode(brotliDecompressSync(await answer.bytes()));
      assertEquals([text.length, text[1]], [2_000_002, letter]);
    }
  });
});

Deno.test({ name: "a file is compressed once for all simultaneous requests", ...THREAD }, async () => {
  const compressor = new Compressor<object>(), file = {};
  let reads = 0;
  const kept: number[] = [];
  const make = (of: object) =>
    compressor.compressed(of, "gzip", () => {
      reads++;
      return Promise.resolve(new TextEncoder().encode(TEXT));
    }, ({ length }) => kept.push(length));
  const made = await Promise.all([make(file), make(file), make(file)]);
  assertEquals(made.map((content) => content?.length), [kept[0], kept[0], kept[0]]);
  await make(file);
  assertEquals([reads, kept.length], [1, 1]);
  // Files beyond the queue's limit are sent uncompressed for now.
  const many = await Promise.all(Array.from({ length: 20 }, () => make({})));
  assertEquals(many.filter((content) => content === null).length, 4);
  const failing = compressor.compressed(file, "br", () => Promise.reject(new Error("gone")), () => {});
  assertEquals(await failing.catch(({ message }) => message), "gone");
});
