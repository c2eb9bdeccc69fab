/** Packages: the two configurations, the clients, MCP Bundles and the bill of materials. */

import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { Ajv } from "ajv";
import { strFromU8, unzipSync } from "fflate";
import { readOptions } from "../../cli/options.ts";
import { VERSION } from "../../core/version.ts";
import { writeMcpb } from "../../tools/compile/mcpb.ts";
import { TARGETS } from "../../tools/compile/targets.ts";
import { CLIENT_TARBALL, PYTHON_FILES } from "../../tools/package/clients.ts";
import { billOfMaterials } from "../../tools/package/sbom.ts";
import { CONFIG_PATH, whyUnavailable } from "../support/config.ts";
import { need } from "../support/need.ts";
import { npmProgram } from "../support/npm_package.ts";
import { temporary } from "../support/shell.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));

interface Lock {
  npm: Record<string, { integrity: string }>;
}

async function json<T>(path: string): Promise<T> {
  return JSON.parse(await Deno.readTextFile(path));
}

/** The entries of `all` whose keys are also in `some`. */
function common<T>(
  some: Record<string, T>,
  all: Record<string, T>,
): Record<string, T> {
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => name in some),
  );
}

Deno.test("tests/deno.json names every package of deno.json, in the same version", async () => {
  const { imports } = await json<{ imports: Record<string, string> }>(
    `${ROOT}deno.json`,
  );
  const { imports: all } = await json<{ imports: Record<string, string> }>(
    CONFIG_PATH,
  );
  assertEquals(common(imports, all), imports);
});

Deno.test("tests/deno.lock has the program's packages with the hashes of deno.lock", async () => {
  const { npm } = await json<Lock>(`${ROOT}deno.lock`);
  const { npm: all } = await json<Lock>(CONFIG_PATH.replace(/json$/, "lock"));
  assertEquals(common(npm, all), npm);
});

Deno.test(
  { name: "packs both clients without an executable, and Python's loads", ...need("python3") },
  async () => {
    await temporary(async (folder) => {
      const args = ["run", "-A", "--config", CONFIG_PATH, join(ROOT, "tools/package.ts"), "--from", folder];
      const { success, stderr } = await new Deno.Command(Deno.execPath(), {
        args: [...args, "--output", folder],
        env: { NO_COLOR: "1" },
      }).output();
      assertEquals(success, true, new TextDecoder().decode(stderr));
      const made = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
      assertEquals(made, ["SHA256SUMS", ...[...PYTHON_FILES, CLIENT_TARBALL]].sort());
      // Python imports a wheel directly.
      const loaded = await new Deno.Command("python3", {
        args: ["-c", "import deskhand; print(deskhand.Desk.__name__)"],
        env: { PYTHONPATH: join(folder, PYTHON_FILES[0]) },
      }).output();
      assertEquals(
        new TextDecoder().decode(loaded.stdout),
        "Desk\n",
        new TextDecoder().decode(loaded.stderr),
      );
    });
  },
);

// MCP Bundles of every target: the archive's contents and its manifest.

for (const target of TARGETS) {
  Deno.test(`the bundle for ${target.name} contains its program, which its manifest starts`, async () => {
    await temporary(async (folder) => {
      const executable = join(folder, "executable");
      await Deno.writeTextFile(executable, target.name);
      const path = await writeMcpb(target, executable, folder);
      assertEquals(path, join(folder, `deskhand-${target.name}.mcpb`));
      const files = unzipSync(await Deno.readFile(path));
      const program = target.name.startsWith("windows") ? "server/deskhand.exe" : "server/deskhand";
      assertEquals(Object.keys(files), ["manifest.json", "icon.png", program]);
      assertEquals(strFromU8(files[program]), target.name);
      const { version, server, compatibility, user_config } = JSON.parse(strFromU8(files["manifest.json"]));
      assertEquals([version, server.type, server.entry_point], [VERSION, "binary", program]);
      assertEquals(server.mcp_config.command, `\${__dirname}/${program}`);
      assertEquals(compatibility.platforms, [target.name.startsWith("windows") ? "win32" : "linux"]);
      const args = server.mcp_config.args.map((arg: string) =>
        arg.replace(/^\$\{user_config\.(\w+)\}$/, (_, name) => user_config[name].default)
      );
      const { settings, words } = readOptions(args, () => undefined);
      assertEquals([words, settings.view], [["mcp"], "auto"]);
      assertEquals(settings.tools?.split(","), ["see", "act"]);
    });
  });
}

