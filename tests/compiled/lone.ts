/** The executable alone in a folder, with an empty home and a minimal environment. */

import { join } from "@std/path";
import { type Ended, Program } from "../support/program.ts";
import { builtExecutable, type BuiltTarget, cannotBuild } from "./stand_in.ts";

/**
 * Test options, for `Deno.test({ ...lone, … })`, that skip it with a message if the executable cannot be
 * built.
 */
export const lone: { ignore: boolean } = await needExecutable("linux-x64");

/** Skips, like {@linkcode lone}, if another target's executable cannot be built. */
export async function needExecutable(target: BuiltTarget): Promise<{ ignore: boolean }> {
  const why = await cannotBuild(target);
  if (why) console.error(`\n!!! SKIPPED: the executable for ${target} is not tested, since ${why} !!!\n`);
  return { ignore: why !== undefined };
}

/** A copy of the executable and its folders. `await using` removes them. */
export class LoneFile {
  private constructor(readonly folder: string) {}

  /** Puts the executable into a new folder. */
  static async create(): Promise<LoneFile> {
    const built = await builtExecutable();
    const folder = await Deno.makeTempDir({ prefix: "deskhand-lone-" });
    for (const name of ["alone", "home", "tmp"]) await Deno.mkdir(join(folder, name));
    const own = join(folder, "alone", "deskhand");
    await Deno.link(built, own).catch(() => Deno.copyFile(built, own)); // the cache may be on another file system
    return new LoneFile(folder);
  }

  /** The folder, which contains only the executable and the test's files. */
  get alone(): string {
    return join(this.folder, "alone");
  }

  get executable(): string {
    return join(this.alone, "deskhand");
  }

  /** The executable's whole environment. */
  get environment(): Record<string, string> {
    return {
      HOME: join(this.folder, "home"),
      TMPDIR: join(this.folder, "tmp"),
      PATH: join(this.folder, "home"),
      NO_COLOR: "1",
    };
  }

  /** Starts the executable. */
  start(args: string[], env: Record<string, string> = {}): Program {
    return new Program(args, {
      executable: this.executable,
      cwd: this.alone,
      clearEnv: true,
      env: { ...this.environment, ...env },
    });
  }

  /** Runs the executable to its end. */
  async run(args: string[], input = "", env: Record<string, string> = {}): Promise<Ended> {
    await using program = this.start(args, env);
    if (input) await program.write(input.replace(/\n$/, ""));
    await program.endInput();
    return await program.ended();
  }

  /** All files that it has left in its home and in the temporary folder. */
  leftBehind(): string[] {
    const files = (path: string): string[] =>
      Array.from(Deno.readDirSync(path)).flatMap(({ name, isDirectory }) =>
        isDirectory ? files(join(path, name)) : [join(path, name).slice(this.folder.length + 1)]
      );
    return ["home", "tmp"].flatMap((name) => files(join(this.folder, name)));
  }

  async [Symbol.asyncDispose]() {
    await Deno.remove(this.folder, { recursive: true });
  }
}
