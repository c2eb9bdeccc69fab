/** The npm packages: installed from a local registry, and used. */

import { assertEquals, assertMatch } from "@std/assert";
import { basename, dirname, fromFileUrl, join } from "@std/path";
import { VERSION } from "../../core/version.ts";
import { bundleName } from "../../tools/compile/mcpb.ts";
import { executableName, type Target, TARGETS } from "../../tools/compile/targets.ts";
import { npmName, tarballName } from "../../tools/package/npm.ts";
import { mustRun, temporary } from "../support/shell.ts";
import { Program } from "../support/program.ts";
import { lone } from "./lone.ts";
import { madePackages } from "./made_packages.ts";

/** The manifest in a tarball. */
async function manifestOf(tarball: string): Promise<Record<string, unknown>> {
  return JSON.parse(await mustRun("tar", ["-xzOf", tarball, "package/package.json"]));
}

/** A registry's description of a package. For other systems' packages npm needs only the system. */
async function packument(folder: string, name: string, target: Target | undefined, origin: string) {
  const tarball = tarballName(name),
    isHere = await Deno.stat(join(folder, tarball)).then(() => true, () => false);
  const manifest = isHere
    ? await manifestOf(join(folder, tarball))
    : { name, version: VERSION, os: [target!.node.os], cpu: [target!.node.cpu] };
  const version = { ...manifest, dist: { tarball: `${origin}/${tarball}` } };
  return { name, "dist-tags": { latest: VERSION }, versions: { [VERSION]: version } };
}

/** Serves a folder's files as a registry. */
function registry(folder: string): AsyncDisposable & { url: string; asked: string[] } {
  const asked: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async ({ url }) => {
    const { origin, pathname } = new URL(url), path = decodeURIComponent(pathname).slice(1);
    asked.push(path);
    if (path.endsWith(".tgz")) return new Response(await Deno.readFile(join(folder, path)));
    const target = TARGETS.find((target) => npmName(target) === path);
    if (!target && path !== "deskhand") return new Response("{}", { status: 404 });
    return Response.json(await packument(folder, path, target, origin));
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    asked,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test(
  { ...lone, name: "npx deskhand runs this system's executable, and downloads no other" },
  async () => {
    const packages = await madePackages();
    await temporary(async (folder) => {
      await using served = registry(packages);
      const env = {
        HOME: folder,
        npm_config_registry: served.url,
        npm_config_cache: join(folder, "cache"),
        npm_config_audit: "false",
        npm_config_fund: "false",
        npm_config_update_notifier: "false",
      };
      const project = join(folder, "project");
      await Deno.mkdir(project);
      await Deno.writeTextFile(join(project, "package.json"), "{}");
      await mustRun("npm", ["install", "deskhand"], { cwd: project, env });
      assertEquals(served.asked.filter((path) => path.endsWith(".tgz")).sort(), [
        "deskhand-0.1.0.tgz",
        "deskhand-linux-x64-0.1.0.tgz",
      ]);
      assertEquals(
        await mustRun("npx", ["deskhand", "--version"], { cwd: project, env }),
        `deskhand ${VERSION}\n`,
      );
      const executable = join(project, "node_modules/.bin/deskhand");
      await using program = new Program(["--http", "0", "--desktop", "virtual"], { executable });
      assertEquals((await fetch(`${await program.controlUrl()}/api/position`)).status, 200);
      await program.write("m3-4");
      await program.write("g");
      await program.printed(/^3 4$/m);
      program.kill("SIGTERM");
      assertEquals((await program.ended()).code, 0);
      const { code } = await new Deno.Command(executable, { args: ["--nonsense"], stderr: "null" }).output();
      assertEquals(code, 2);
      await Deno.remove(join(project, "node_modules/@deskhand"), { recursive: true });
      const { stderr, code: lacking } = await new Deno.Command(executable).output();
      assertEquals(lacking, 2);
      assertMatch(new TextDecoder().decode(stderr), /^deskhand: the package @deskhand\/linux-x64 is missing/);
    });
  },
);

Deno.test(
  { ...lone, name: "every target has a package, and the checksums cover all files" },
  async () => {
    const packages = await madePackages();
    const { optionalDependencies } = await manifestOf(join(packages, tarballName("deskhand")));
    assertEquals(optionalDependencies, Object.fromEntries(TARGETS.map((row) => [npmName(row), VERSION])));
    const made = Array.from(Deno.readDirSync(packages), ({ name }) => name).filter((name) =>
      name !== "SHA256SUMS"
    );
    const sums = await Deno.readTextFile(join(packages, "SHA256SUMS"));
    assertEquals(sums.trim().split("\n").map((line) => line.split("  ")[1]).sort(), made.sort());
    const server = JSON.parse(await Deno.readTextFile(join(packages, "server.json")));
    assertEquals(server.name, (await manifestOf(join(packages, tarballName("deskhand")))).mcpName);
    assertEquals(server.packages.map(({ identifier }: { identifier: string }) => basename(identifier)), [
      "deskhand",
      bundleName(TARGETS[0]),
    ]);
    await mustRun("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: packages });
    assertEquals(made.some((name) => name === executableName(TARGETS[0])), false);
  },
);

Deno.test(
  { ...lone, name: "Node imports the drivers from the package, next to Anthropic's SDK" },
  async () => {
    const packages = await madePackages(), sdk = fromFileUrl(import.meta.resolve("@anthropic-ai/sdk"));
    await temporary(async (folder) => {
      const modules = join(folder, "node_modules");
      await Deno.mkdir(join(modules, "deskhand"), { recursive: true });
      await Deno.mkdir(join(modules, "@anthropic-ai"));
      await Deno.symlink(dirname(sdk), join(modules, "@anthropic-ai/sdk"));
      const unpack = ["--strip-components=1", "-C", join(modules, "deskhand")];
      await mustRun("tar", ["-xzf", join(packages, tarballName("deskhand")), ...unpack]);
      const code = `import { DeskhandComputer } from "deskhand/anthropic";
      import { DeskhandDriver, deskhandTool } from "deskhand/openai";
      console.log(JSON.stringify(new DeskhandComputer({ url: "http://127.0.0.1:1", confirm: () => true })));
      console.log(typeof new DeskhandDriver().click, typeof deskhandTool().computer.click);`;
      await Deno.writeTextFile(join(folder, "main.mjs"), code);
      assertEquals(
        await mustRun("node", ["main.mjs"], { cwd: folder }),
        '{"type":"computer_toolset_20260801"}\nfunction function\n',
      );
    });
  },
);