Deno.test({ name: "the unpacked program is executable", ...need("unzip") }, async () => {
  await temporary(async (folder) => {
    await Deno.writeTextFile(join(folder, "executable"), "#!/bin/sh\necho started\n");
    const path = await writeMcpb(TARGETS[0], join(folder, "executable"), folder);
    await new Deno.Command("unzip", { args: ["-q", path, "-d", join(folder, "unpacked")] }).output();
    const { stdout } = await new Deno.Command(join(folder, "unpacked/server/deskhand")).output();
    assertEquals(new TextDecoder().decode(stdout), "started\n");
  });
});

// The bill of materials: valid CycloneDX with all parts of the executables.

/** CycloneDX's own library, which includes its schemas. */
const LIBRARY = {
  spec: "@cyclonedx/cyclonedx-library@10.3.0",
  integrity:
    "sha512-RIT28sp1U0PCHaaeF3yNRwk6Jig/XJ8UsYAVOMYaHQ+0VVOvsjcp0PTWQFLUqJFF8XMud+Kdq6G+wtDAh+QJFA==",
  program: "package/res/schema",
};

interface Bill {
  components: { name: string; version: string; hashes?: { content: string }[] }[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

const why = await whyUnavailable(() => npmProgram(LIBRARY));
if (why) console.error(`\n!!! SKIPPED: the bill of materials is not validated, since ${why} !!!\n`);

Deno.test({ ignore: why !== undefined, name: "the bill of materials is valid CycloneDX 1.6" }, async () => {
  const folder = await npmProgram(LIBRARY);
  const read = async (name: string) => JSON.parse(await Deno.readTextFile(`${folder}/${name}`));
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const name of ["spdx.SNAPSHOT.schema.json", "jsf-0.82.SNAPSHOT.schema.json"]) {
    // The bill's schema refers to them by file name, not by their own ids.
    const { $id: _, ...schema } = await read(name);
    ajv.addSchema(schema, `http://cyclonedx.org/schema/${name}`);
  }
  const validate = ajv.compile(await read("bom-1.6.SNAPSHOT.schema.json"));
  assertEquals([validate(await billOfMaterials("2.9.6")), validate.errors], [true, null]);
  const wrong = [{ type: "library", name: "x", licenses: [{ license: { id: "no such licence" } }] }];
  assertEquals(validate({ ...await billOfMaterials("2.9.6"), components: wrong }), false);
});

Deno.test("the bill lists the runtime and main.ts's imports with hashes, and no test packages", async () => {
  const bill = await billOfMaterials("2.9.6") as unknown as Bill;
  const names = bill.components.map(({ name }) => name);
  for (const name of ["deno", "deno-std", "@modelcontextprotocol/server", "zod"]) {
    assertEquals(names.includes(name), true, name);
  }
  for (const name of ["playwright-core", "ajv"]) assertEquals(names.includes(name), false, name);
  for (const { name, hashes } of bill.components) {
    assertEquals(hashes?.[0].content.length, ["deno", "v8"].includes(name) ? undefined : 128, name);
  }
  const refs = bill.dependencies.map(({ ref }) => ref);
  assertEquals(
    bill.dependencies.flatMap(({ dependsOn = [] }) => dependsOn).filter((ref) => !refs.includes(ref)),
    [],
  );
});
