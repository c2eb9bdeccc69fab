/**
 * Joins the modules into a few: an executable of one file a module takes a third longer to its first answer
 * (docs/benchmarks.md).
 */

import { dirname, join, relative } from "@std/path";
import { type Parts, renameOwnFiles } from "./embedded.ts";

/** What `deno compile` gets. */
export interface Bundle {
  /** The main module. */
  entry: string;
  /** Workers and files to embed beside what it imports. */
  includes: string[];
}

/** The modules could not be joined. */
export class BundleError extends Error {
  override name = "BundleError";
}

/**
 * Joins the modules.
 * @param root The project's folder.
 * @param stage An empty folder to work in, which the bundle lives in afterwards.
 * @throws BundleError with what `deno bundle` said.
 */
export async function bundle(
  root: string,
  { modules, workers, files }: Parts,
  stage: string,
): Promise<Bundle> {
  const source = join(stage, "source"), made = join(stage, "made");
  // All that is made lands in one folder, so there every name is relative to it.
  const output = (path: string) => {
    const name = relative(root, path).replaceAll("\\", "/");
    return workers.includes(path) ? `./${workerName(name)}.js` : `./${name}${path.endsWith("/") ? "/" : ""}`;
  };
  for (const path of modules) {
    const text = await Deno.readTextFile(path);
    const isModule = /\.m?[jt]s$/.test(path);
    await write(join(source, relative(root, path)), isModule ? renameOwnFiles(path, text, output) : text);
  }
  for (const name of ["deno.json", "deno.lock"]) {
    await write(join(source, name), await Deno.readTextFile(join(root, name)));
  }
  const entries: string[] = [];
  for (const path of workers) {
    const name = relative(root, path).replaceAll("\\", "/");
    entries.push(`${workerName(name)}.ts`);
    await write(join(source, entries.at(-1)!), `import "./${name}";\n`);
  }
  // What the main module shared with Workers would be in many small files, each of which takes time at the start.
  for (const part of [["main.ts"], entries]) {
    await run(source, ["bundle", "--quiet", "--code-splitting", "--outdir", made, ...part]);
  }
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

async function run(cwd: string, args: string[]): Promise<void> {
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
