/**
 * Writes control/read/tesseract/: the engine that reads text on the screen, and its English. They stand in the
 * repository because the packages that hold them, 17 and 14 MB of engines and data that deskhand does not use, would be
 * fetched by every first start from source; and so that deskhand itself never fetches a file.
 *
 *     deno task tesseract
 */

import { fromFileUrl } from "@std/path";
import { run } from "./package/run.ts";

/** Components that stand in the repository, each with its file, for the bill of materials. */
export const HELD = [
  {
    name: "tesseract.js-core",
    file: "control/read/tesseract/engine.wasm.gz",
    version: "7.0.0",
    purl: "pkg:npm/tesseract.js-core@7.0.0",
    license: "Apache-2.0",
  },
  {
    name: "tesseract-ocr-eng",
    file: "control/read/tesseract/eng.traineddata.gz",
    version: "4.1.0",
    purl: "pkg:deb/debian/tesseract-ocr-eng",
    license: "Apache-2.0",
  },
];

/** tesseract.js-core: Tesseract 5 and Leptonica as WebAssembly, with relaxed SIMD (any V8 since 2023). */
const CORE = {
  package: "tesseract.js-core@7.0.0",
  module: "tesseract-core-relaxedsimd-lstm.js",
  binary: "tesseract-core-relaxedsimd-lstm.wasm",
};
/**
 * Debian's package of https://github.com/tesseract-ocr/tessdata_fast, which is read in two thirds of the time of
 * `@tesseract.js-data/eng` (tessdata_best in whole numbers) and no worse.
 */
const ENGLISH = { package: "tesseract-ocr-eng", path: "usr/share/tesseract-ocr/5/tessdata/eng.traineddata" };

async function main(): Promise<void> {
  const folder = fromFileUrl(new URL("../control/read/tesseract", import.meta.url));
  const stage = await Deno.makeTempDir({ prefix: "deskhand-tesseract-" });
  try {
    await run("npm", ["pack", "--silent", "--ignore-scripts", CORE.package], stage);
    await run("tar", ["xzf", `${CORE.package.replace("@", "-")}.tgz`], stage);
    const module = await Deno.readTextFile(`${stage}/package/${CORE.module}`);
    // It is for scripts and for Node: as a module it has neither `process` nor `document`, and so asks for nothing.
    await Deno.writeTextFile(
      `${folder}/engine.js`,
      `/*! ${CORE.package} (https://github.com/naptha/tesseract.js-core), Apache License 2.0: LICENSE */\n` +
        "export default (function (process, require, module, exports, define, window, document) {\n" +
        `${module.trim()}\nreturn TesseractCore;\n})();\n`,
    );
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

/** Packs a file by gzip(1), the same bytes at each time. */
async function pack(from: string, to: string): Promise<void> {
  const { stdout, success } = await new Deno.Command("gzip", { args: ["-9nc", from], stderr: "inherit" })
    .output();
  if (!success) throw new Error(`${from} cannot be packed`);
  await Deno.writeFile(to, stdout);
}

if (import.meta.main) await main();
