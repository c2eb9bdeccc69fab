/**
 * Builds the documentation site from docs/ and the tables, with VitePress.
 *
 *     deno task site [--base /deskhand/]
 *
 * The site is in dist/site: `deskhand --files dist/site --index --trust-html` serves it. `--base` is the path
 * below which it will be served. If missing, the generator is fetched from npm into dist/site-tools.
 */

import { parseArgs } from "@std/cli";
import { join } from "@std/path";
import { copyTree } from "./site/copy_tree.ts";
import { generate, generatorVersion, installGenerator, SiteError } from "./site/generator.ts";
import { homePage } from "./site/home.ts";
import { sidebar, topBar } from "./site/navigation.ts";
import { ROOT, sitePages } from "./site/pages.ts";

/** A site's folder and address. */
interface SiteOptions {
  /** Contains the generator, and receives the pages that it reads. */
  tools: string;
  /** The folder that receives the site; existing files in it are removed. */
  out: string;
  /** The path below which the site is served, with a slash at both ends. */
  base: string;
}

/**
 * Builds the site.
 * @returns The number of pages.
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

/** Creates the folder with the generator, unless it exists. */
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
