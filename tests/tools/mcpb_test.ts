/** MCP Bundles of every target: the content of the archive, and its description in the manifest. */

import { assertEquals } from "@std/assert";
import { strFromU8, unzipSync } from "fflate";
import { join } from "@std/path";
import { TOOLS } from "../../control/agents/tools/mod.ts";
import { readOptions } from "../../cli/options.ts";
import { VERSION } from "../../core/version.ts";
import { need } from "../support/need.ts";
import { writeMcpb } from "../../tools/compile/mcpb.ts";
import { TARGETS } from "../../tools/compile/targets.ts";
import { temporary } from "../support/temporary.ts";

for (const target of TARGETS) {
  Deno.test(`the bundle for ${target.name} holds its program, which its manifest starts`, async () => {
    await temporary(async (folder) => {
      const executable = join(folder, "executable");
      await Deno.writeTextFile(executable, target.name);
      const path = await writeMcpb(target, executable, folder);
      assertEquals(path, join(folder, `deskhand-${target.name}.mcpb`));
      const files = unzipSync(await Deno.readFile(path));
      const program = target.name.startsWith("windows") ? "server/deskhand.exe" : "server/deskhand";
      assertEquals(Object.keys(files), ["manifest.json", program]);
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
      assertEquals(settings.tools?.split(","), TOOLS.map(({ name }) => name));
    });
  });
}

Deno.test({ name: "unpacked, the program may be run", ...need("unzip") }, async () => {
  await temporary(async (folder) => {
    await Deno.writeTextFile(join(folder, "executable"), "#!/bin/sh\necho started\n");
    const path = await writeMcpb(TARGETS[0], join(folder, "executable"), folder);
    await new Deno.Command("unzip", { args: ["-q", path, "-d", join(folder, "unpacked")] }).output();
    const { stdout } = await new Deno.Command(join(folder, "unpacked/server/deskhand")).output();
    assertEquals(new TextDecoder().decode(stdout), "started\n");
  });
});
