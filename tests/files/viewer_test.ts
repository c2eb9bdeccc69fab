/** Pages that show files: a folder's gallery, and a file's page. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { TEXT_LIMIT } from "../../files/listing/viewer.ts";
import { kindOf } from "../../files/listing/entry.ts";
import { type Ask, served, statusOf } from "../support/uploads.ts";

/** Creates empty files. */
function touch(root: string, ...names: string[]) {
  for (const name of names) Deno.writeTextFileSync(`${root}/${name}`, "");
}

async function page(ask: Ask, path: string): Promise<string> {
  const answer = await ask(path);
  assertEquals(answer.status, 200, path);
  return await answer.text();
}

/** Lists a page's links. */
function ways(html: string): Record<string, string> {
  return Object.fromEntries(
    [...html.matchAll(/<a rel="(prev|next)" href="([^"]+)"/g)].map(([, rel, href]) => [rel, href]),
  );
}

Deno.test("a file's name determines its kind", () => {
  const cases: [string, string | undefined][] = [
    ["a.JPG", "picture"],
    ["a.svg", "picture"],
    ["a.ico", "picture"],
    ["a.heic", undefined],
    ["a.mp4", "film"],
    ["a.avi", undefined],
    ["a.flac", "sound"],
    ["a.md", "text"],
    ["a.ts", "text"],
    ["a.html", "text"],
    ["a.json", "text"],
    ["a.patch", "text"],
    [".gitignore", "text"],
    ["a.pdf", "pdf"],
    ["a.CSV", "table"],
    ["a.zip", undefined],
    ["jpg", undefined],
    ["Makefile", undefined],
  ];
  for (const [name, kind] of cases) assertEquals(kindOf(name), kind, name);
});

Deno.test("a file's page leads to its neighbours, in the order of the folder", async () => {
  await served(async (root, ask) => {
    Deno.mkdirSync(`${root}/a folder`);
    for (const [i, name] of ["a9.jpg", "a10.jpg", "b #1.txt", "c.zip", "d.mp4"].entries()) {
      Deno.writeTextFileSync(`${root}/${name}`, (name === "c.zip" ? "\0" : "x").repeat(10 - i));
    }
    assertEquals(ways(await page(ask, "/a9.jpg?view")), { next: "a10.jpg?view" });
    const second = await page(ask, "/a10.jpg?view=");
    assertEquals(ways(second), { prev: "a9.jpg?view", next: "b%20%231.txt?view" });
    assertMatch(second, />2 of 4</);
    assertEquals(ways(await page(ask, "/b%20%231.txt?view&sort=size")), {
      prev: "d.mp4?view&amp;sort=size",
      next: "a10.jpg?view&amp;sort=size",
    });
    // A gallery leads from image to image.
    assertEquals(ways(await page(ask, "/a10.jpg?view=gallery&order=desc")), {
      prev: "d.mp4?view=gallery&amp;order=desc",
      next: "a9.jpg?view=gallery&amp;order=desc",
    });
    assertMatch(await page(ask, "/c.zip?view"), /cannot show this file/);
  });
});

Deno.test("text and code are shown in place, and nothing in them is markup", async () => {
  await served(async (root, ask) => {
    const texts: [name: string, content: string | Uint8Array<ArrayBuffer>, shown: RegExp | undefined][] = [
      [
        "code.html",
        "\n<script>alert(1)</script>&amp;</pre>",
        /<pre tabindex="0">\n\n&lt;script&gt;/,
      ],
      ["Makefile", "all: ü\n\tcc", /<pre tabindex="0">\nall: ü\n\tcc<\/pre>/],
      ["utf16.txt", new Uint8Array([0xff, 0xfe, 0x6b, 0, 0xe4, 0]), /<pre tabindex="0">\nkä<\/pre>/],
      ["bom.txt", "\ufeffmark", /<pre tabindex="0">\nmark<\/pre>/],
      ["latin.txt", new Uint8Array([0x61, 0xe4]), /<pre tabindex="0">\naä<\/pre>/],
      ["empty", "", /<pre tabindex="0">\n<\/pre>/],
      ["program", new Uint8Array([0x7f, 0x45, 0, 1]), undefined],
      ["noise", new Uint8Array([0xff, 0xc0, 0x80]), undefined],
    ];
    for (const [name, content, shown] of texts) {
      await Deno.writeFile(
        `${root}/${name}`,
        typeof content === "string" ? new TextEncoder().encode(content) : content,
      );
      const html = await page(ask, `/${name}?view`);
      if (shown) assertMatch(html, shown);
      else assertMatch(html, /cannot show this file/, name);
      assert(!html.includes("<script>"), name);
    }
  });
});

