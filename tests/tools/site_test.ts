/** The documentation site, built once: links, browser requests, search and accessibility (axe). */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import type { BrowserContextOptions } from "playwright-core";
import { makeSite } from "../../tools/site.ts";
import { generatorVersion, installGenerator } from "../../tools/site/generator.ts";
import { siteLinks } from "../../tools/site/links.ts";
import { axeFindings, BROWSER, withBrowser } from "../support/browser.ts";
import { FetchError, kept, refuseFetch, whyUnavailable } from "../support/config.ts";
import { Program } from "../support/program.ts";
import { temporary } from "../support/shell.ts";

let generator = "";
const missing = await whyUnavailable(async () => {
  refuseFetch("npm");
  generator = await kept(
    `site-${await generatorVersion()}`,
    (folder) =>
      installGenerator(folder).catch((cause) => {
        throw new FetchError(cause.message, { cause });
      }),
  );
});
if (missing) console.error(`SKIPPED: the site's generator cannot be fetched: ${missing}`);

/** Pages that axe checks: the first, prose, wide tables, code, reference, pictures, and a missing page. */
const LOOKED_AT = [
  ...["", "start.html", "page.html", "benchmarks.html", "maintainers/desktops.html"],
  ...["files.html", "api/input.html", "404.html"],
];
/** Pages checked on a dark phone, which shares its layouts with light ones and its colors with a desk. */
const LOOKED_AT_AGAIN = ["", "api/input.html"];
const DESK = { viewport: { width: 1440, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const VIEWS: [name: string, options: BrowserContextOptions][] = [
  ["a desk, light", { ...DESK, colorScheme: "light" }],
  ["a desk, dark", { ...DESK, colorScheme: "dark" }],
  ["a phone, light", { ...PHONE, colorScheme: "light" }],
  ["a phone, dark", { ...PHONE, colorScheme: "dark" }],
];

/** A folder's files by relative path. */
function filesIn(folder: string, below = ""): string[] {
  return [...Deno.readDirSync(join(folder, below))].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesIn(folder, join(below, name)) : [join(below, name)]
  );
}

/** A page's dead links to the site's own pages and files. */
function deadLinks(file: string, html: Map<string, string>, files: string[]): string[] {
  const targets = [...html.get(file)!.matchAll(/\b(?:href|src)="([^"]*)"/g)].map(([, target]) => target);
  return targets.filter((target) => {
    const { origin, pathname, hash } = new URL(target, `http://site/${file}`);
    if (origin !== "http://site") return false;
    const path = decodeURIComponent(pathname).replace(/\/$/, "/index.html").slice(1);
    const id = decodeURIComponent(hash.slice(1)), text = html.get(path);
    if (text === undefined) return !files.includes(path);
    return id !== "" && !text.includes(`id="${id}"`);
  }).map((target) => `${file}: ${target}`);
}

Deno.test("a link to a missing file is an error that names both", () => {
  const sitemap = { pages: new Map([["docs/a.md", "a"]]), exists: (file: string) => file === "LICENSE" };
  assertEquals(siteLinks("[a](../a.md#b)", "docs/x/y.md", sitemap), "[a](/a.md#b)");
  assertStringIncludes(siteLinks("[l](../LICENSE)", "docs/y.md", sitemap), "/blob/main/LICENSE)");
  assertEquals(siteLinks("    [c](gone.md)", "docs/y.md", sitemap), "    [c](gone.md)"); // code
  let message = "";
  try {
    siteLinks("[g](gone.md)", "docs/y.md", sitemap);
  } catch (error) {
    message = (error as Error).message;
  }
  assertEquals(message, "docs/y.md links to gone.md, which is not there");
});

Deno.test({
  name: "the site has no dead links, no external requests, a search, and no axe findings",
  ...BROWSER,
  ignore: BROWSER.ignore || missing !== undefined,
}, async (t) => {
  await temporary(async (folder) => {
    const tools = join(folder, "tools"), site = join(folder, "site");
    await Deno.mkdir(tools);
    await Deno.symlink(join(generator, "node_modules"), join(tools, "node_modules"));
    await makeSite({ tools, out: site, base: "/" });
    const files = filesIn(site), pages = files.filter((file) => file.endsWith(".html"));
    const html = new Map(pages.map((file) => [file, Deno.readTextFileSync(join(site, file))]));

    await t.step("every document has a page, and every link has a target", () => {
      for (const file of filesIn("docs").filter((name) => name.endsWith(".md") && name !== "api.md")) {
        assert(html.has(file.replace(/md$/, "html")), file);
      }
      assertEquals(pages.flatMap((file) => deadLinks(file, html, files)), []);
    });

    await using program = new Program(["--files", site, "--files-port", "0", "--index", "--trust-html"]);
    const url = await program.filesUrl();
    await withBrowser(async (browser) => {
      for (const [view, options] of VIEWS) {
        await t.step(view, async (t) => {
          const page = await browser.newPage(options), requests: string[] = [], errors: string[] = [];
          page.on("request", (request) => requests.push(request.url()));
          page.on("pageerror", (error) => errors.push(error.message));
          for (const path of view === "a phone, dark" ? LOOKED_AT_AGAIN : LOOKED_AT) {
            await t.step(`axe finds nothing on /${path}`, async () => {
              await page.goto(`${url}/${path}`, { waitUntil: "networkidle" });
              assertEquals(await axeFindings(page), []);
              assert(
                !await page.evaluate("document.documentElement.scrollWidth > innerWidth"),
                "scrolls sideways",
              );
            });
          }
          await t.step("search finds a page, and axe finds nothing", async () => {
            await page.click("#local-search button");
            await page.fill("#localsearch-input", "clipboard");
            await page.waitForSelector(".VPLocalSearchBox .result");
            assertEquals(await axeFindings(page), []);
            await page.click(".VPLocalSearchBox .result");
            await page.waitForSelector(".vp-doc h1");
          });
          assertEquals(requests.filter((request) => !request.startsWith(`${url}/`)), []);
          assertEquals(errors, []);
          await page.close();
        });
      }
    });
  });
});
