/**
 * The file server on real files: headers of every answer, ranges, validators, and nothing outside its folder.
 */

import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { UsageError } from "../../core/errors.ts";
import { createFilesHandler } from "../../files/handler.ts";
import { LATER, served, statusOf } from "../support/uploads.ts";

const ALWAYS = [
  "content-type",
  "content-length",
  "accept-ranges",
  "content-disposition",
  "x-content-type-options",
];

Deno.test("an error of a JSON listing is JSON", async () => {
  await served(async (_, ask) => {
    const undecodable = "The path is not valid: two hexadecimal digits must follow each %, " +
      "and the bytes must be UTF-8. A % of a name is written %25.";
    const cases: [path: string, status: number, error: string][] = [
      ["/nothing/?format=json", 404, "The requested resource was not found."],
      ["/100%.txt?format=json", 400, undecodable],
      ["/%?deep&format=json", 400, undecodable],
      ["/a%2fb?format=json", 400, "The path is not valid: a name cannot contain / or NUL."],
      ["/?format=json&sort=wrong", 400, "sort must be one of name, size, time."],
    ];
    for (const [path, status, error] of cases) {
      const answer = await ask(path);
      assertEquals([answer.status, answer.headers.get("content-type")], [status, "application/json"], path);
      assertEquals(await answer.json(), { error });
    }
    for (const path of ["/nothing?format=jsonl", "/nothing?x=format=json", "/a&format=json"]) {
      const answer = await ask(path);
      assertEquals([answer.status, answer.headers.get("content-type")], [404, "text/html; charset=utf-8"]);
      await answer.text();
    }
  });
});

Deno.test("files, listings and errors have the headers that every answer has", async () => {
  await served(async (root, ask) => {
    await Deno.writeTextFile(`${root}/a.txt`, "hello");
    await Deno.mkdir(`${root}/sub`);
    const cases: [path: string, init: RequestInit, status: number][] = [
      ["/a.txt", {}, 200],
      ["/a.txt", { method: "HEAD" }, 200],
      ["/a.txt", { headers: { range: "bytes=1-2" } }, 206],
      ["/a.txt", { headers: { range: "bytes=0-0,2-2" } }, 206],
      ["/a.txt", { headers: { range: "bytes=9-" } }, 416],
      ["/a.txt", { headers: { "if-match": '"x"' } }, 412],
      ["/", {}, 200],
      ["/?format=json", {}, 200],
      ["/sub", {}, 301],
      ["/nothing", {}, 404],
      ["/a.txt/", {}, 404],
      ["/a.txt/b", {}, 404],
      ["/%", {}, 400],
      ["/?sort=wrong", {}, 400],
      ["/a.txt", { method: "POST" }, 405],
      ["/a.txt", { method: "OPTIONS" }, 405],
    ];
    for (const [path, init, status] of cases) {
      const response = await ask(path, init);
      assertEquals(response.status, status, path);
      for (const name of ALWAYS) assert(response.headers.get(name) !== null, `${name} of ${path} ${status}`);
      assertEquals(response.headers.get("accept-ranges"), "bytes");
      const body = await response.bytes();
      if (init.method !== "HEAD") {
        assertEquals(Number(response.headers.get("content-length")), body.length, path);
      }
      if (status >= 400) {
        assertEquals(response.headers.get("content-type"), "text/html; charset=utf-8");
        const html = new TextDecoder().decode(body);
        assertMatch(html, new RegExp(`<h1>${status} [A-Z][\\w ]+</h1>\n<p>[^<]+</p>`));
        if (status === 404) {
          assertMatch(html, /<h1>404 Not Found<\/h1>\n<p>The requested resource was not found\.<\/p>/);
        }
      }
    }
    assertEquals((await ask("/a.txt", { method: "DELETE" })).headers.get("allow"), "GET, HEAD");
    assertEquals((await ask("/sub?x=1")).headers.get("location"), "./sub/?x=1");
    assertEquals(
      (await ask("/a.txt", { headers: { range: "bytes=9-" } })).headers.get("content-range"),
      "bytes */5",
    );
  });
});

