/**
 * The part of tesseract.js-core that deskhand uses: functions of Tesseract's TessBaseAPI, and Emscripten's
 * file system.
 */

/** Reads text. */
export interface TesseractApi {
  /** @returns 0 if the engine can read the languages. */
  Init(folder: null, languages: string, mode: number): number;
  SetVariable(name: string, value: string): boolean;
  /**
   * Uses the picture in the file `/input`.
   * @param angle In radians.
   * @returns 0 if it can be read.
   */
  SetImageFile(exif: number, angle: number): number;
  /** @returns 0 if the page was read. */
  Recognize(monitor: null): number;
  /** Lines with 12 columns: level, page, block, paragraph, line, word, left, top, width, height, confidence, text. */
  GetTSVText(page: number): string;
}

/** The started module. */
export interface TesseractModule {
  FS: { writeFile(path: string, bytes: Uint8Array): void };
  TessBaseAPI: new () => TesseractApi;
}

export default function makeModule(options: {
  wasmBinary: Uint8Array;
  print(): void;
  printErr(): void;
  TesseractProgress(): void;
}): Promise<TesseractModule>;
