/** A Playwright Test project with the client's package, as npm would install it. */

import { fromFileUrl, join } from "@std/path";
import { CLIENT_TARBALL, makeClientPackage } from "../../tools/package/clients.ts";
import { mustRun } from "../support/shell.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
const SOURCES = fromFileUrl(new URL("./playwright", import.meta.url));
/** The runner's packages, which have no further dependencies. */
const RUNNER = ["@playwright/test", "playwright", "playwright-core"];

interface Ran {
  code: number;
  printed: string;
}

/** A folder with a configuration and packages. */
export interface Project extends AsyncDisposable {
  folder: string;
  /** Runs `playwright test` under Node. @param until After it, Ctrl-C reaches the runner and all it started. */
  run(args: string[], env?: Record<string, string>, until?: () => Promise<unknown>): Promise<Ran>;
}

/** Creates a project in a temporary folder. */
export async function playwrightProject(): Promise<Project> {
  const folder = await Deno.makeTempDir({ prefix: "deskhand-playwright-" }),
    modules = join(folder, "node_modules");
  const { imports } = JSON.parse(await Deno.readTextFile(join(ROOT, "tests/deno.json")));
  const version = imports["@playwright/test"].split("@").at(-1);
  const info = JSON.parse(await mustRun(Deno.execPath(), ["info", "--json"]));
  await mustRun(Deno.execPath(), [
    "cache",
    "--config",
    join(ROOT, "tests/deno.json"),
    "npm:@playwright/test@" + version,
  ]);
  await Deno.mkdir(join(modules, "@playwright"), { recursive: true });
  for (const name of RUNNER) {
    const kept = join(info.npmCache, "registry.npmjs.org", name, version);
    await mustRun("cp", ["-r", kept, join(modules, name)]);
  }
  await makeClientPackage(folder);
  const client = join(modules, "@deskhand/client");
  await Deno.mkdir(client, { recursive: true });
  await mustRun("tar", ["-xzf", join(folder, CLIENT_TARBALL), "-C", client, "--strip-components", "1"]);
  const project: Project = {
    folder,
    async run(args, env = {}, until) {
      const child = new Deno.Command("node", {
        args: [join(modules, "@playwright/test/cli.js"), "test", "--workers", "1", ...args],
        cwd: folder,
        detached: true,
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
        env: {
          FORCE_COLOR: "0",
          CI: "", // with CI set, no baselines are written
          DESKHAND_URL: "",
          ...env,
          DESKHAND_COMMAND: JSON.stringify([Deno.execPath(), "run", "-q", "-A", join(ROOT, "main.ts")]),
        },
      }).spawn();
      until?.().then(() => Deno.kill(-child.pid, "SIGINT"));
      const { code, stdout, stderr } = await child.output();
      return { code, printed: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
    },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
  await copy("playwright.config.ts", project);
  return project;
}

/** Copies one of this folder's test files into a project. */
export async function copy(name: string, { folder }: Project): Promise<void> {
  await Deno.copyFile(join(SOURCES, name), join(folder, name));
}
