/** The MCP Bundle: the format's own tool unpacks it, and a client starts the executable inside. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { dirname, join } from "@std/path";
import { bundleName } from "../../tools/compile/mcpb.ts";
import { TARGETS } from "../../tools/compile/targets.ts";
import { pictureSize } from "../../control/image/read_picture.ts";
import { mustFetch, whyUnavailable } from "../support/config.ts";
import { mustRun, temporary } from "../support/shell.ts";
import { need } from "../support/need.ts";
import { X11 } from "../support/window_desktops.ts";
import { Xvfb } from "../support/xvfb.ts";
import { lone } from "./lone.ts";
import { builtExecutable } from "./stand_in.ts";

/** The command that runs the format's own tool. */
const MCPB = ["--prefer-offline", "-y", "-p", "@anthropic-ai/mcpb@2.1.2", "mcpb"];

const npx = need("npx");
const unreached = npx.ignore
  ? undefined
  : await whyUnavailable(() => mustFetch("npx", [...MCPB, "--version"]));
if (unreached) console.error(`\n!!! SKIPPED: the tool of MCP Bundles is not there: ${unreached} !!!\n`);

/** The part of a manifest that a client reads to start the server. */
interface Manifest {
  icons: { src: string; size: string }[];
  tools: { name: string }[];
  server: { mcp_config: { command: string; args: string[] } };
  user_config: Record<string, { default: string }>;
}

/** Substitutes a manifest's variables as a client does, with the default settings. */
function filled(text: string, folder: string, { user_config }: Manifest): string {
  return text.replace("${__dirname}", folder)
    .replace(/\$\{user_config\.(\w+)\}/, (_, name) => user_config[name].default);
}

Deno.test({
  name: "the bundle unpacks, its manifest is valid, and its server offers the tools it names",
  ignore: lone.ignore || X11.ignore || npx.ignore || unreached !== undefined,
  async fn() {
    const built = dirname(await builtExecutable()), name = bundleName(TARGETS[0]);
    assertStringIncludes(await Deno.readTextFile(join(built, "SHA256SUMS")), `  ${name}\n`);
    await temporary(async (folder) => {
      await mustRun("npx", [...MCPB, "unpack", join(built, name), folder]);
      await mustRun("npx", [...MCPB, "validate", join(folder, "manifest.json")]);
      const manifest: Manifest = JSON.parse(await Deno.readTextFile(join(folder, "manifest.json")));
      const [{ src, size }] = manifest.icons, icon = pictureSize(await Deno.readFile(join(folder, src)));
      assertEquals(`${icon.width}x${icon.height}`, size);
      const { command, args } = manifest.server.mcp_config;
      await using server = await Xvfb.start();
      const client = new Client({ name: "tester", version: "1" });
      await client.connect(
        new StdioClientTransport({
          command: filled(command, folder, manifest),
          args: args.map((arg) => filled(arg, folder, manifest)),
          env: { ...server.env, HOME: folder },
        }),
      );
      try {
        assertEquals(client.getServerVersion()?.name, "deskhand");
        const { tools } = await client.listTools();
        assertEquals(tools.map(({ name }) => name), manifest.tools.map(({ name }) => name));
        const { content } = await client.callTool({ name: "see", arguments: {} });
        assertStringIncludes(JSON.stringify(content), "windows: none; screen ");
      } finally {
        await client.close();
      }
    });
  },
});
