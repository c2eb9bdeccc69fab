/**
 * Parts of other projects that the executables contain besides the npm packages of main.ts: files in the
 * repository, and what is inside them and inside the runtime. The bill of materials and the notices list all
 * of them.
 */

/**
 * Where to find a licence's text: a file in the repository, the MIT or a BSD licence with a copyright, or the
 * first comment in the part's file, starting at certain words.
 */
export type LicenceText =
  | { file: string }
  | { mit: string }
  | { bsd: string; endorser?: string }
  | { comment: string };

export interface Part {
  name: string;
  version?: string;
  purl: string;
  /** The licence's SPDX name. */
  license: string;
  /** The file in the repository that is or contains this part; if omitted, the part is inside the runtime. */
  file?: string;
  text: LicenceText;
}

const TESSERACT: LicenceText = { file: "control/read/tesseract/LICENSE" };

/** Files from other projects in the repository. */
export const HELD: readonly (Part & { file: string })[] = [
  {
    name: "tesseract.js-core",
    file: "control/read/tesseract/engine.wasm.gz",
    version: "7.0.0",
    purl: "pkg:npm/tesseract.js-core@7.0.0",
    license: "Apache-2.0",
    text: TESSERACT,
  },
  {
    name: "tesseract",
    file: "control/read/tesseract/engine.wasm.gz",
    version: "5.1.0", // as reported by the engine: 5.1.0-288-g2a9c1
    purl: "pkg:github/tesseract-ocr/tesseract@5.1.0",
    license: "Apache-2.0",
    text: TESSERACT,
  },
  {
    name: "leptonica",
    file: "control/read/tesseract/engine.wasm.gz",
    purl: "pkg:github/danbloomberg/leptonica",
    license: "BSD-2-Clause",
    text: { bsd: "Copyright (C) 2001-2020 Leptonica.  All rights reserved." },
  },
  {
    name: "tesseract-ocr-eng",
    file: "control/read/tesseract/eng.traineddata.gz",
    version: "4.1.0",
    purl: "pkg:deb/debian/tesseract-ocr-eng",
    license: "Apache-2.0",
    text: TESSERACT,
  },
  {
    name: "fonts-noto-core",
    file: "ffi/virtual/noto/atlas.bin",
    version: "20201225",
    purl: "pkg:deb/debian/fonts-noto-core",
    license: "OFL-1.1",
    text: { file: "tools/package/licences/noto-sans.txt" },
  },
  {
    name: "fflate",
    file: "control/page/inflate.js",
    version: "0.8.3",
    purl: "pkg:npm/fflate@0.8.3",
    license: "MIT",
    text: { comment: "MIT License" },
  },
  {
    name: "pixelmatch",
    file: "control/find/pixelmatch.js",
    version: "7.2.0",
    purl: "pkg:npm/pixelmatch@7.2.0",
    license: "ISC",
    text: { comment: "ISC License" },
  },
  {
    name: "xdotool",
    file: "cli/xdotool/usage.ts",
    purl: "pkg:github/jordansissel/xdotool",
    license: "BSD-3-Clause",
    text: { comment: "Copyright" },
  },
];

/**
 * The parts of the runtime.
 * @param runtime The Deno version of the executables' runtime.
 */
export function runtimeParts(runtime: string): Part[] {
  const v8 = runtime === Deno.version.deno ? Deno.version.v8 : undefined;
  return [
    {
      name: "deno",
      version: runtime,
      purl: `pkg:github/denoland/deno@v${runtime}`,
      license: "MIT",
      text: { mit: "Copyright 2018-2026 the Deno authors" },
    },
    {
      name: "v8",
      version: v8,
      purl: `pkg:github/v8/v8${v8 ? `@${v8.split("-")[0]}` : ""}`,
      license: "BSD-3-Clause",
      text: {
        bsd: "Copyright 2014, the V8 project authors. All rights reserved.",
        endorser: "Google Inc.",
      },
    },
  ];
}
