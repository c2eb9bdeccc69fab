/**
 * Bundles the modules into a few files: an executable with one file per module takes a third longer until its
 * first response (docs/maintainers/benchmarks.md).
 */

import { dirname, join, relative } from "@std/path";
import { type Parts, renameOwnFiles } from "./embedded.ts";
import { APART, importStartFirst, joinLate, START } from "./late.ts";
import { droppedResources } from "./using.ts";

/** The arguments for `deno compile`. */
export interface Bundle {
  entry: string;
  /** Workers and files to embed besides the imported modules. */
  includes: string[];
}

/** The modules could not be bundled. */
export class BundleError extends Error {
  override name = "BundleError";
}

/**
 * Bundles the modules.
 * @param root The project's folder.
 * @param stage An empty working folder, which afterwards contains the bundle.
 * @throws BundleError with the message of `deno bundle`, or for a resource that the bundle would not dispose
 * of.
 */
export async function bundle(
  root: string,
  { modules, workers, files }: Parts,
  stage: string,
): Promise<Bundle> {
  const source = join(stage, "source"), made = join(stage, "made");
  // All output is written to one folder, so every name in it is relative.
  const output = (path: string) => {
    const name = relative(root, path).replaceAll("\\", "/");
    return workers.includes(path) ? `./${workerName(name)}.js` : `./${name}${path.endsWith("/") ? "/" : ""}`;
  };
  for (const path of modules) {
    const text = await Deno.readTextFile(path);
    const isModule = /\.m?[jt]s$/.test(path);
    const [dropped] = isModule ? droppedResources(text) : [];
    if (dropped) {
      const message =
        `"using ${dropped}" would be dropped by deno bundle, since ${dropped} has one use, right behind it`;
      throw new BundleError(`${path}: ${message}: write try and finally`);
    }
    await write(join(source, relative(root, path)), isModule ? renameOwnFiles(path, text, output) : text);
  }
  for (const name of ["deno.json", "deno.lock"]) {
    await write(join(source, name), await Deno.readTextFile(join(root, name)));
  }
  const entries: string[] = [], apart = new Map<string, string>();
  for (const path of workers) {
    const name = relative(root, path).replaceAll("\\", "/"), entry = `${workerName(name)}.ts`;
    if (name.startsWith(APART)) apart.set(entry, join(source, name));
    else entries.push(entry);
    await write(join(source, entry), `export * from "./${name}";\n`);
  }
  // Workers are bundled separately: what the main module shares with them would be split into many small
  // files.
  await joinModules(source, entries, made);
  const copies = modules.map((path) => join(source, relative(root, path)));
  for (const [entry, start] of apart) {
    const undo = await joinLate(start, copies, source);
    await joinModules(source, [entry], made);
    await undo();
  }
  const [start] = [START, "main.ts"].map((name) => join(source, name)).filter((path) =>
    copies.includes(path)
  );
  // The separately bundled modules may import from the start later.
  await importStartFirst(start, copies.filter((path) => !path.startsWith(join(source, APART))));
  await joinModules(source, ["main.ts"], made);
  for (const path of files) await copy(path, join(made, output(path)));
  return {
    entry: join(made, "main.js"),
    includes: [...workers, ...files].map((path) => join(made, output(path))),
  };
}

/** `ffi/x11/watch_worker.ts` becomes `ffi-x11-watch_worker`. */
function workerName(name: string): string {
  return name.replace(/\.[^.]*$/, "").replaceAll("/", "-");
}

/** Minified text is half as long and read 2 to 3 ms sooner; error messages need the function names. */
const SHORT = ["--minify", "--keep-names"];

async function joinModules(cwd: string, entries: readonly string[], folder: string): Promise<void> {
  const args = ["bundle", "--quiet", ...SHORT, "--code-splitting", "--outdir", folder, ...entries];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd, env: { NO_COLOR: "1" } })
    .output();
  if (success) return;
  throw new BundleError(
    "the modules cannot be joined. deno bundle takes esbuild from the npm registry the first time, so that must " +
      `be in reach once. It said:\n${new TextDecoder().decode(stderr).trim()}`,
  );
}

async function write(path: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, text);
}

async function copy(from: string, to: string): Promise<void> {
  if ((await Deno.stat(from)).isFile) {
    await Deno.mkdir(dirname(to), { recursive: true });
    return await Deno.copyFile(from, to);
  }
  for await (const { name } of Deno.readDir(from)) await copy(join(from, name), join(to, name));
}
