/** Files and responses that are cached in memory. */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { type Cacheable, FileCache } from "../../files/cache.ts";
import { type Entry, totalsOf } from "../../files/listing/entry.ts";
import { listParts } from "../../files/listing/list.ts";
import { readEntries } from "../../files/listing/read.ts";
import { Root } from "../../files/resolve.ts";
import { findSecrets } from "../../files/secrets.ts";
import { RequestError } from "../../http/request.ts";
import { served } from "../support/uploads.ts";

Deno.test("the cache holds current files, within its limit", async () => {
  let current = true, checks = 0;
  const cache = new FileCache<Cacheable>(() => (checks++, current), 10_000);
  const file = { content: new Uint8Array(3000) };
  cache.set("a", file);
  const clients = Array.from({ length: 9 }, () => cache.get("a"));
  assertEquals(await Promise.all(clients), clients.map(() => file));
  assertEquals(checks, 2, "of clients that ask at one moment all but the first share a check");
  assertEquals(await cache.get("a"), file);
  assertEquals(checks, 3, "one that asks later causes another");
  current = false;
  assertEquals([await cache.get("a"), cache.bytes], [undefined, 0]);
  current = true;
  assertEquals(await cache.get("a"), undefined, "a file that changed is removed");
  for (const name of ["a", "b"]) cache.set(name, file);
  await cache.get("a"); // used: now b is the oldest
  cache.set("c", file);
  assertEquals(
    [await cache.get("a"), await cache.get("b"), await cache.get("c")],
    [file, undefined, file],
  );
  assertEquals(cache.bytes <= 10_000, true);
});

Deno.test("a file that is cached again while the old one is checked stays", async () => {
  let current = false;
  const cache = new FileCache<Cacheable>(() => current);
  const older = { content: new Uint8Array(1) }, newer = { ...older };
  cache.set("a", older);
  const checked = cache.get("a");
  cache.set("a", newer);
  assertEquals(await checked, undefined);
  current = true;
  assertEquals(await cache.get("a") === newer, true);
  for (let i = 0; i < 2; i++) {
    cache.cacheResponse("a", older, "", new Response("made", { headers: { "content-length": "4" } }));
  }
  assertEquals([cache.response("a", older, ""), cache.response("a", newer, "")], [undefined, undefined]);
  assertEquals(cache.bytes, 1 + 1024, "no response is cached with another file than its own");
});

Deno.test("responses of a cached file count towards the limit, and are evicted with the file", async () => {
  let current = true;
  const cache = new FileCache<Cacheable>(() => current, 100_000);
  const file = { content: new Uint8Array(3000) };
  const makeOnce = (which: string, length = 100, status = 200) => {
    const headers = { "content-length": String(length) };
    cache.cacheResponse("a", file, which, new Response(which.padEnd(100, "."), { status, headers }));
  };
  const makeTwice = (...response: Parameters<typeof makeOnce>) => {
    makeOnce(...response);
    makeOnce(...response);
  };
  makeTwice("x");
  assertEquals([cache.response("a", file, "x"), cache.bytes], [undefined, 0], "the file is not cached");
  cache.set("a", file);
  const alone = cache.bytes;
  makeOnce("x");
  assertEquals([cache.response("a", file, "x"), cache.bytes], [undefined, alone], "it was made once only");
  makeOnce("x");
  for (let i = 0; i < 3; i++) {
    assertEquals(await cache.response("a", file, "x")!.response.text(), "x".padEnd(100, "."));
  }
  const withResponse = cache.bytes;
  assertEquals(withResponse > alone + 100, true);
  for (let i = 0; i < 3; i++) makeTwice("x"); // for clients that asked before it was cached
  assertEquals(cache.bytes, withResponse);
  makeTwice("y");
  assertEquals(["x", "y"].map((which) => cache.response("a", file, which) === undefined), [false, false]);
  for (let i = 0; i < 1000; i++) makeTwice(`${i}`);
  assertEquals(
    cache.bytes < alone + 17 * (withResponse - alone),
    true,
    "the responses of a file are limited",
  );
  makeTwice("bad", 100, 416);
  makeTwice("large", 1_000_000);
  assertEquals(
    ["bad", "large", "999"].map((which) => cache.response("a", file, which) === undefined),
    [true, true, false],
  );
  current = false;
  assertEquals(await cache.get("a"), undefined);
  assertEquals([cache.response("a", file, "999"), cache.bytes], [undefined, 0]);
});

