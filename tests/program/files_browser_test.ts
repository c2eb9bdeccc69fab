/** The file server in Chromium: listings, odd names, phones, dark mode, seeking in media, downloads. */

import { assert, assertEquals, assertMatch, equal } from "@std/assert";
import { basename } from "@std/path";
import type { Browser, Page } from "playwright-core";
import { BROWSER, painted, withBrowser } from "../support/browser.ts";
import { Program } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";

/** Names whose links are easily wrong. */
const ODD_NAMES = [
  "a b.txt",
  "100%.txt",
  "what?.txt",
  "#1.txt",
  "c:d.txt",
  '"quoted" & <b>\'.txt',
  "日本語 😀.txt",
  "%41.txt",
  "+plus;=&.txt",
];

async function serving(
  use: (root: string, url: string, program: Program, browser: Browser) => Promise<void>,
) {
  await temporary(async (root) => {
    await using program = new Program(["--files", root, "--files-port", "0", "--log", "-"], {
      env: { DISPLAY: "" },
    });
    const url = await program.filesUrl();
    await withBrowser((browser) => use(root, url, program, browser));
  });
}

/** Waits until a listing shows these names, in this order. */
async function lists(page: Page, ...names: string[]): Promise<void> {
  await until(
    () => page.locator("tbody td:first-child a").allTextContents(),
    (found) => equal(found, names),
    (found) => `the listing has ${JSON.stringify(found)}, not ${JSON.stringify(names)}`,
  );
}

/** Waits until an element shows this text. */
async function says(page: Page, element: string, text: string): Promise<void> {
  await until(() => page.locator(element).innerText(), (found) => found === text);
}

Deno.test(
  { ...BROWSER, name: "listing links lead to any name, and the path leads to the parent folders" },
  async () => {
    await serving(async (root, url, _program, browser) => {
      for (const name of ODD_NAMES) await Deno.writeTextFile(`${root}/${name}`, `this is ${name}`);
      await Deno.mkdir(`${root}/a folder/b #2`, { recursive: true });
      const page = await browser.newPage();
      await page.goto(`${url}/`);
      assertEquals(await page.title(), "Directory listing: /");
      for (const name of ODD_NAMES) {
        await page.getByRole("link", { name, exact: true }).click();
        await says(page, "body", `this is ${name}`);
        await page.goBack();
      }
      await page.getByRole("link", { name: "a folder/" }).click();
      await page.getByRole("link", { name: "b #2/" }).click();
      await says(page, "h1", "Directory listing: /a folder/b #2/");
      await page.getByRole("link", { name: "a folder", exact: true }).click();
      await lists(page, "../", "b #2/");
      await page.getByRole("link", { name: basename(root), exact: true }).click();
      await until(() => page.title().catch(() => ""), (title) => title === "Directory listing: /");
    });
  },
);

Deno.test(
  { ...BROWSER, name: "headings sort a listing, by mouse and by keyboard alone" },
  async () => {
    await serving(async (root, url, _program, browser) => {
      for (const [i, name] of ["a10.txt", "a9.txt", "B.txt"].entries()) {
        await Deno.writeTextFile(`${root}/${name}`, "x".repeat(5 - i));
        await Deno.utime(`${root}/${name}`, 1_700_000_000 + i * 100, 1_700_000_000 + (i * 7 % 3) * 100);
      }
      await Deno.mkdir(`${root}/z`);
      const page = await browser.newPage();
      await page.goto(`${url}/`);
      await lists(page, "z/", "a9.txt", "a10.txt", "B.txt");
      await page.getByRole("button", { name: "Name" }).click();
      await lists(page, "z/", "B.txt", "a10.txt", "a9.txt");
      await page.getByRole("button", { name: "Size" }).click();
      await lists(page, "z/", "B.txt", "a9.txt", "a10.txt");
      await page.getByRole("button", { name: "Modified" }).click();
      await lists(page, "z/", "a10.txt", "a9.txt", "B.txt");
      await painted(page);
      // Tab reaches headings and entries in order, after the tools.
      await page.locator("summary", { hasText: "Download" }).focus();
      for (let i = 0; i < 4; i++) await page.keyboard.press("Tab");
      assertEquals(await page.evaluate("document.activeElement.textContent"), "z/");
      await page.keyboard.press("Enter");
      await page.waitForURL(`${url}/z/`);
    });
  },
);

