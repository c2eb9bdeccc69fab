/**
 * The entry for the registry of MCP servers (https://modelcontextprotocol.io/registry): a `server.json` that
 * names a release's npm package and MCP Bundles. `mcp-publisher publish` uploads it, after the release.
 */

import { join } from "@std/path";
import { VERSION } from "../../core/version.ts";
import { bundleName } from "../compile/mcpb.ts";
import { fileSum } from "../compile/sums.ts";
import { TARGETS } from "../compile/targets.ts";
import { COMMON, MCP_NAME, writeJson } from "./npm.ts";

const REPOSITORY = COMMON.repository.url.replace(/^git\+|\.git$/g, "");
const TRANSPORT = { type: "stdio" };

/**
 * Writes `server.json`.
 * @param from The folder with the bundles built by `deno task compile`; the entry contains their checksums.
 * @param output Receives the file.
 * @returns Its path.
 */
export async function writeServerJson(from: string, output: string): Promise<string> {
  const path = join(output, "server.json");
  await writeJson(path, {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: MCP_NAME,
    title: "deskhand",
    description:
      "See and use a desktop: mouse, keyboard, screen, windows, elements by name. Linux and Windows.",
    version: VERSION,
    repository: { url: REPOSITORY, source: "github" },
    packages: [
      {
        registryType: "npm",
        identifier: "deskhand",
        version: VERSION,
        transport: TRANSPORT,
        packageArguments: [{ type: "positional", value: "mcp" }],
      },
      ...await bundlesIn(from),
    ],
  });
  return path;
}

/** The bundles in a folder, as packages of the entry: their URLs are those of the release. */
async function bundlesIn(folder: string): Promise<Record<string, unknown>[]> {
  const names = new Set(Array.from(Deno.readDirSync(folder), ({ name }) => name));
  return await Promise.all(
    TARGETS.map(bundleName).filter((name) => names.has(name)).map(async (name) => ({
      registryType: "mcpb",
      identifier: `${REPOSITORY}/releases/download/v${VERSION}/${name}`,
      version: VERSION,
      fileSha256: await fileSum(join(folder, name)),
      transport: TRANSPORT,
    })),
  );
}
