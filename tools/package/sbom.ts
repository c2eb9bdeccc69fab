/**
 * The parts of the executables as a bill of materials: CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/).
 * All entries come from the inputs of the build: the imports of main.ts, deno.lock, the packages themselves,
 * and the list of other parts (parts.ts).
 */

import { fromFileUrl, join } from "@std/path";
import { VERSION } from "../../core/version.ts";
import { findParts } from "../compile/embedded.ts";
import { HELD, type Part, runtimeParts } from "./parts.ts";
import { run, write } from "./run.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));

/** The part of the output of `deno info --json` that is used here. */
interface Info {
  modules: { kind: string; npmPackage?: string }[];
  npmPackages: Record<string, NpmPackage>;
}

interface NpmPackage {
  name: string;
  version: string;
  dependencies: string[];
  localPath: string;
}

const SBOM_NAME = `deskhand-${VERSION}.cdx.json`;

/**
 * Writes the bill of materials.
 * @param output Receives the file.
 * @param runtime The Deno version of the executables' runtime.
 * @returns Its path.
 */
export async function writeSbom(output: string, runtime: string): Promise<string> {
  const path = join(output, SBOM_NAME);
  await write(path, `${JSON.stringify(await billOfMaterials(runtime), null, 2)}\n`);
  return path;
}

/** Generates the bill of materials. */
export async function billOfMaterials(runtime: string): Promise<Record<string, unknown>> {
  const info = await readInfo();
  const lock: { npm: Record<string, { integrity: string }> } = JSON.parse(
    await Deno.readTextFile(join(ROOT, "deno.lock")),
  );
  const used = usedPackages(info), [deno, v8] = runtimeParts(runtime);
  const self = `pkg:generic/deskhand@${VERSION}`;
  const direct = [...new Set(info.modules.flatMap(({ npmPackage }) => npmPackage ?? []))];
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: component("application", "deskhand", VERSION, self, "MIT") },
    components: [
      component("platform", deno.name, deno.version, deno.purl, deno.license),
      component("library", v8.name, v8.version, v8.purl, v8.license),
      ...await Promise.all(used.map(async ({ name, version, localPath }) => ({
        ...component("library", name, version, purl(name, version), await licenseOf(localPath)),
        hashes: [{ alg: "SHA-512", content: hexOf(lock.npm[`${name}@${version}`].integrity) }],
      }))),
      ...await Promise.all(HELD.map(async ({ name, version, purl, license, file }) => ({
        ...component("library", name, version, purl, license),
        hashes: [{ alg: "SHA-512", content: await digestOf(join(ROOT, file)) }],
      }))),
    ],
    dependencies: [
      {
        ref: self,
        dependsOn: [deno.purl, ...direct.map((id) => purlOf(info, id)), ...HELD.map(({ purl }) => purl)]
          .sort(),
      },
      { ref: deno.purl, dependsOn: [v8.purl] },
      { ref: v8.purl },
      ...HELD.map(({ purl }) => ({ ref: purl })),
      ...used.map(({ name, version, dependencies }) => ({
        ref: purl(name, version),
        dependsOn: dependencies.map((id) => purlOf(info, id)),
      })),
    ],
  };
}

/**
 * Lists the npm packages inside the executables.
 * @returns Each with the licence in its package.json, as an SPDX name or expression.
 */
export async function packagesInside(): Promise<(NpmPackage & Pick<Part, "license">)[]> {
  return await Promise.all(
    usedPackages(await readInfo()).map(async (used) => ({
      ...used,
      license: await licenseOf(used.localPath) ?? "",
    })),
  );
}

/** The imports of main.ts and its Workers. */
async function readInfo(): Promise<Info> {
  const main = join(ROOT, "main.ts"), { workers } = await findParts(main);
  const infos: Info[] = await Promise.all(
    [main, ...workers].map(async (entry) =>
      JSON.parse(await run(Deno.execPath(), ["info", "--json", entry]))
    ),
  );
  return {
    modules: infos.flatMap(({ modules }) => modules),
    npmPackages: Object.assign({}, ...infos.map(({ npmPackages }) => npmPackages)),
  };
}

/** The packages that main.ts and its Workers import, and their dependencies; all others are for tests. */
function usedPackages({ modules, npmPackages }: Info): NpmPackage[] {
  const found = new Set<string>();
  const visit = (id: string) => {
    if (found.has(id)) return;
    found.add(id);
    npmPackages[id].dependencies.forEach(visit);
  };
  for (const { npmPackage } of modules) if (npmPackage !== undefined) visit(npmPackage);
  return [...found].sort().map((id) => npmPackages[id]);
}

function component(type: string, name: string, version: string | undefined, purl: string, license?: string) {
  // Several licences form an SPDX expression, such as `MIT OR Apache-2.0`.
  const named = /^[\w.-]+$/.test(license ?? "") ? { license: { id: license } } : { expression: license };
  return {
    type,
    "bom-ref": purl,
    name,
    ...version === undefined ? {} : { version },
    purl,
    ...license === undefined ? {} : { licenses: [named] },
  };
}

/** A package's URL (https://github.com/package-url/purl-spec): the scope's `@` is percent-encoded. */
function purl(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

function purlOf({ npmPackages }: Info, id: string): string {
  const { name, version } = npmPackages[id];
  return purl(name, version);
}

async function licenseOf(folder: string): Promise<string | undefined> {
  return JSON.parse(await Deno.readTextFile(join(folder, "package.json"))).license;
}

/** The SHA-512 of a file, in hexadecimal. */
async function digestOf(path: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-512", await Deno.readFile(path))).toHex();
}

/** The digest in the lock file's `sha512-…`, in hexadecimal. */
function hexOf(integrity: string): string {
  return Uint8Array.fromBase64(integrity.replace("sha512-", "")).toHex();
}