Deno.test({ ...BROWSER, name: "a listing fits a phone and follows the reader's dark mode" }, async () => {
  await serving(async (root, url, _program, browser) => {
    await Deno.writeFile(
      `${root}/a-holiday-video-with-a-long-name-and-no-blank-2026-08-01.mp4`,
      new Uint8Array(9e6),
    );
    await Deno.writeTextFile(`${root}/notes.txt`, "hello");
    const context = await browser.newContext({
      viewport: { width: 360, height: 740 },
      colorScheme: "dark",
      hasTouch: true,
      isMobile: true,
    });
    const page = await context.newPage();
    await page.goto(`${url}/`);
    assert(
      await page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
      "it is wider than the phone",
    );
    const box = (await page.getByRole("link", { name: "notes.txt" }).boundingBox())!;
    assert(box.height >= 40, `a finger needs more than ${box.height} pixels`);
    for (const cell of ["8.6 MiB", "5 B"]) {
      assert(await page.getByText(cell, { exact: true }).isVisible(), cell);
    }
    assertEquals(await page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(23, 24, 28)");
    await page.getByRole("link", { name: "notes.txt" }).tap();
    await says(page, "body", "hello");
  });
});

Deno.test(
  {
    ...BROWSER,
    name: "the browser lays out a large listing's visible rows, and others once they are scrolled into view",
  },
  async () => {
    await serving(async (root, url, _program, browser) => {
      for (let i = 0; i < 3000; i++) await Deno.writeTextFile(`${root}/${i}.txt`, "");
      for (const viewport of [{ width: 1280, height: 800 }, { width: 360, height: 740 }]) {
        const page = await browser.newPage({ viewport });
        await page.goto(`${url}/`);
        // A row is laid out if the browser does not skip its block.
        const laidOut = async () =>
          await page.evaluate(`[...document.querySelectorAll("tbody tr")].map(
            (row, i) => row.checkVisibility({ contentVisibilityAuto: true }) ? i : -1).filter((i) => i >= 0)`) as number[];
        assertEquals(await page.locator("tbody tr").count(), 3000);
        // The browser decides which blocks it skips when it first draws the page.
        await until(laidOut, ([first, ...others]) => first === 0 && others.length < 1000);
        // Blocks get their real height once they are visible, so the end moves down.
        await until(
          async () => (await page.keyboard.press("End"), (await laidOut()).at(-1)),
          (last) => last === 2999,
        );
        await until(async () => {
          await page.keyboard.press("End");
          const { y, height } = (await page.getByRole("link", { name: "2999.txt" }).boundingBox())!;
          return y + height <= viewport.height;
        });
        await page.close();
      }
    });
  },
);

Deno.test({ ...BROWSER, name: "a player seeks by ranges" }, async () => {
  await serving(async (root, url, program, browser) => {
    await Deno.writeFile(`${root}/minutes.wav`, silence(300));
    const page = await browser.newPage();
    await page.goto(`${url}/minutes.wav`);
    await page.evaluate(`new Promise((resolve, reject) => {
      const player = document.querySelector("video, audio");
      player.onseeked = resolve;
      player.onerror = reject;
      player.currentTime = 290;
    })`);
    assertEquals(await page.evaluate(`Math.round(document.querySelector("video, audio").currentTime)`), 290);
    assertEquals(await page.evaluate(`Math.round(document.querySelector("video, audio").duration)`), 300);
    await program.printed(/ GET \/minutes\.wav 206 /);
  });
});

Deno.test({ ...BROWSER, name: "a download has its name and all its bytes" }, async () => {
  await serving(async (root, url, _program, browser) => {
    const content = crypto.getRandomValues(new Uint8Array(60_000));
    await Deno.writeFile(`${root}/schön.bin`, content);
    const page = await browser.newPage();
    await page.goto(`${url}/`);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "schön.bin" }).click(),
    ]);
    assertEquals(download.suggestedFilename(), "schön.bin");
    assertEquals(await Deno.readFile((await download.path())!), content);
  });
});

