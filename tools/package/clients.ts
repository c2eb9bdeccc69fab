/** Client packages: a wheel and a source distribution for Python, a tarball for npm. */

import { join } from "@std/path";
import { VERSION } from "../../core/version.ts";
import { CLIENTS } from "../clients/sources.ts";
import { COMMON, pack, tarballName, writeJson } from "./npm.ts";
import { run } from "./run.ts";
import { compile, compileEach } from "./typescript.ts";

/** The npm name of the client package. */
const CLIENT_NAME = "@deskhand/client";
/** The files built for Python. */
export const PYTHON_FILES = [`deskhand-${VERSION}-py3-none-any.whl`, `deskhand-${VERSION}.tar.gz`];

/**
 * Builds the Python packages, with the client's own build backend: no other package is needed.
 * @returns Their paths.
 * @throws PackageError if python3 is missing or fails.
 */
export async function makePythonPackages(output: string): Promise<string[]> {
  await run("python3", ["-B", join(CLIENTS, "python/build_backend.py"), output]);
  return PYTHON_FILES.map((name) => join(output, name));
}

/**
 * Builds the npm package.
 * @returns Its path.
 * @throws PackageError if the client does not compile.
 */
export async function makeClientPackage(output: string): Promise<string> {
  const folder = join(CLIENTS, "typescript");
  return await pack(CLIENT_NAME, output, false, async (stage) => {
    await writeJson(`${stage}/package.json`, {
      name: CLIENT_NAME,
      ...COMMON,
      description: "Controls a desktop through deskhand: pointer, keyboard, screen, windows and elements",
      type: "module",
      exports: {
        ".": { types: "./mod.d.ts", default: "./mod.js" },
        "./test": { types: "./playwright/test.d.ts", default: "./playwright/test.js" },
      },
      peerDependencies: { "@playwright/test": ">=1.50" },
      peerDependenciesMeta: { "@playwright/test": { optional: true } },
      types: "./mod.d.ts",
      engines: { node: ">=18" },
      sideEffects: false,
      files: ["*.js", "*.d.ts", "playwright"],
    });
    compile(join(folder, "src/mod.ts"), stage);
    compileEach(join(CLIENTS, "playwright"), join(stage, "playwright"));
  }, join(folder, "README.md"));
}

/** The file that {@linkcode makeClientPackage} makes. */
export const CLIENT_TARBALL = tarballName(CLIENT_NAME);