// Reading a folder.

Deno.test({
  name: "a folder has each entry that may be served, with its own size and time",
  ignore: Deno.build.os === "windows",
}, async () => {
  await served(async (path) => {
    for (let i = 0; i < 2600; i++) {
      Deno.writeTextFileSync(`${path}/${i}`, "x".repeat(i % 100));
      Deno.utimeSync(`${path}/${i}`, i, 1_000_000 + i);
    }
    for (let i = 0; i < 50; i++) {
      Deno.mkdirSync(`${path}/folder ${i}`);
      Deno.symlinkSync(`${i}`, `${path}/link ${i}`);
      Deno.symlinkSync("../secret.txt", `${path}/out ${i}`);
      Deno.linkSync(`${path}/7`, `${path}/secret ${i}`);
      Deno.writeTextFileSync(`${path}/.hidden ${i}`, "");
    }
    const secrets = findSecrets({ files: [`${path}/7`] });
    const root = new Root(path, { secrets: () => secrets, hidden: true });
    const { entries, cut } = (await readEntries(root, { real: path, lexicalPath: path }, {}))!;
    const expected: Entry[] = [];
    for (let i = 0; i < 50; i++) expected.push({ name: `folder ${i}`, size: undefined, modified: null });
    for (let i = 0; i < 2600; i++) if (i !== 7) expected.push(file(`${i}`, i));
    for (let i = 0; i < 50; i++) if (i !== 7) expected.push(file(`link ${i}`, i));
    const byName = (entries: readonly Entry[]) =>
      [...entries].map((entry) => entry.size === undefined ? { ...entry, modified: null } : entry)
        .sort((a, b) => a.name < b.name ? -1 : 1);
    assertEquals([byName(entries), cut], [byName(expected), undefined]);
  });
});

Deno.test("if a folder has more entries than a listing can show, the page says that some are missing", async () => {
  await served(async (path) => {
    for (let i = 0; i < 4; i++) Deno.writeTextFileSync(`${path}/${i}`, "");
    const root = new Root(path, { secrets: () => findSecrets({ files: [] }), hidden: true });
    const read = async (most: number) =>
      (await readEntries(root, { real: path, lexicalPath: path }, { most }))!;
    const { length } = (await read(100)).entries;
    assertEquals((await read(length)).cut, undefined);
    const { entries, cut } = await read(length - 1);
    assertEquals([entries.length, cut], [length - 1, "number"]);
    const view = { sort: "name", descending: false } as const;
    const page = [...listParts({ top: "files", names: [], entries, totals: totalsOf(entries), cut, view })]
      .join("");
    assertMatch(
      page,
      new RegExp(`Only ${length - 1} entries of this folder are shown\\. To see others, search`),
    );
  });
});

Deno.test("a folder whose reader has left is not described, nor one with too many items", async () => {
  await served(async (path) => {
    for (let i = 0; i < 4; i++) Deno.writeTextFileSync(`${path}/${i}`, "");
    const root = new Root(path, { secrets: () => findSecrets({ files: [] }), hidden: true });
    const folder = { real: path, lexicalPath: path }, client = AbortSignal.abort();
    for (const limit of [Infinity, 1000]) {
      const error = await assertRejects(() => readEntries(root, folder, { client, limit }), RequestError);
      assertEquals(error.status, 499);
    }
    assertEquals(await readEntries(root, folder, { client, limit: 3 }), undefined);
  });
});

/** The entry of a file that the test created, or of a link to it. */
function file(name: string, number: number): Entry {
  return { name, size: number % 100, modified: (1_000_000 + number) * 1000 };
}