Deno.test({ ...BROWSER, name: "a sandboxed page cannot read other files of its server" }, async () => {
  await serving(async (root, url, _program, browser) => {
    await Deno.writeTextFile(`${root}/secret.txt`, "secret");
    await Deno.writeTextFile(
      `${root}/page.html`,
      `<p id="out">waiting</p><script>
        fetch("/secret.txt").then((r) => r.text()).then((t) => out.textContent = t, () => out.textContent = "refused");
      </script>`,
    );
    const page = await browser.newPage();
    await page.goto(`${url}/page.html`);
    await page.waitForFunction("document.querySelector('#out').textContent !== 'waiting'");
    assertMatch(await page.locator("#out").innerText(), /^refused$/);
  });
});

/** Silence as a WAV file: 8000 samples of 16 bits per second. */
function silence(seconds: number): Uint8Array {
  const data = seconds * 16_000;
  const file = new Uint8Array(44 + data);
  const view = new DataView(file.buffer);
  const word = (at: number, text: string) => file.set(new TextEncoder().encode(text), at);
  word(0, "RIFF");
  view.setUint32(4, 36 + data, true);
  word(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true); // PCM
  view.setUint16(22, 1, true); // mono
  view.setUint32(24, 8000, true);
  view.setUint32(28, 16_000, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  word(36, "data");
  view.setUint32(40, data, true);
  return file;
}

// Cross-origin pages in Chromium: their access to the file server, and the access of the server's own pages.

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

/** The files that a page received; scripts and images are seen by their effect. */
const USES = `(async () => {
  return { script: globalThis.secret ?? null, style: getComputedStyle(document.body).color, image: image.naturalWidth };
})()`;

/** Serves the files and a cross-origin page that uses them, and opens both in a browser. */
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

/** The text in a page's frame; empty if the browser refuses to frame it. */
async function framed(page: Page, own: string): Promise<string> {
  const frame = page.frames().find((frame) => frame.url() === `${own}/inner.html`);
  return frame ? await frame.locator("body").innerText() : "";
}

const BLOCKED = { script: null, style: "rgb(0, 0, 0)", image: 0 };
const LOADED = { script: "read", style: "rgb(1, 2, 3)", image: 1 };

Deno.test(
  { ...BROWSER, name: "a cross-origin page gets no script, style, image, frame or content" },
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
  name: "with --files-cors it gets everything but the frame, and ranges with their headers",
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
  name: "a trusted page uses the other files of its folder; a sandboxed page does not",
}, async () => {
  for (const [args, expected, inner] of [[["--trust-html"], LOADED, "inner"], [[], BLOCKED, ""]] as const) {
    await inBrowser([...args], async (own, page) => {
      await page.goto(`${own}/page.html`, { waitUntil: "load" });
      assertEquals(await page.evaluate(USES), expected);
      assertEquals(await framed(page, own), inner);
    });
  }
});

Deno.test({
  ...BROWSER,
  name: "Chromium displays a README, an .svgz, and pages and texts in legacy encodings correctly",
}, async () => {
  await serving(async (root, url, _program, browser) => {
    const cyrillic = new Uint8Array([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]); // windows-1251
    const meta = new TextEncoder().encode('<meta charset="windows-1251"><p>');
    const svg = new Blob([
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><title>t</title></svg>',
    ]);
    await Deno.writeTextFile(`${root}/README`, "read me ü");
    await Deno.writeFile(`${root}/a.svgz`, svg.stream().pipeThrough(new CompressionStream("gzip")));
    await Deno.writeFile(`${root}/old.html`, new Uint8Array([...meta, ...cyrillic]));
    await Deno.writeTextFile(`${root}/new.html`, "<p>Привет");
    const page = await browser.newPage();
    for (const [name, shown] of [["README", "read me ü"], ["old.html", "Привет"], ["new.html", "Привет"]]) {
      await page.goto(`${url}/${name}`);
      await says(page, "body", shown);
    }
    await page.goto(`${url}/a.svgz`);
    assertEquals(await page.evaluate("document.documentElement.nodeName"), "svg");
  });
});
