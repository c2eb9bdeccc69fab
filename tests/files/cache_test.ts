/** Files and answers that are kept in memory. */

import { assertEquals } from "@std/assert";
import { ContentCache, type Kept } from "../../files/cache.ts";

/** A cache of files that are found at their own place, as `look` says that they are. */
const cacheOf = (look: () => Deno.FileInfo | null, limit?: number) =>
  new ContentCache<Kept>((real) => {
    const info = look();
    return info ? { real, info } : undefined;
  }, limit);

Deno.test("the cache keeps what is unchanged, within its bound", async () => {
  const info = (size: number, time: number) =>
    ({ size, ino: 1, dev: 1, mtime: new Date(time), ctime: new Date(0) }) as Deno.FileInfo;
  let now: Deno.FileInfo | null = info(3000, 5);
  let looks = 0;
  const cache = cacheOf(() => (looks++, now), 10_000);
  const file = { place: "/a", real: "/a", info: now, content: new Uint8Array(3000) };
  cache.set("a", file);
  assertEquals(await Promise.all([cache.get("a"), cache.get("a")]), [file, file]);
  assertEquals(looks, 1, "who asks at one moment shares a look");
  assertEquals(await cache.get("a"), file);
  assertEquals(looks, 2, "who asks later gets another");
  now = info(3000, 6);
  assertEquals(await cache.get("a"), undefined);
  assertEquals([cache.get("a"), cache.bytes], [undefined, 0]);
  now = info(3000, 5);
  for (const name of ["a", "b"]) cache.set(name, file);
  await cache.get("a"); // used: b is the oldest now
  cache.set("c", file);
  assertEquals(["a", "b", "c"].map((name) => cache.get(name) !== undefined), [true, false, true]);
  assertEquals(cache.bytes <= 10_000, true);
  now = null;
  assertEquals(await cache.get("a"), undefined);
});

Deno.test("a file is forgotten when its place leads to it by another way, or out of reach", async () => {
  const info = { size: 1 } as Deno.FileInfo;
  let real: string | undefined = "/root/a";
  const cache = new ContentCache<Kept>(() => real === undefined ? undefined : { real, info });
  const file = { place: "/root/a", real, info };
  for (const later of ["/root/b", undefined]) {
    real = "/root/a";
    cache.set("a", file);
    assertEquals(await cache.get("a"), file);
    real = later;
    assertEquals([await cache.get("a"), cache.get("a"), cache.bytes], [undefined, undefined, 0]);
  }
});

Deno.test("a look that began before a file was kept anew leaves the new one alone", async () => {
  const info = { size: 1 } as Deno.FileInfo;
  let now: Deno.FileInfo | null = null;
  const cache = cacheOf(() => now);
  const older = { place: "/a", real: "/a", info, content: new Uint8Array(1) }, newer = { ...older };
  cache.set("a", older);
  const asked = cache.get("a");
  cache.set("a", newer);
  assertEquals(await asked, undefined);
  now = info;
  assertEquals(await cache.get("a") === newer, true);
  for (let i = 0; i < 2; i++) {
    cache.keepAnswer("a", older, "", new Response("made", { headers: { "content-length": "4" } }));
  }
  assertEquals([cache.answer("a", older, ""), cache.answer("a", newer, "")], [undefined, undefined]);
  assertEquals(cache.bytes, 1 + 1024, "no answer is kept with another file than its own");
});

Deno.test("answers of a kept file count to the bound, and go with the file", async () => {
  const info = { size: 3000 } as Deno.FileInfo;
  let now: Deno.FileInfo | null = info;
  const cache = cacheOf(() => now, 100_000);
  const file = { place: "/a", real: "/a", info, content: new Uint8Array(3000) };
  const keepOnce = (which: string, length = 100, status = 200) => {
    const headers = { "content-length": String(length) };
    cache.keepAnswer("a", file, which, new Response(which.padEnd(100, "."), { status, headers }));
  };
  const keep = (...answer: Parameters<typeof keepOnce>) => {
    keepOnce(...answer);
    keepOnce(...answer);
  };
  keep("x");
  assertEquals([cache.answer("a", file, "x"), cache.bytes], [undefined, 0], "nothing is kept of no file");
  cache.set("a", file);
  const alone = cache.bytes;
  keepOnce("x");
  assertEquals([cache.answer("a", file, "x"), cache.bytes], [undefined, alone], "it was asked for once only");
  keepOnce("x");
  for (let i = 0; i < 3; i++) assertEquals(await cache.answer("a", file, "x")!.text(), "x".padEnd(100, "."));
  const withAnswer = cache.bytes;
  assertEquals(withAnswer > alone + 100, true);
  for (let i = 0; i < 3; i++) keep("x"); // by others who asked before it was kept
  assertEquals(cache.bytes, withAnswer);
  keep("y");
  assertEquals([cache.answer("a", file, "x"), cache.answer("a", file, "y")].includes(undefined), false);
  for (let i = 0; i < 1000; i++) keep(`${i}`);
  assertEquals(cache.bytes < alone + 17 * (withAnswer - alone), true, "the answers of one file are bounded");
  keep("bad", 100, 416);
  assertEquals(cache.answer("a", file, "bad"), undefined);
  keep("large", 1_000_000);
  assertEquals([cache.answer("a", file, "large"), cache.answer("a", file, "999") === undefined], [
    undefined,
    false,
  ]);
  now = null;
  assertEquals(await cache.get("a"), undefined);
  assertEquals([cache.answer("a", file, "999"), cache.bytes], [undefined, 0]);
});
