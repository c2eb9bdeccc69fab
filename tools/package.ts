/**
 * Packages the executables in dist/: for Debian and Ubuntu, for npm, the bill of materials, the entry for the
 * registry of MCP servers; also the Python and TypeScript clients; and SHA256SUMS of all files there.
 *
 *     deno task package                  for every executable in dist/; without one, only for the clients
 *     deno task package --from FOLDER    executables somewhere other than dist/
 *     deno task package --output FOLDER  packages somewhere other than dist/
 *     deno task package --fast           hardly compressed, for trying
 *     deno task package --runtime 2.9.6  the Deno whose runtime they contain, if this task runs on another one
 */

import { attempt } from "../core/errors.ts";
import { parseArgs } from "@std/cli";
import { fromFileUrl, join } from "@std/path";
import { writeClients } from "./clients/sources.ts";
import { executableName, TARGETS } from "./compile/targets.ts";
import { writeSums } from "./compile/sums.ts";
import { makeClientPackage, makePythonPackages } from "./package/clients.ts";
import { makeDeb } from "./package/deb.ts";
import { makeMainPackage, makeSystemPackage } from "./package/npm.ts";
import { writeNotices } from "./package/notices.ts";
import { PackageError } from "./package/run.ts";
import { writeServerJson } from "./package/registry.ts";
import { writeSbom } from "./package/sbom.ts";

const DIST = fromFileUrl(new URL("../dist", import.meta.url));

async function main(args: string[]): Promise<void> {
  const { from, output, fast, runtime } = parseArgs(args, {
    boolean: ["fast"],
    string: ["from", "output", "runtime"],
    default: { from: DIST, output: DIST, runtime: Deno.version.deno },
    unknown: (word: string) => {
      throw new PackageError(
        `unknown ${JSON.stringify(word)}; there are --from, --output, --fast, --runtime`,
      );
    },
  });
  const present = TARGETS.filter((target) =>
    attempt(() => Deno.statSync(join(from, executableName(target))).isFile)
  );
  await Deno.mkdir(output, { recursive: true });
  await writeClients();
  const made = [await makeClientPackage(output), ...await makePythonPackages(output)];
  if (present.length) {
    made.push(
      await makeMainPackage(output),
      await writeServerJson(from, output),
      await writeSbom(output, runtime),
      await writeNotices(output, runtime),
    );
  } else {
    console.error(
      `package: ${from} has no executable, so only the clients are packed: deno task compile makes one`,
    );
  }
  for (const target of present) {
    made.push(await makeSystemPackage(target, from, output, fast, runtime));
    if (target.debian) made.push(await makeDeb(target, from, output, fast, runtime));
  }
  await writeSums(output);
  for (const path of made) console.log(`${path}  ${Math.ceil(Deno.statSync(path).size / 1000)} kB`);
}

if (import.meta.main) {
  try {
    await main(Deno.args);
  } catch (error) {
    if (!(error instanceof PackageError)) throw error;
    console.error(`package: ${error.message}`);
    Deno.exit(1);
  }
}
