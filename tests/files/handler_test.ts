/** The file door on real files: every answer's headers, ranges, links, listings, and files that change. */

import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { UsageError } from "../../errors.ts";
import { createFilesHandler, type FilesOptions } from "../../files/handler.ts";
import { PEER } from "../support/control.ts";

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** A folder of the test's own, and a door to it. */
async function served(
  use: (root: string, ask: Ask, reported: unknown[]) => Promise<void>,
  options: Partial<FilesOptions> = {},
) {
  const base = Deno.realPathSync(await Deno.makeTempDir());
  const root = `${base}/root`;
  await Deno.mkdir(root);
  await Deno.writeTextFile(`${base}/secret.txt`, "secret");
  const reported: unknown[] = [];
  const handler = createFilesHandler({ root, report: (error) => reported.push(error), ...options });
  // The path is put in raw: Request would normalise it.
  const ask: Ask = async (path, init) => {
    const request = new Request("http://127.0.0.1/", init);
    Object.defineProperty(request, "url", { value: `http://127.0.0.1${path}` });
    return await handler(request, PEER);
  };
  try {
    await use(root, ask, reported);
  } finally {
    await Deno.remove(base, { recursive: true });
  }
}

async function statusOf(answer: Promise<Response>): Promise<number> {
  const response = await answer;
  await response.body?.cancel();
  return response.status;
}

const ALWAYS = [
  "content-type",
  "content-length",
  "accept-ranges",
  "content-disposition",
  "x-content-type-options",
];

