/** Compiles the TypeScript client into the files of an npm package: JavaScript and declarations. */

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
 * The options for modules whose imports are not available, such as those of a runner that the user installs.
 */
const SINGLE: ts.CompilerOptions = { ...OPTIONS, isolatedModules: true, declaration: false };

/**
 * Compiles the modules in a folder, each independently: imports are not resolved.
 * @param folder Its modules declare the types of their exports (`isolatedDeclarations`).
 * @param output The folder that receives JavaScript and declarations.
 * @throws PackageError with the compiler's message.
 */
export function compileEach(folder: string, output: string): void {
  Deno.mkdirSync(output, { recursive: true });
  for (const { name } of Deno.readDirSync(folder)) {
    const source = Deno.readTextFileSync(`${folder}/${name}`), base = name.replace(/\.ts$/, "");
    const options = { compilerOptions: SINGLE, fileName: name, reportDiagnostics: true };
    const script = ts.transpileModule(source, options);
    const declaration = ts.transpileDeclaration(source, {
      ...options,
      compilerOptions: { ...SINGLE, declaration: true, isolatedDeclarations: true },
    });
    const all = [...script.diagnostics ?? [], ...declaration.diagnostics ?? []];
    if (all.length) throw new PackageError(ts.formatDiagnostics(all, ts.createCompilerHost(SINGLE)));
    Deno.writeTextFileSync(`${output}/${base}.js`, script.outputText);
    Deno.writeTextFileSync(
      `${output}/${base}.d.ts`,
      declaration.outputText.replaceAll(/(from "\.\/\w+)\.ts"/g, '$1.js"'),
    );
  }
}

/**
 * Compiles a module and its imports.
 * @param entry The module's path.
 * @param output The folder that receives `mod.js`, `mod.d.ts` and so on.
 * @throws PackageError with the compiler's message.
 */
export function compile(entry: string, output: string): void {
  const program = ts.createProgram([entry], { ...OPTIONS, outDir: output });
  const host = ts.createCompilerHost(OPTIONS);
  const { diagnostics } = program.emit(undefined, (path, text, ...rest) => {
    // Declarations contain the names of the source files, which are not in the package.
    host.writeFile(path, text.replaceAll(/(from "\.\/\w+)\.ts"/g, '$1.js"'), ...rest);
  });
  const all = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (all.length) throw new PackageError(ts.formatDiagnostics(all, host));
}
