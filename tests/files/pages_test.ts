/** Text answers of the file server's own: error pages and listings, compressed or not. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Ask, served } from "../support/files.ts";

/** More entries than are listed on the thread that serves. */
const MANY = 2200;
const GZIP = { "accept-encoding": "gzip" };

async function text(answer: Response): Promise<string> {
  const stream = answer.headers.get("content-encoding") === "gzip"
    ? answer.body!.pipeThrough(new DecompressionStream("gzip"))
    : answer.body;
  return await new Response(stream).text();
}

Deno.test("listings and error pages are compressed for clients that accept it, and have a length", async () => {
  await served(async (root, ask) => {
    Deno.mkdirSync(`${root}/large`);
    for (let i = 0; i < 20; i++) Deno.writeTextFileSync(`${root}/${i}.txt`, "");
    for (let i = 0; i < MANY; i++) Deno.writeTextFileSync(`${root}/large/${i}.txt`, "");
    for (
      const [path, status] of [
        ["/", 200],
        ["/?format=json", 200],
        ["/large/", 200],
        ["/large/?format=json", 200],
        ["/missing", 404],
        ["/?sort=no", 400],
        ["/large", 301],
      ] as const
    ) {
      const [plain, gzip, refused] = await Promise.all(
        [{}, GZIP, { "accept-encoding": "gzip;q=0, br" }].map((headers) => ask(path, { headers })),
      );
      for (const answer of [plain, gzip, refused]) {
        assertEquals(answer.status, status, path);
        assertEquals(answer.headers.get("vary"), "accept-encoding", path);
      }
      assertEquals(gzip.headers.get("content-encoding"), "gzip", path);
      assertEquals(refused.headers.get("content-encoding"), null, path);
      const lengths = [plain, gzip].map(({ headers }) => Number(headers.get("content-length")));
      assert(lengths[1] < lengths[0], path);
      const copies = [plain, gzip].map((answer) => answer.clone());
      for (const [i, copy] of copies.entries()) assertEquals((await copy.bytes()).length, lengths[i], path);
      assertEquals(await text(gzip), await text(plain), path);
      await refused.body?.cancel();
    }
  });
});

Deno.test("a Range does not apply to listings", async () => {
  await served(async (root, ask) => {
    Deno.writeTextFileSync(`${root}/a.txt`, "a".repeat(5000));
    const listing = await ask("/", { headers: { ...GZIP, range: "bytes=0-9" } });
    assertEquals([listing.status, listing.headers.get("content-range")], [200, null]);
    assertMatch(await text(listing), /a\.txt/);
  });
});

Deno.test("an error page links to the folder above", async () => {
  await served(async (root, ask) => {
    Deno.mkdirSync(`${root}/a`);
    for (
      const [path, status, leads] of [
        ["/a/missing.txt", 404, "/a/"],
        ["/a/missing/", 404, "/a/"],
        ["/a/missing/x.txt?inline", 404, "/a/missing/"],
        ["/missing", 404, "/"],
        ["/a/?sort=no", 400, "/"],
        ["//elsewhere/missing", 404, "//elsewhere/"],
      ] as const
    ) {
      const answer = await ask(path);
      assertEquals(answer.status, status, path);
      const [, href] = /<nav><a href="([^"]*)">Folder above<\/a><\/nav>/.exec(await answer.text())!;
      const url = new URL(href, `http://127.0.0.1${path}`);
      assertEquals([url.host, url.pathname], ["127.0.0.1", leads], path);
    }
  });
  await served(async (_root, ask) => {
    const refused = await (await ask("/")).text();
    assert(!refused.includes("<a "), "where all is refused a link leads nowhere");
  }, { guard: () => ({ status: 403, message: "no" }) });
});

/** Characters that act on a terminal, or hide or reorder the text around them. */
const UNSAFE = ["\u001b", "\u007f", "\u0080", "\u009b", "\u009f", ..."\u202a\u202e\u2066\u2069"];

Deno.test({
  name: "listings show control and bidirectional characters of names as escapes, and link to the names",
  ignore: Deno.build.os === "windows",
}, async () => {
  await served(async (root, ask) => {
    for (const folder of [`${root}/f${UNSAFE.join("")}`, `${root}/large`]) Deno.mkdirSync(folder);
    const names = UNSAFE.map((character, i) => `a${i}${character}b.txt`);
    for (const name of names) {
      for (const folder of ["", "/large"]) Deno.writeTextFileSync(`${root}${folder}/${name}`, name);
    }
    for (let i = 0; i < MANY; i++) Deno.writeTextFileSync(`${root}/large/${i}`, "");
    for (const folder of ["/", "/large/", `/${encodeURIComponent(`f${UNSAFE.join("")}`)}/`]) {
      const page = await (await ask(folder)).text(), json = await (await ask(`${folder}?format=json`)).text();
      for (const character of UNSAFE) {
        assert(
          !page.includes(character) && !json.includes(character),
          `${folder} ${JSON.stringify(character)}`,
        );
      }
      if (folder.startsWith("/f")) continue;
      const listed = JSON.parse(json).entries.map(({ name }: { name: string }) => name);
      assertEquals(names.filter((name) => !listed.includes(name)), []);
      const links = [...page.matchAll(/<a href="\.\/(a[^"]*)">([^<]*)<\/a>/g)];
      assertEquals(links.length, names.length);
      for (const [, href, shown] of links) {
        assertEquals(await (await ask(folder + href)).text(), decodeURIComponent(href));
        assertMatch(shown, /^a\d+\\u\{[0-9a-f]+\}b\.txt$/);
      }
    }
  });
});

Deno.test("sizes say which unit they mean", async () => {
  await served(async (root, ask) => {
    const sizes: [bytes: number, shown: string][] = [
      [0, "0 B"],
      [999, "999 B"],
      [1000, "1.0 KiB"],
      [9_000_000, "8.6 MiB"],
      [10_000_000_000, "9.3 GiB"],
    ];
    for (const [bytes] of sizes) {
      Deno.writeTextFileSync(`${root}/${bytes}`, "");
      Deno.truncateSync(`${root}/${bytes}`, bytes);
    }
    const page = await listed(ask);
    for (const [bytes, shown] of sizes) assertEquals(page.get(`${bytes}`)![0], shown);
    assertMatch(page.get("0")![1], /^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
  });
});

/** Size and time as the page shows them, by name. */
async function listed(ask: Ask): Promise<Map<string, [size: string, time: string]>> {
  const rows = (await (await ask("/")).text()).matchAll(
    />([^<]*)<\/a><\/td><td>([^<]*)<\/td><td>([^<]*)<\/td>/g,
  );
  return new Map(rows.map(([, name, size, time]) => [name, [size, time]]));
}