Deno.test("every answer has its headers, errors and listings too", async () => {
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

Deno.test("any range of any file is the same bytes that are read directly", async () => {
  await served(async (root, ask) => {
    let seed = 20261121;
    const random = (below: number) => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % below;
    for (const size of [0, 1, 2, 1000, 65_536, 300_000, 1_500_000]) {
      const content = Uint8Array.from({ length: size }, () => random(256));
      await Deno.writeFile(`${root}/file.bin`, content);
      const whole = await ask("/file.bin");
      assertEquals(Number(whole.headers.get("content-length")), size);
      assertEquals(same(await whole.bytes(), content), true, `whole ${size}`);
      for (let i = 0; i < 60; i++) {
        const start = random(size + 3), end = start + random(size + 3);
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
  });
});

function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

Deno.test("several ranges come as parts, from small files and large ones", async () => {
  await served(async (root, ask) => {
    for (const size of [2000, 3_000_000]) {
      const content = Uint8Array.from({ length: size }, (_, i) => i * 7 & 255);
      await Deno.writeFile(`${root}/f.bin`, content);
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
  });
});

Deno.test("validators make 304, If-Range and resumed downloads safe", async () => {
  await served(async (root, ask) => {
    const file = `${root}/a.txt`, past = new Date(Date.now() - 60_000);
    await Deno.writeTextFile(file, "version one");
    assertMatch((await ask("/a.txt")).headers.get("etag")!, /^W\/"/); // it may be written again in this moment
    await Deno.utime(file, past, past);
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
  });
});

Deno.test({
  name: "nothing outside the folder is reached, and nothing that is no file",
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
      ["/../secret.txt", 400],
      ["/in/../../secret.txt", 400],
      ["/%2e%2e/secret.txt", 400],
      ["/..%2fsecret.txt", 400],
      ["/..%5csecret.txt", 400],
      ["/%252e%252e/secret.txt", 404],
      [`/${"a".repeat(300)}`, 404],
      [`/${"a/".repeat(3000)}`, 404],
    ];
    for (const [path, status] of paths) assertEquals(await statusOf(ask(path)), status, path);
    const { entries } = await (await ask("/?format=json")).json();
    assertEquals(entries.map(({ name }: { name: string }) => name).sort(), ["in", "link.txt"]);
    assertEquals(reported, []);
    // A folder that was served, and is a link out of the root the next moment.
    assertEquals(await statusOf(ask("/in/a.txt")), 200);
    await Deno.rename(`${root}/in`, `${root}/was`);
    await Deno.writeTextFile(`${root}/../a.txt`, "outside");
    await Deno.symlink(`${root}/..`, `${root}/in`);
    assertEquals(await statusOf(ask("/in/a.txt")), 404);
  });
});

Deno.test("listings link rightly to any name, sort, and speak to scripts", async () => {
  await served(async (root, ask) => {
    const names = [
      "a b.txt",
      "#1.txt",
      "100%.txt",
      "q'\"&<b>.txt",
      "ü漢😀.txt",
      "?x=1.txt",
      "a:b.txt",
      "z10.txt",
      "z9.txt",
      "javascript:alert(1)",
    ];
    for (const [i, name] of names.entries()) {
      await Deno.writeTextFile(`${root}/${name}`, "x".repeat(i * 1000));
    }
    await Deno.mkdir(`${root}/sub folder`);
    await Deno.mkdir(`${root}/sub folder/deep`);
    const html = await (await ask("/")).text();
    assertMatch(html, /<h1>Directory listing: \/<\/h1>/);
    const links = [...html.matchAll(/<td><a href="([^"]+)">/g)].map((match) =>
      match[1].replaceAll("&amp;", "&").replaceAll("&#39;", "'").replaceAll("&quot;", '"')
    );
    assertEquals(links.length, names.length + 1);
    for (const link of links) {
      const path = new URL(link, "http://127.0.0.1/").pathname;
      assertEquals(await statusOf(ask(path)), 200, link);
    }
    assert(!html.includes("<script") && !html.includes("<b>"));
    const list = async (query: string) =>
      (await (await ask(`/?format=json${query}`)).json()).entries.map((entry: { name: string }) =>
        entry.name
      );
    assertEquals((await list(""))[0], "sub folder");
    const order = await list("");
    assert(order.indexOf("z9.txt") < order.indexOf("z10.txt"));
    assertEquals((await list("&sort=size&order=desc"))[1], names.at(-1));
    const sub = await (await ask("/sub%20folder/")).text();
    assertMatch(sub, /<h1>Directory listing: \/sub folder\/<\/h1>/);
    assertMatch(sub, /href="\.\.\/"/);
    const entry = (await (await ask("/?format=json")).json()).entries.find((row: { name: string }) =>
      row.name === "z9.txt"
    );
    assertEquals([entry.type, entry.size], ["file", 8000]);
    assertMatch(
      (await ask("/")).headers.get("content-security-policy")!,
      /default-src 'none'; style-src 'sha256-/,
    );
  });
});

Deno.test("HTML is sandboxed unless it is trusted; index.html is served on demand", async () => {
  const make = async (root: string) => await Deno.writeTextFile(`${root}/index.html`, "<p>index");
  await served(async (root, ask) => {
    await make(root);
    assertEquals((await ask("/index.html")).headers.get("content-security-policy"), "sandbox allow-scripts");
    assertMatch(await (await ask("/")).text(), /Directory listing/);
  });
  await served(async (root, ask) => {
    await make(root);
    assertEquals((await ask("/index.html")).headers.get("content-security-policy"), null);
    assertEquals(await (await ask("/")).text(), "<p>index");
  }, { trustHtml: true, index: true });
});

Deno.test("ranges of a file that is known are of its present version, or none", async () => {
  await served(async (root, ask) => {
    for (const size of [5000, 500_000, 5_000_000]) { // kept whole; kept in part; streamed
      const file = `${root}/${size}.bin`;
      const settle = () => Deno.utimeSync(file, Date.now() / 1000 - size, Date.now() / 1000 - 60);
      const ranged = async (range: string) => {
        const response = await ask(`/${size}.bin`, { headers: { range } });
        return [response.status, [...new Set(await response.bytes())]];
      };
      Deno.writeFileSync(file, new Uint8Array(size).fill(1));
      settle();
      for (let i = 0; i < 3; i++) {
        assertEquals(await ranged("bytes=10-19"), [206, [1]]);
        assertEquals(await ranged("bytes=0-"), [206, [1]]);
        assertEquals(await ranged(`bytes=${size}-`).then(([status]) => status), 416);
      }
      Deno.writeFileSync(file, new Uint8Array(size).fill(2)); // the same size, another time
      assertEquals(await ranged("bytes=10-19"), [206, [2]]);
      settle();
      for (let i = 0; i < 3; i++) assertEquals(await ranged("bytes=10-19"), [206, [2]]);
      Deno.writeFileSync(`${file}.new`, new Uint8Array(size).fill(3));
      Deno.renameSync(`${file}.new`, file);
      assertEquals(await ranged("bytes=10-19"), [206, [3]]);
      settle();
      for (let i = 0; i < 3; i++) assertEquals(await ranged("bytes=-7"), [206, [3]]);
      Deno.truncateSync(file, 15);
      assertEquals(await ranged("bytes=10-19"), [206, [3]]);
      assertEquals((await (await ask(`/${size}.bin`)).bytes()).length, 15);
      Deno.removeSync(file);
      assertEquals(await statusOf(ask(`/${size}.bin`)), 404);
      Deno.mkdirSync(file);
      assertEquals(await statusOf(ask(`/${size}.bin`)), 301);
    }
  });
});

Deno.test("a large file that changes while it is sent ends the answer", async () => {
  await served(async (root, ask) => {
    const file = `${root}/big.bin`;
    for (
      const change of [
        () => Deno.truncateSync(file, 1_000_000),
        () => Deno.writeFileSync(file, new Uint8Array(9_000_000)),
        () => Deno.writeFileSync(file, new Uint8Array(1), { append: true }),
      ]
    ) {
      await Deno.writeFile(file, new Uint8Array(8_000_000).fill(1));
      const response = await ask("/big.bin");
      const reader = response.body!.getReader();
      await reader.read();
      await new Promise((resolve) => setTimeout(resolve, 20));
      change();
      await assertRejects(async () => {
        while (!(await reader.read()).done);
      });
    }
    // One that is removed or replaced under its name is sent to its end: the open file is still the same.
    await Deno.writeFile(file, new Uint8Array(8_000_000).fill(2));
    const response = await ask("/big.bin");
    await Deno.remove(file);
    assertEquals((await response.bytes()).length, 8_000_000);
  });
});

Deno.test({
  name: "files are closed when they were sent, or their client left",
  ignore: Deno.build.os !== "linux",
}, async () => {
  await served(async (root, ask) => {
    await Deno.writeFile(`${root}/big.bin`, new Uint8Array(8_000_000));
    await Deno.writeFile(`${root}/small.bin`, new Uint8Array(800));
    const open = () => [...Deno.readDirSync("/proc/self/fd")].length;
    const before = open();
    for (let i = 0; i < 20; i++) {
      await (await ask("/big.bin")).bytes();
      await (await ask("/small.bin")).bytes();
      const left = await ask("/big.bin");
      const reader = left.body!.getReader();
      await reader.read();
      await reader.cancel();
      await ask("/big.bin", { method: "HEAD" });
    }
    // A read that was under way when its client left is ended first.
    for (const start = Date.now(); open() > before && Date.now() - start < 10_000;) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    assertEquals(open(), before);
  });
});

Deno.test("a root that is no folder is refused by name", async () => {
  const file = await Deno.makeTempFile();
  assertThrows(() => createFilesHandler({ root: file }), UsageError, "is no folder");
  assertThrows(() => createFilesHandler({ root: "/nowhere" }), UsageError, "there is no such folder");
  await Deno.remove(file);
});
