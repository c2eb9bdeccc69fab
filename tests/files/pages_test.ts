/** The file server's own text answers: error pages and listings, compressed or not. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { createFilesGuard } from "../../files/guard.ts";
import { AttemptLimiter } from "../../http/secret.ts";
import { type Ask, LATER, served, statusOf } from "../support/uploads.ts";
import { sharedScript, withSharedBeside, withSharedInside } from "../../http/page_scripts.ts";

/** More entries than are listed on the serving thread. */
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

Deno.test("an error page links to the parent folder", async () => {
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

/** Characters that control a terminal, or hide or reorder the text around them. */
const UNSAFE = ["\u001b", "\u007f", "\u0080", "\u009b", "\u009f", ..."\u202a\u202e\u2066\u2069"];

Deno.test({
  name: "listings escape control and bidirectional characters in displayed names, and link to the names",
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
      const links = [...page.matchAll(/<a href="(a[^"]*)">([^<]*)<\/a>/g)];
      assertEquals(links.length, names.length);
      for (const [, href, shown] of links) {
        assertEquals(await (await ask(folder + href)).text(), decodeURIComponent(href));
        assertMatch(shown, /^a\d+\\u\{[0-9a-f]+\}b\.txt$/);
      }
    }
  });
});

Deno.test("sizes state their unit", async () => {
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

// Web pages that may use the answers: those of the same origin, or all with `cors`.

/** Requests for every kind of answer, and its status. */
const REQUESTS: [path: string, init: RequestInit, status: number][] = [
  ["/a.txt", {}, 200],
  ["/a.txt", { headers: { range: "bytes=0-1" } }, 206],
  ["/a.txt", { headers: { range: "bytes=0-0,2-2" } }, 206],
  ["/a.txt", { headers: { range: "bytes=9-" } }, 416],
  ["/a.txt", { headers: { "if-none-match": "*" } }, 304],
  ["/a.txt", { headers: { "if-match": '"x"' } }, 412],
  ["/a.txt?download", {}, 200],
  ["/page.html", {}, 200],
  ["/", {}, 200],
  ["/?format=json", {}, 200],
  ["/", { headers: { "if-none-match": "*" } }, 304],
  ["/sub", {}, 301],
  ["/nothing", {}, 404],
  ["/%", {}, 400],
  ["/a.txt", { method: "POST" }, 405],
];

async function prepare(root: string) {
  await Deno.writeTextFile(`${root}/a.txt`, "hello");
  await Deno.writeTextFile(`${root}/page.html`, "<p>hello</p>");
  await Deno.mkdir(`${root}/sub`);
}

for (const [cors, policy, origin] of [[false, "same-origin", null], [true, "cross-origin", "*"]] as const) {
  Deno.test(`every answer says that ${cors ? "all pages" : "no other page"} may use it`, async () => {
    await served(async (root, ask) => {
      await prepare(root);
      for (const round of [1, 2, 3]) { // the third answer comes from the cache
        for (const [path, init, status] of REQUESTS) {
          const { headers, status: got, body } = await ask(path, init);
          await body?.cancel();
          const what = `${init.method ?? "GET"} ${path} ${status}, round ${round}`;
          assertEquals(got, status, what);
          assertEquals(headers.get("cross-origin-resource-policy"), policy, what);
          assertEquals(headers.get("access-control-allow-origin"), origin, what);
          assertEquals(headers.get("x-frame-options"), "SAMEORIGIN", what);
          assertEquals(
            /frame-ancestors ([^;]*)$/.exec(headers.get("content-security-policy")!)?.[1],
            "'self'",
            what,
          );
          const exposed = headers.get("access-control-expose-headers")?.split(", ") ?? [];
          for (
            const name of ["Content-Range", "Accept-Ranges", "Content-Length", "ETag", "Content-Disposition"]
          ) {
            assertEquals(exposed.includes(name), cors, what);
          }
        }
      }
    }, { cors, clock: LATER });
  });
}

Deno.test("a preflight is answered without a password if all pages may read, and refused otherwise", async () => {
  for (const [cors, status] of [[true, 204], [false, 401]] as const) {
    const guard = createFilesGuard({
      passwords: ["me:secret"],
      hosts: new Set(),
      tls: false,
      cors,
      limiter: new AttemptLimiter(),
    });
    await served(async (root, ask) => {
      await prepare(root);
      const host = { host: "127.0.0.1" };
      const asked = {
        ...host,
        "access-control-request-method": "GET",
        "access-control-request-headers": "range",
      };
      const answer = await ask("/a.txt", { method: "OPTIONS", headers: asked });
      await answer.body?.cancel();
      assertEquals(answer.status, status);
      assertEquals(/\bRange\b/.test(answer.headers.get("access-control-allow-headers") ?? ""), cors);
      assertEquals(answer.headers.get("access-control-allow-origin"), cors ? "*" : null);
      assertEquals(
        await statusOf(ask("/a.txt", { headers: host })),
        401,
        "the file itself needs the password",
      );
      assertEquals(
        await statusOf(ask("/a.txt", { method: "OPTIONS", headers: { host: "evil.example" } })),
        400,
        "Host is checked as ever",
      );
    }, { cors, guard });
  }
});

// Scripts that pages of both servers use.

const OWN =
  'const before = 1;\nimport { sendWhole } from "../../http/page/resumed_upload.js";\nsendWhole();\n';

Deno.test("an inline script of a page contains its imports, and imports nothing", () => {
  const script = withSharedInside(OWN);
  assertEquals(/^(import|export)\b/m.test(script), false);
  assert(
    /^async function sendWhole\(/m.test(script) && script.startsWith("const before") &&
      script.endsWith("sendWhole();\n"),
  );
  assertEquals(withSharedInside("const alone = 1;\n"), "const alone = 1;\n");
});

Deno.test("a page script with an address imports from its own folder", () => {
  assertEquals(
    withSharedBeside(OWN),
    'const before = 1;\nimport { sendWhole } from "./resumed_upload.js";\nsendWhole();\n',
  );
});

Deno.test("both pages upload with the same script", async () => {
  const shared = new TextDecoder().decode(sharedScript("resumed_upload.js"));
  assert(shared.includes("content-range"));
  for (const page of ["control/page/share.js", "files/listing/page/upload.js"]) {
    const text = await Deno.readTextFile(new URL(`../../${page}`, import.meta.url));
    assert(
      text.includes('/http/page/resumed_upload.js"') && !/XMLHttpRequest|content-range/i.test(text),
      page,
    );
  }
});
