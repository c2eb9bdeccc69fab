/**
 * Generates control/read/tesseract/: the engine that reads text on the screen, and its English data. They are
 * in the repository because otherwise every first start from source would fetch the packages that contain
 * them, 17 and 14 MB of engines and data that deskhand does not use; and so that deskhand itself never
 * fetches a file.
 *
 *     deno task tesseract
 */

import { fromFileUrl } from "@std/path";
import { run } from "./package/run.ts";

/** tesseract.js-core: Tesseract 5 and Leptonica as WebAssembly, with relaxed SIMD (V8 since 2023). */
export const CORE = {
  package: "tesseract.js-core@7.0.0",
  module: "tesseract-core-relaxedsimd-lstm.js",
  binary: "tesseract-core-relaxedsimd-lstm.wasm",
  /** The tarball's hash in the registry's metadata. */
  integrity:
    "sha512-WnNH518NzmbSq9zgTPeoF8c+xmilS8rFIl1YKbk/ptuuc7p6cLNELNuPAzcmsYw450ca6bLa8j3t0VAtq435Vw==",
};
/**
 * Debian's package of https://github.com/tesseract-ocr/tessdata_fast, with which reading takes two thirds of
 * the time of `@tesseract.js-data/eng` (tessdata_best as integers) with the same quality.
 */
const ENGLISH = { package: "tesseract-ocr-eng", path: "usr/share/tesseract-ocr/5/tessdata/eng.traineddata" };

async function main(): Promise<void> {
  const folder = fromFileUrl(new URL("../control/read/tesseract", import.meta.url));
  const stage = await Deno.makeTempDir({ prefix: "deskhand-tesseract-" });
  try {
    await run("npm", ["pack", "--silent", "--ignore-scripts", CORE.package], stage);
    await run("tar", ["xzf", `${CORE.package.replace("@", "-")}.tgz`], stage);
    const module = await Deno.readTextFile(`${stage}/package/${CORE.module}`);
    await Deno.writeTextFile(`${folder}/engine.js`, engineModule(module));
    await Deno.copyFile(`${stage}/package/LICENSE`, `${folder}/LICENSE`);
    await pack(`${stage}/package/${CORE.binary}`, `${folder}/engine.wasm.gz`);
    await run("apt-get", ["download", ENGLISH.package], stage);
    const [deb] = [...Deno.readDirSync(stage)].map(({ name }) => name).filter((name) =>
      name.endsWith(".deb")
    );
    await run("dpkg-deb", ["--extract", deb, "data"], stage);
    await pack(`${stage}/data/${ENGLISH.path}`, `${folder}/eng.traineddata.gz`);
  } finally {
    await Deno.remove(stage, { recursive: true });
  }
}

/**
 * Converts the package's script, which is for pages and Node, to a module: it then sees neither `process` nor
 * `document`, and so asks for nothing.
 */
export function engineModule(script: string): string {
  return `/*! ${CORE.package} (https://github.com/naptha/tesseract.js-core), Apache License 2.0: LICENSE */\n` +
    "export default (function (process, require, module, exports, define, window, document) {\n" +
    `${script.trim()}\nreturn TesseractCore;\n})();\n`;
}

/** Packs a file with gzip(1), reproducibly. */
async function pack(from: string, to: string): Promise<void> {
  const { stdout, success } = await new Deno.Command("gzip", { args: ["-9nc", from], stderr: "inherit" })
    .output();
  if (!success) throw new Error(`${from} cannot be packed`);
  await Deno.writeFile(to, stdout);
}

if (import.meta.main) await main();