Deno.test("only the beginning of a long text is shown, and the page says so", async () => {
  await served(async (root, ask) => {
    const whole = "é".repeat(TEXT_LIMIT / 2);
    Deno.writeTextFileSync(`${root}/whole.txt`, whole);
    Deno.writeTextFileSync(`${root}/long.txt`, `a${whole}`); // the limit cuts a character in two
    Deno.writeTextFileSync(`${root}/long`, `a${whole}`);
    assert(!(await page(ask, "/whole.txt?view")).includes("This is the beginning"));
    for (const name of ["long.txt", "long"]) {
      const html = await page(ask, `/${name}?view`);
      assertMatch(html, /aé+<\/pre>\n<p>This is the beginning of 512 KiB\. <a href="long/, name);
    }
  });
});

Deno.test("only the queries of deskhand's own pages request a page; others get the file", async () => {
  await served(async (root, ask) => {
    Deno.writeTextFileSync(`${root}/app.html`, "the app");
    for (const query of ["view=list", "view=3", "review", "view&page=2", "qr", "q=a", "deep"]) {
      assertEquals(await page(ask, `/app.html?${query}`), "the app", query);
    }
    // Cached or not, a page is not the file, and the file not the page.
    for (let i = 0; i < 3; i++) {
      assertEquals(await page(ask, "/app.html"), "the app");
      assertMatch(await page(ask, "/app.html?view"), /^<!doctype html>/);
    }
  });
});

Deno.test("pages have a listing's headers, and a policy that names their own scripts and styles", async () => {
  await served(async (root, ask) => {
    touch(root, "a.jpg");
    for (const path of ["/", "/?view=gallery", "/a.jpg?view", "/?deep&q=a"]) {
      const answer = await ask(path), bytes = await answer.bytes();
      const headers = Object.fromEntries(answer.headers);
      assertEquals(headers["content-type"], "text/html; charset=utf-8", path);
      assertEquals(Number(headers["content-length"]), bytes.length, path);
      assertEquals(headers["accept-ranges"], "bytes", path);
      assertMatch(headers["content-disposition"], /^inline; filename="[\w.]+\.html"/, path);
      assertEquals(headers["x-content-type-options"], "nosniff", path);
      const policy = headers["content-security-policy"];
      assertMatch(
        policy,
        /^default-src 'none'; style-src 'sha256-[^;]+; .*base-uri 'none'; frame-ancestors 'self'$/,
      );
      assert(!policy.includes("unsafe"), policy);
      const html = new TextDecoder().decode(bytes);
      const parts = [...html.matchAll(/<(style|script)[^>]*>([^]*?)<\/\1>/g)];
      assert(parts.length > 0);
      for (const [, , text] of parts) {
        const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
        assert(policy.includes(`'sha256-${digest.toBase64()}'`), path);
      }
    }
    assertEquals(await statusOf(ask("/missing.jpg?view")), 404);
    assertEquals(await statusOf(ask("/a.jpg/?view")), 404);
    assertEquals(await statusOf(ask("/?view=wall")), 400);
    assertEquals(await statusOf(ask("/a.jpg?view&sort=colour")), 400);
    assertEquals(await statusOf(ask("/a.jpg?view", { headers: { "if-none-match": "*" } })), 304);
    assertEquals(await statusOf(ask("/a.jpg?view", { method: "POST" })), 405);
  });
});

Deno.test("a gallery shows images and films themselves, and links to folders and to the list", async () => {
  await served(async (root, ask) => {
    touch(root, "a.jpg", "javascript:1.png", "f.mp4", `q"<b>.gif`, "notes.txt", "x.zip");
    Deno.mkdirSync(`${root}/sub #1`);
    const html = await page(ask, "/?view=gallery&sort=size");
    assertMatch(html, /<h1>Directory listing: \/<\/h1>/);
    assertMatch(html, /<img src="a\.jpg" alt="" loading="lazy" decoding="async">/);
    assertMatch(html, /<a href="a\.jpg\?view=gallery&amp;sort=size">/);
    assertMatch(html, /<video src="f\.mp4#t=0\.1" preload="none"/);
    assertMatch(html, /<img src="javascript%3A1\.png"/);
    assertMatch(html, /<img src="q%22%3Cb%3E\.gif"/);
    assertMatch(html, /<a href="sub%20%231\/\?sort=size&amp;view=gallery">sub #1\/<\/a>/);
    assertMatch(html, /<a href="\.\/\?sort=size">2 other files<\/a>, neither pictures nor films/);
    assert(!html.includes("<b>") && !html.includes("notes.txt"));
    assertMatch(
      await page(ask, "/sub%20%231/?view=gallery"),
      /<a href="\.\.\/\?view=gallery">\.\.\/<\/a>/,
    );
    assertMatch(await page(ask, "/sub%20%231/?view=gallery"), /This folder is empty/);
    assertMatch(
      await page(ask, "/?view=gallery&q=notes"),
      /<a href="\.\/\?sort=name|<a href="\.\/\?q=notes">1 file</,
    );
  });
});

Deno.test("secrets and hidden files have no page", async () => {
  await served(async (root, ask) => {
    touch(root, ".hidden.txt", "key.txt", "a.txt", "z.txt");
    for (const path of ["/.hidden.txt", "/key.txt"]) {
      assertEquals(await statusOf(ask(`${path}?view`)), 404, path);
    }
    assertEquals(ways(await page(ask, "/a.txt?view")), { next: "z.txt?view" });
  }, (root) => ({ noHidden: true, secrets: { files: [`${root}/key.txt`] } }));
});
