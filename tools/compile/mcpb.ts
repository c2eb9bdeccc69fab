/**
 * MCP Bundles: an executable and a manifest in one file, which clients of the Model Context Protocol install
 * with a click. The format is https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md, version
 * 0.3, the newest that the format's own tool writes.
 */

import { zipSync } from "fflate";
import { join } from "@std/path";
import { act } from "../../control/agents/tools/act.ts";
import { see } from "../../control/agents/tools/see.ts";
import { VERSION } from "../../core/version.ts";
import type { Target } from "./targets.ts";

/** The manifest's system name for an executable format. */
const PLATFORMS: Record<Target["format"], string> = { ELF: "linux", PE: "win32" };

/** A regular file that everyone may run and its owner may write, in ZIP's field for the file mode. */
const EXECUTABLE = 0o100755 << 16;
/** A regular file that everyone may read. */
const READABLE = 0o100644 << 16;
/** The system of these modes: Unix. */
const UNIX = 3;
/** Executables hardly shrink further at higher levels, which take twice the time. */
const LEVEL = 1;
/**
 * The time of files in the archive: the same in every build, so that the same executable results in the same
 * bundle. It is the earliest date in ZIP.
 */
const MODIFIED = new Date(1980, 0, 1);

/** The name of a target's bundle. */
export function bundleName(target: Target): string {
  return `deskhand-${target.name}.mcpb`;
}

/** The icon's file, 512x512: next to this module, and in the bundle. */
const ICON = "icon.png";

/** The tools that a bundle offers. */
const TOOLS = [see, act];

/** The manifest of a target's bundle. The user who installs it chooses the tools and the size of pictures. */
function manifestOf(target: Target): Record<string, unknown> {
  const program = `server/deskhand${target.suffix}`;
  return {
    manifest_version: "0.3",
    name: "deskhand",
    display_name: "deskhand",
    version: VERSION,
    description:
      "Lets an AI agent see and use this computer's desktop: mouse, keyboard, screen, windows, clipboard.",
    icon: ICON,
    icons: [{ src: ICON, size: "512x512" }],
    author: { name: "deskhand" },
    license: "MIT",
    keywords: ["desktop", "mouse", "keyboard", "screenshot", "computer use"],
    server: {
      type: "binary",
      entry_point: program,
      mcp_config: {
        command: `\${__dirname}/${program}`,
        args: ["mcp", "--view", "${user_config.view}", "--tools", "${user_config.tools}"],
      },
    },
    tools: TOOLS.map(({ name, title }) => ({ name, description: title })),
    compatibility: { platforms: [PLATFORMS[target.format]] },
    user_config: {
      tools: {
        type: "string",
        title: "Tools",
        description:
          "The tools that agents have: see alone looks and does not act; classic is one tool for each action",
        default: TOOLS.map(({ name }) => name).join(","),
      },
      view: {
        type: "string",
        title: "Size of pictures",
        description:
          "auto is the largest that models read, full is the screen's own, a number is the long edge",
        default: "auto",
      },
    },
  };
}

/**
 * Makes a bundle.
 * @param executable The path of the target's executable.
 * @param folder The folder to write the bundle to.
 * @param isFast Whether to skip compression, for tests.
 * @returns The bundle's path.
 */
export async function writeMcpb(
  target: Target,
  executable: string,
  folder: string,
  isFast = false,
): Promise<string> {
  const manifest = manifestOf(target), { entry_point } = manifest.server as { entry_point: string };
  const text = new TextEncoder().encode(JSON.stringify(manifest, undefined, 2) + "\n");
  const common = { os: UNIX, level: isFast ? 0 : LEVEL, mtime: MODIFIED } as const;
  const archive = zipSync({
    "manifest.json": [text, { ...common, attrs: READABLE }],
    [ICON]: [await Deno.readFile(new URL(ICON, import.meta.url)), { ...common, attrs: READABLE }],
    [entry_point]: [await Deno.readFile(executable), { ...common, attrs: EXECUTABLE }],
  });
  const path = join(folder, bundleName(target));
  await Deno.writeFile(path, archive);
  return path;
}
