/**
 * Modules that are loaded on first use. `deno bundle` writes one file per group of modules needed by the same
 * set of late-loaded modules: the more of those import the same modules, the fewer files result.
 */

import { dirname, join, toFileUrl } from "@std/path";

/** An import statement: of a module's values, or of a module that is loaded on demand. */
const IMPORTED = /^(?:import\s+(?!type\b)|export\s*[*{])[^;"]*?\bfrom\s*"(\.[^"]+)"/gm,
  LOADED_LATER = /\bimport\(\s*"(\.[^"]+)"/g;

/** The module that starts everything but xdotool commands, and their folder, which is bundled separately. */
export const START = "cli/run.ts", APART = "cli/xdotool/";

/** Modules that each xdotool command on Wayland loads one after the other, if it opens the desktop itself. */
export const TOGETHER: readonly string[] = [
  "ffi/open.ts",
  "ffi/wayland/mod.ts",
  "ffi/wayland/wlroots/way.ts",
  "cli/xdotool/calls_here.ts",
  "cli/xdotool/desktop_target.ts",
];
/** The module that contains {@linkcode TOGETHER}. */
const TOGETHER_NAME = "together.ts";

/** Restores the modules' text. */
type Undo = () => Promise<void>;

/**
 * Makes each late-loaded module first import the modules that the start imports. Without this, what
 * the start shares with them would be split into more files.
 * @param start The module that starts the program.
 * @param modules Modules that may load others.
 */
export async function importStartFirst(start: string, modules: readonly string[]): Promise<Undo> {
  const texts = new Texts(), started = await reached([start]), first = await importsOf(start);
  for (const path of await loadedLater(modules)) {
    if (!started.has(path)) await texts.prepend(path, first); // in a cycle, modules would run too early
  }
  return () => texts.restore();
}

/**
 * Does what {@linkcode importStartFirst} does for xdotool commands, and combines the modules that these load
 * together on Wayland: without this, a move is read from 38 files there, with it from 7, which saves 10 of 75
 * ms (Deno 2.7.11).
 * @param start The module that starts the program.
 * @param modules Modules that may load others.
 * @param source The folder that contains all modules.
 */
export async function joinLate(start: string, modules: readonly string[], source: string): Promise<Undo> {
  const joined = TOGETHER.map((name) => join(source, name)).filter((path) => modules.includes(path));
  if (!joined.length) return await importStartFirst(start, modules);
  const texts = new Texts(), together = join(source, TOGETHER_NAME);
  const names = joined.map((path, i) => `export * as m${i} from "${toFileUrl(path)}";\n`);
  await Deno.writeTextFile(together, names.join(""));
  for (const path of modules.filter((path) => path.endsWith(".ts"))) {
    await texts.replace(path, (text) =>
      text.replace(LOADED_LATER, (all, name) => {
        const at = joined.indexOf(join(dirname(path), name));
        return at < 0 ? all : `import("${toFileUrl(together)}").then(({ m${at} }) => m${at}`;
      }));
  }
  const first = await importsOf(start), both = `${first}import "${toFileUrl(together)}";\n`;
  const started = await reached([start]), inside = await reached(joined);
  // The commands themselves load these on X11, which needs nothing from Wayland.
  const ofCommands = await loadedLater(modules.filter((path) => path.startsWith(join(source, APART))));
  for (const path of await loadedLater(modules)) {
    if (started.has(path)) continue;
    const isAlone = inside.has(path) || ofCommands.has(path);
    await texts.prepend(path, isAlone ? first : both);
  }
  return () => texts.restore();
}

/** The texts of temporarily changed modules. */
class Texts {
  readonly #before = new Map<string, string>();

  async prepend(path: string, lines: string): Promise<void> {
    await this.replace(path, (text) => lines + text);
  }

  async replace(path: string, change: (text: string) => string): Promise<void> {
    const text = await Deno.readTextFile(path), changed = change(text);
    if (changed === text) return;
    if (!this.#before.has(path)) this.#before.set(path, text);
    await Deno.writeTextFile(path, changed);
  }

  async restore(): Promise<void> {
    for (const [path, text] of this.#before) await Deno.writeTextFile(path, text);
  }
}

/** The modules that a module imports statically, as statements. */
async function importsOf(path: string): Promise<string> {
  return (await named(path, IMPORTED)).map((path) => `import "${toFileUrl(path)}";\n`).join("");
}

/** Modules, and everything that they import statically. */
async function reached(starts: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set(starts);
  for (const path of found) {
    for (const imported of await named(path, IMPORTED)) if (imported.endsWith(".ts")) found.add(imported);
  }
  return found;
}

/** The modules that the given modules load late. */
async function loadedLater(modules: readonly string[]): Promise<ReadonlySet<string>> {
  return new Set((await Promise.all(modules.map((path) => named(path, LOADED_LATER)))).flat());
}

async function named(path: string, pattern: RegExp): Promise<string[]> {
  return Array.from(
    (await Deno.readTextFile(path)).matchAll(pattern),
    ([, name]) => join(dirname(path), name),
  );
}