Deno.test("any range of any file has the bytes that the file has there", async () => {
  let clock = Date.now;
  await served(async (root, ask) => {
    let seed = 20261121;
    const random = (below: number) => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % below;
    // The last one is longer than a chunk. Files that changed long ago are cached, those that changed just
    // now are not.
    for (const size of [0, 1, 2, 1000, 65_536, 300_000, 1_500_000, 2 ** 21 + 1]) {
      const content = Uint8Array.from({ length: size }, () => random(256));
      await Deno.writeFile(`${root}/file.bin`, content);
      clock = size % 2 === 0 ? LATER : Date.now;
      const whole = await ask("/file.bin");
      assertEquals(Number(whole.headers.get("content-length")), size);
      assertEquals(same(await whole.bytes(), content), true, `whole ${size}`);
      for (let i = 0; i < 60; i++) {
        const start = random(size + 3), end = start + random(size + 3);
        if (i === 0 && size > 1) { // the second answer is cached
          for (const header of ["bytes=1-", `bytes=0-${size - 2}`, "bytes=1-", `bytes=0-${size - 2}`]) {
            const body = await (await ask("/file.bin", { headers: { range: header } })).bytes();
            assertEquals(
              same(body, header.endsWith("1-") ? content.subarray(1) : content.subarray(0, -1)),
              true,
            );
          }
        }
        const header = ["bytes=" + start + "-" + end, "bytes=" + start + "-", "bytes=-" + (start + 1)][i % 3];
        const response = await ask("/file.bin", { headers: { range: header } });
        const body = await response.bytes();
        const expected =
          [content.subarray(start, end + 1), content.subarray(start), content.subarray(-(start + 1))][i % 3];
        if (!expected.length) assertEquals(response.status, 416, `${header} of ${size}`);
        else {
          assertEquals(response.status, 206, `${header} of ${size}`);
          assertEquals(same(body, expected), true, `${header} of ${size}`);
          assertEquals(Number(response.headers.get("content-length")), expected.length);
          const [, first, last] = /^bytes (\d+)-(\d+)\/\d+$/.exec(response.headers.get("content-range")!)!;
          assertEquals(Number(last) - Number(first) + 1, expected.length);
        }
      }
    }
  }, { clock: () => clock() });
});

function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

Deno.test("several ranges are answered as parts, of small files and large ones", async () => {
  let clock = Date.now;
  await served(async (root, ask) => {
    for (const [size, settled] of [[2000, false], [2000, true], [2000, true], [3_000_000, true]] as const) {
      const content = Uint8Array.from({ length: size }, (_, i) => i * 7 & 255);
      await Deno.writeFile(`${root}/f.bin`, content);
      if (settled) {
        clock = LATER;
        await statusOf(ask("/f.bin")); // cached from here on
      }
      const half = size / 2;
      const response = await ask("/f.bin", { headers: { range: `bytes=0-9,${half}-${size - 20}, -5` } });
      assertEquals(response.status, 206);
      const boundary =
        /^multipart\/byteranges; boundary=(\S+)$/.exec(response.headers.get("content-type")!)![1];
      const body = await response.bytes();
      assertEquals(body.length, Number(response.headers.get("content-length")));
      const text = new TextDecoder("latin1").decode(body);
      const parts = text.split(`\r\n--${boundary}`).slice(1, -1);
      const ranges = [[0, 9], [half, size - 20], [size - 5, size - 1]];
      assertEquals(parts.length, 3);
      parts.forEach((part, i) => {
        const [head, ...rest] = part.split("\r\n\r\n");
        const [start, end] = ranges[i];
        assertMatch(head, new RegExp(`content-range: bytes ${start}-${end}/${size}$`));
        assertEquals(
          rest.join("\r\n\r\n") === new TextDecoder("latin1").decode(content.subarray(start, end + 1)),
          true,
        );
      });
    }
  }, { clock: () => clock() });
});

Deno.test("a cached answer is not reused for another query", async () => {
  await served(async (root, ask) => {
    await Deno.writeTextFile(`${root}/a.txt`, "content");
    for (
      const [query, disposition] of [["", "inline"], ["?download", "attachment"], ["?x", "inline"], [
        "",
        "inline",
      ]]
    ) {
      for (let i = 0; i < 3; i++) {
        const response = await ask(`/a.txt${query}`);
        assertEquals(response.headers.get("content-disposition"), `${disposition}; filename="a.txt"`, query);
        assertEquals(await response.text(), "content");
      }
    }
  }, { clock: LATER });
});

Deno.test("Last-Modified is never in the future", async () => {
  await served(async (root, ask) => {
    await Deno.writeTextFile(`${root}/a.txt`, "tomorrow's");
    for (const year of [2999, 12_999]) {
      const seconds = (year - 1970) * 31_556_952;
      await Deno.utime(`${root}/a.txt`, seconds, seconds);
      const response = await ask("/a.txt");
      const modified = response.headers.get("last-modified")!;
      assertMatch(modified, /^\w{3}, \d\d \w{3} \d{4} /);
      assert(Date.parse(modified) <= Date.now(), modified);
      const etag = response.headers.get("etag")!;
      assertEquals(await response.text(), "tomorrow's");
      assertEquals(await statusOf(ask("/a.txt", { headers: { "if-none-match": etag } })), 304);
    }
  });
});

