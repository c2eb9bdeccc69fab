/** Web pages of other origins in a real Chromium: their access to the file server, and the access of its own pages. */

import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { Program } from "../support/program.ts";
import { temporary } from "../support/temporary.ts";

const FILES = {
  "conf.js": "globalThis.secret = 'read';",
  "a.css": "body { color: rgb(1, 2, 3) }",
  "a.png": Uint8Array.fromBase64(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  ),
  "inner.html": "<p>inner</p>",
  "page.html": `<link rel="stylesheet" href="a.css"><img id="image" src="a.png">
    <script src="conf.js"></script><iframe src="inner.html"></iframe>`,
};

/** The files that a page got; scripts and pictures answer by their effect. */
const USES = `(async () => {
  return { script: globalThis.secret ?? null, style: getComputedStyle(document.body).color, image: image.naturalWidth };
})()`;

/** Serves the files, and a page of another origin that uses them, and opens both in a browser. */
async function inBrowser(
  args: string[],
  use: (own: string, page: Page, openForeign: () => Promise<void>) => Promise<void>,
) {
  await temporary(async (root) => {
    for (const [name, content] of Object.entries(FILES)) {
      await Deno.writeFile(
        `${root}/${name}`,
        typeof content === "string" ? new TextEncoder().encode(content) : content,
      );
    }
    await using program = new Program(["--files", root, "--files-port", "0", ...args], {
      env: { DISPLAY: "" },
    });
    const own = await program.filesUrl();
    const html = FILES["page.html"].replace(/(src|href)="/g, `$1="${own}/`);
    await using other = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      () => new Response(html, { headers: { "content-type": "text/html" } }),
    );
    await withBrowser(async (browser) => {
      const page = await browser.newPage();
      const url = `http://127.0.0.1:${other.addr.port}/`;
      await use(own, page, async () => void await page.goto(url, { waitUntil: "load" }));
    });
  });
}

/** The text of a page's frame; empty where the browser refuses to frame. */
async function framed(page: Page, own: string): Promise<string> {
  const frame = page.frames().find((frame) => frame.url() === `${own}/inner.html`);
  return frame ? await frame.locator("body").innerText() : "";
}

const BLOCKED = { script: null, style: "rgb(0, 0, 0)", image: 0 };
const LOADED = { script: "read", style: "rgb(1, 2, 3)", image: 1 };

Deno.test(
  { ...BROWSER, name: "a page of another origin gets no script, style, picture, frame or content" },
  async () => {
    await inBrowser([], async (own, page, openForeign) => {
      await openForeign();
      assertEquals(await page.evaluate(USES), BLOCKED);
      assertEquals(await framed(page, own), "");
      assertEquals(
        await page.evaluate(`fetch("${own}/conf.js").then(() => "read", () => "refused")`),
        "refused",
      );
    });
  },
);

Deno.test({
  ...BROWSER,
  name: "with --files-cors it gets all of them but the frame, and ranges with their headers",
}, async () => {
  await inBrowser(["--files-cors"], async (own, page, openForeign) => {
    await openForeign();
    assertEquals(await page.evaluate(USES), LOADED);
    assertEquals(await framed(page, own), "");
    const ranged = `fetch("${own}/conf.js", { headers: { range: "bytes=0-5", "if-none-match": '"x"' } })`;
    assertEquals(
      await page.evaluate(
        `${ranged}.then(async (r) => [r.status, r.headers.get("content-range"), await r.text()])`,
      ),
      [206, `bytes 0-5/${FILES["conf.js"].length}`, "global"],
    );
  });
});

Deno.test({
  ...BROWSER,
  name: "a page that is trusted uses the other files of its folder; a sandboxed one does not",
}, async () => {
  for (const [args, expected, inner] of [[["--trust-html"], LOADED, "inner"], [[], BLOCKED, ""]] as const) {
    await inBrowser([...args], async (own, page) => {
      await page.goto(`${own}/page.html`, { waitUntil: "load" });
      assertEquals(await page.evaluate(USES), expected);
      assertEquals(await framed(page, own), inner);
    });
  }
});
