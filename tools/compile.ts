/**
 * Builds the standalone executables in dist/, each containing all its modules and files; an MCP Bundle
 * containing each of them; and SHA256SUMS next to them.
 *
 *     deno task compile                        for the machine it runs on
 *     deno task compile --all                  for every target
 *     deno task compile --target windows-x64   for one (may be repeated)
 *     deno task compile --output FOLDER        somewhere other than dist/
 *     deno task compile --fast                 MCP Bundles are not compressed, for trying
 */

import { parseArgs } from "@std/cli";
import { fromFileUrl, join } from "@std/path";
import { UsageError } from "../core/errors.ts";
import { VERSION } from "../core/version.ts";
import { chooseBase, lackOfBase, lacksBase } from "./compile/base.ts";
import { type Bundle, bundle, BundleError } from "./compile/bundle.ts";
import { EmbeddingError, findParts } from "./compile/embedded.ts";
import { writeMcpb } from "./compile/mcpb.ts";
import { writeSums } from "./compile/sums.ts";
import { executableName, hostTarget, type Target, targetOf, TARGETS } from "./compile/targets.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));

/** deskhand's permissions. */
export const PERMISSIONS = [
  "--allow-net", // both servers; addresses and ports are the user's choice
  "--allow-ffi", // the system's input and screen libraries (bare names allow no narrower form)
  "--allow-read", // the served folder, certificates, recordings
  "--allow-write", // recordings, pictures, the log, the token, uploads
  "--allow-env", // DISPLAY, HOME and the like, and what Node's modules read
  // This machine's addresses and name, the system's version for `doctor`, whether the state folder belongs to
  // this user, and the disk space available for uploads.
  "--allow-sys=networkInterfaces,hostname,osRelease,uid,statfs",
  // gsettings for GNOME's keyboard layout (ffi/wayland/layout/), and the programs of `--agent-open`: the
  // user's option is the list.
  "--allow-run",
  "--no-prompt", // anything else fails without a prompt
];

/** An error that stops one target; the other targets continue. */
class CompileError extends Error {}

/**
 * Builds one executable.
 * @throws CompileError with the message for the user.
 */
async function compile(target: Target, folder: string, { entry, includes }: Bundle): Promise<string> {
  const output = join(folder, executableName(target));
  const base = chooseBase(target, Deno.env.get("DENORT_BIN"));
  const { success, stderr } = await run(
    Deno.execPath(),
    [
      "compile",
      ...PERMISSIONS,
      // The code cache would be a file with a known name in the shared temporary folder, which another user
      // could create first.
      "--no-code-cache",
      "--no-check", // deno task check does that
      "--no-config",
      ...includes.flatMap((path) => ["--include", path]),
      "--target",
      target.triple,
      "--output",
      output,
      entry,
    ],
    base.from === "file" ? { DENORT_BIN: base.path } : {},
    ["DENORT_BIN"],
  );
  if (!success) {
    const noBase = base.from === "download" && lacksBase(stderr);
    throw new CompileError(noBase ? lackOfBase(target, base.why, stderr) : stderr.trim());
  }
  await verify(target, output);
  return output;
}

/** Checks an executable: it is kept only if it is for its target, and, if this machine can run it, starts. */
async function verify(target: Target, output: string): Promise<void> {
  let fault = targetOf(output) === target ? "" : `it is no program for ${target.name}`;
  if (!fault && target === hostTarget()) {
    const { success, stdout, stderr } = await run(output, ["--version"]);
    if (!success || stdout.trim() !== `deskhand ${VERSION}`) {
      fault = `it does not start: ${(stderr.trim() || stdout.trim()).split("\n", 1)[0]}`;
    }
  }
  if (!fault) return;
  await Deno.remove(output);
  throw new CompileError(
    `what was made for ${target.name} is of no use, and is removed: ${fault}\n` +
      `Is the base runtime the one of Deno ${Deno.version.deno}? (DENORT_BIN=${
        Deno.env.get("DENORT_BIN") ?? ""
      })`,
  );
}

/** Runs a program with part of this one's environment removed and some variables added. */
async function run(
  command: string,
  args: string[],
  env: Record<string, string> = {},
  without: string[] = [],
) {
  const own = Object.entries(Deno.env.toObject()).filter(([name]) => !without.includes(name));
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args,
    cwd: ROOT,
    clearEnv: true,
    env: { ...Object.fromEntries(own), NO_COLOR: "1", ...env },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { success, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** The targets requested on the command line. */
function chosenTargets(all: boolean, names: string[]): readonly Target[] {
  if (all) return TARGETS;
  if (!names.length) {
    const host = hostTarget();
    if (host) return [host];
    throw new UsageError(`deskhand is not made for ${Deno.build.target}; name a target: ${list()}`);
  }
  return names.map((name) => {
    const target = TARGETS.find((row) => row.name === name);
    if (!target) throw new UsageError(`--target takes ${list()}, not ${JSON.stringify(name)}`);
    return target;
  });
}

const list = () => TARGETS.map(({ name }) => name).join(", ");

async function main(args: string[]): Promise<number> {
  const options = parseArgs(args, {
    boolean: ["all", "fast"],
    string: ["target", "output"],
    collect: ["target"],
    unknown: (word: string) => {
      throw new UsageError(
        `unknown ${JSON.stringify(word)}; there are --all, --target NAME, --output FOLDER, --fast`,
      );
    },
  });
  const targets = chosenTargets(options.all, options.target as string[]);
  const folder = options.output ?? join(ROOT, "dist");
  await Deno.mkdir(folder, { recursive: true });
  const parts = await findParts(join(ROOT, "main.ts"));
  const stage = await Deno.makeTempDir({ prefix: "deskhand-compile-" });
  try {
    return await compileAll(targets, folder, await bundle(ROOT, parts, stage), options.fast);
  } finally {
    await Deno.remove(stage, { recursive: true });
  }
}

async function compileAll(
  targets: readonly Target[],
  folder: string,
  made: Bundle,
  isFast: boolean,
): Promise<number> {
  let failures = 0;
  for (const target of targets) {
    try {
      const output = await compile(target, folder, made);
      for (const path of [output, await writeMcpb(target, output, folder, isFast)]) {
        console.log(`${path}  ${Math.ceil(Deno.statSync(path).size / 1000)} kB`);
      }
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      failures++;
      console.error(`compile: ${error.message}\n`);
    }
  }
  await writeSums(folder);
  return failures ? 1 : 0;
}

if (import.meta.main) {
  try {
    Deno.exit(await main(Deno.args));
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof EmbeddingError || error instanceof BundleError)) {
      throw error;
    }
    console.error(`compile: ${error.message}`);
    Deno.exit(2);
  }
}