Deno.test("validators change with the file, and are weak for a moment after a write", async () => {
  const MOMENT = 1000, LONG = 3000;
  let passed = MOMENT, written = 0;
  const clock = () => {
    const now = written + passed;
    passed = LONG;
    return now;
  };
  await served(async (root, ask) => {
    const file = `${root}/a.txt`, past = new Date(Date.now() - 60_000);
    await Deno.writeTextFile(file, "version one");
    await Deno.utime(file, past, past);
    const { ctime, mtime } = await Deno.stat(file);
    written = (ctime ?? mtime)!.getTime();
    // It may be written again in this moment, and get the same modification time.
    assertMatch((await ask("/a.txt")).headers.get("etag")!, /^W\/"/);
    const first = await ask("/a.txt");
    const etag = first.headers.get("etag")!, modified = first.headers.get("last-modified")!;
    await first.body?.cancel();
    assertMatch(etag, /^"[^"]+"$/);
    for (const headers of [{ "if-none-match": etag }, { "if-modified-since": modified }] as HeadersInit[]) {
      const response = await ask("/a.txt", { headers });
      assertEquals([response.status, response.headers.get("etag"), await response.text()], [304, etag, ""]);
    }
    const resume = () => ask("/a.txt", { headers: { range: "bytes=8-", "if-range": etag } });
    assertEquals(await (await resume()).text(), "one");
    await Deno.writeTextFile(`${root}/a.txt`, "version two");
    const changed = await resume();
    assertEquals([changed.status, await changed.text()], [200, "version two"]);
    assertEquals(await statusOf(ask("/a.txt", { headers: { "if-match": etag } })), 412);
  }, { clock });
});

Deno.test({
  name: "links out of the folder, devices and pipes are not found",
  ignore: Deno.build.os === "windows",
}, async () => {
  await served(async (root, ask, reported) => {
    await Deno.mkdir(`${root}/in`);
    await Deno.writeTextFile(`${root}/in/a.txt`, "inside");
    await Deno.symlink(`${root}/../secret.txt`, `${root}/out.txt`);
    await Deno.symlink(`${root}/..`, `${root}/outdir`);
    await Deno.symlink(`${root}/loop`, `${root}/loop`);
    await Deno.symlink(`${root}/in/a.txt`, `${root}/link.txt`);
    await Deno.symlink(`${root}/nowhere`, `${root}/dangling`);
    await Deno.symlink("/dev/zero", `${root}/zero`);
    await new Deno.Command("mkfifo", { args: [`${root}/pipe`] }).output();
    const paths: [path: string, status: number][] = [
      ["/link.txt", 200],
      ["/in/a.txt", 200],
      ["/out.txt", 404],
      ["/outdir/", 404],
      ["/outdir/secret.txt", 404],
      ["/outdir/root/in/a.txt", 200],
      ["/loop", 404],
      ["/dangling", 404],
      ["/zero", 404],
      ["/pipe", 404],
      ["/../secret.txt", 404],
      ["/in/../../secret.txt", 404],
      ["/%2e%2e/secret.txt", 404],
      ["/..%2fsecret.txt", 400],
      ["/..%5csecret.txt", 404],
      ["/%252e%252e/secret.txt", 404],
      [`/${"a".repeat(300)}`, 404],
      [`/${"a/".repeat(3000)}`, 404],
    ];
    for (const [path, status] of paths) assertEquals(await statusOf(ask(path)), status, path);
    const { entries } = await (await ask("/?format=json")).json();
    assertEquals(entries.map(({ name }: { name: string }) => name).sort(), ["in", "link.txt"]);
    assertEquals(reported, []);
    // A served folder that becomes a link out of the root the next moment.
    assertEquals(await statusOf(ask("/in/a.txt")), 200);
    await Deno.rename(`${root}/in`, `${root}/was`);
    await Deno.writeTextFile(`${root}/../a.txt`, "outside");
    await Deno.symlink(`${root}/..`, `${root}/in`);
    assertEquals(await statusOf(ask("/in/a.txt")), 404);
  });
});

Deno.test("a root that is not a folder is refused with its name", async () => {
  const file = await Deno.makeTempFile();
  assertThrows(() => createFilesHandler({ root: file }), UsageError, "is not a folder");
  assertThrows(() => createFilesHandler({ root: "/nowhere" }), UsageError, "folder not found");
  await Deno.remove(file);
});
