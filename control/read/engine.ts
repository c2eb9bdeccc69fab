/**
 * Tesseract as WebAssembly, which reads words: the tesseract.js-core build, without its own Worker and
 * downloads.
 */

import { attempt, UnsupportedError } from "../../core/errors.ts";
import type { Grey, Word } from "./grey.ts";
// @ts-types="./tesseract/engine.d.ts"
import makeModule, { type TesseractApi, type TesseractModule } from "./tesseract/engine.js";

/** Language data by name, such as `eng`. */
type LanguageData = ReadonlyMap<string, Uint8Array>;

/** The picture is one block of text, or one line (Tesseract's PageSegMode). */
const ONE_BLOCK = "6", ONE_LINE = "7";
/** The OcrEngineMode that uses only Tesseract's neural networks. */
const LSTM_ONLY = 1;
/** The word level in GetTSVText's first column, and the columns of a word. */
const WORD = "5", COLUMN = { left: 6, top: 7, width: 8, height: 9, confidence: 10, text: 11 };
const PICTURE = "/input";

/** Reads pages in a set of languages. */
export class Engine {
  readonly #module: TesseractModule;
  readonly #api: TesseractApi;

  private constructor(module: TesseractModule, api: TesseractApi) {
    this.#module = module;
    this.#api = api;
  }

  /**
   * Starts the engine.
   * @throws UnsupportedError if a language's data is damaged.
   */
  static async open(languages: LanguageData): Promise<Engine> {
    const wasmBinary = await unpacked(new URL("./tesseract/engine.wasm.gz", import.meta.url));
    const module = await makeModule({ wasmBinary, print() {}, printErr() {}, TesseractProgress() {} });
    for (const [name, bytes] of languages) module.FS.writeFile(`${name}.traineddata`, bytes);
    const api = new module.TessBaseAPI(), names = [...languages.keys()];
    // Tesseract aborts the whole module on data in another format.
    if (!attempt(() => api.Init(null, names.join("+"), LSTM_ONLY) === 0)) {
      throw new UnsupportedError(`cannot read text: the data of ${names.join(" or ")} is damaged`);
    }
    // Pages are dark on white, so Tesseract need not retry uncertain words with inverted colours.
    api.SetVariable("tessedit_do_invert", "0");
    return new Engine(module, api);
  }

  /**
   * Reads the words of a page, in no particular order.
   * @param isLine Whether the page is a single line.
   */
  read(page: Grey, isLine: boolean): Word[] {
    this.#api.SetVariable("tessedit_pageseg_mode", isLine ? ONE_LINE : ONE_BLOCK);
    this.#module.FS.writeFile(PICTURE, greyBmp(page));
    if (this.#api.SetImageFile(1, 0) || this.#api.Recognize(null)) return [];
    return this.#api.GetTSVText(0).split("\n").map((row) => row.split("\t"))
      .filter((row) => row[0] === WORD && row[COLUMN.text]?.trim())
      .map((row) => ({
        text: row[COLUMN.text],
        confidence: Number(row[COLUMN.confidence]),
        x: Number(row[COLUMN.left]),
        y: Number(row[COLUMN.top]),
        width: Number(row[COLUMN.width]),
        height: Number(row[COLUMN.height]),
      }));
  }
}

/** Reads a gzip file. */
export async function unpacked(file: URL | string): Promise<Uint8Array<ArrayBuffer>> {
  const packed = await Deno.readFile(file);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return await new Response(stream).bytes();
}

/**
 * Sizes of the headers and the palette of a BMP file, in bytes; and its resolution, 150 dots per inch, in
 * pixels per metre.
 */
const HEADERS = 54, PALETTE = 1024, RESOLUTION = 5906;

/** A picture as a BMP file with a grey palette. */
function greyBmp({ width, height, data }: Grey): Uint8Array {
  const row = width + 3 & ~3, start = HEADERS + PALETTE, file = new Uint8Array(start + row * height);
  const header = new DataView(file.buffer);
  header.setUint16(0, 0x424d); // BM
  header.setUint32(2, file.length, true);
  header.setUint32(10, start, true);
  header.setUint32(14, 40, true); // BITMAPINFOHEADER
  header.setInt32(18, width, true);
  header.setInt32(22, height, true);
  header.setUint16(26, 1, true); // planes
  header.setUint16(28, 8, true); // bits per pixel
  header.setInt32(38, RESOLUTION, true);
  header.setInt32(42, RESOLUTION, true);
  header.setUint32(46, 256, true); // colours
  for (let grey = 0; grey < 256; grey++) file.fill(grey, HEADERS + grey * 4, HEADERS + grey * 4 + 3);
  for (let y = 0; y < height; y++) {
    file.set(data.subarray((height - 1 - y) * width, (height - y) * width), start + y * row);
  }
  return file;
}
