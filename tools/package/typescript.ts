/** Compiles the client for TypeScript into the files of an npm package: JavaScript and declarations. */

import ts from "typescript";
import { PackageError } from "./run.ts";

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.asynciterable.d.ts", "lib.esnext.disposable.d.ts"],
  types: [],
  strict: true,
  declaration: true,
  noEmitOnError: true,
  allowImportingTsExtensions: true,
  emitDeclarationOnly: false,
  rewriteRelativeImportExtensions: true,
};

/**
 * Compiles a module and its imports.
 * @param entry The module's path.
 * @param output The folder that gets `mod.js`, `mod.d.ts` and so on.
 * @throws PackageError with what the compiler says.
 */
export function compile(entry: string, output: string): void {
  const program = ts.createProgram([entry], { ...OPTIONS, outDir: output });
  const host = ts.createCompilerHost(OPTIONS);
  const { diagnostics } = program.emit(undefined, (path, text, ...rest) => {
    // Declarations keep the names of the sources, which the package does not hold.
    host.writeFile(path, text.replaceAll(/(from "\.\/\w+)\.ts"/g, '$1.js"'), ...rest);
  });
  const all = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (all.length) throw new PackageError(ts.formatDiagnostics(all, host));
}
