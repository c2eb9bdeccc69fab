/**
 * Makes the documentation site of docs/ and the tables, by VitePress.
 *
 *     deno task site [--base /deskhand/]
 *
 * The site is in dist/site: `deskhand --files dist/site --index --trust-html` shows it. `--base` is the path that it is
 * to be served below. The generator is fetched from npm when it is missing, into dist/site-tools.
 */

import { parseArgs } from "@std/cli";
import { join } from "@std/path";
import { copyTree } from "./site/copy_tree.ts";
import { generate, generatorVersion, installGenerator, SiteError } from "./site/generator.ts";
import { homePage } from "./site/home.ts";
import { sidebar, topBar } from "./site/navigation.ts";
import { ROOT, sitePages } from "./site/pages.ts";

/** The folder of a site, and its address. */
interface SiteOptions {
  /** Has the generator, and gets the pages that it reads. */
  tools: string;
  /** The folder that gets the site; earlier files in it are removed. */
  out: string;
  /** The path below which the site is served, with a slash at both ends. */
  base: string;
}

/**
 * Makes the site.
 * @returns How many pages it has.
 * @throws SiteError or DeadLinkError with the reason.
 */
export async function makeSite({ tools, out, base }: SiteOptions): Promise<number> {
  const source = join(tools, "pages");
  await removed(source);
  await removed(out);
  await copyTree(join(ROOT, "docs", "images"), join(source, "public", "images"));
  await Deno.copyFile(
    join(ROOT, "control", "page", "icon.svg"),
    join(source, "public", "images", "icon.svg"),
  );
  const pages = await sitePages();
  for (const { path, text } of [homePage(), ...pages]) {
    const file = join(source, `${path}.md`);
    await Deno.mkdir(join(file, ".."), { recursive: true });
    await Deno.writeTextFile(file, text);
  }
  const site = { base, out, nav: topBar(), sidebar: sidebar(pages) };
  await Deno.writeTextFile(join(tools, "site.json"), JSON.stringify(site));
  await generate(tools);
  return pages.length + 1;
}

async function removed(folder: string): Promise<void> {
  await Deno.remove(folder, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}

/** Makes the folder with the generator, unless it is there. */
async function generatorFolder(): Promise<string> {
  const folder = join(ROOT, "dist", "site-tools", await generatorVersion());
  const isThere = await Deno.stat(join(folder, "installed")).then(() => true, () => false);
  if (isThere) return folder;
  await Deno.mkdir(folder, { recursive: true });
  console.error("Fetching the generator from npm (100 MB)");
  await installGenerator(folder);
  await Deno.writeTextFile(join(folder, "installed"), "");
  return folder;
}

if (import.meta.main) {
  const { base } = parseArgs(Deno.args, { string: ["base"], default: { base: "/" } });
  const out = join(ROOT, "dist", "site");
  try {
    if (!/^\/([^/]+\/)*$/.test(base)) throw new SiteError(`--base ${base} does not begin and end with /`);
    const count = await makeSite({ tools: await generatorFolder(), out, base });
    console.log(`${out}: ${count} pages`);
  } catch (error) {
    console.error((error as Error).message);
    Deno.exit(1);
  }
}
