/**
 * JPEG through libturbojpeg, if it is installed. In the live picture, photographs take a tenth of the bytes
 * as JPEG. The cost of decoding is first read from a file's markers (ITU-T T.81, annex B): libjpeg decodes a
 * baseline file row by row, but holds all coefficients of a multi-scan file in memory and walks through all
 * of them for each scan, so a file of one megabyte can demand gigabytes and hours.
 */

import type { JpegEncoder } from "../control/desktop/screen.ts";
import { prototypes } from "../core/binding.ts";
import type { Bytes } from "../core/bytes.ts";
import { attempt } from "../core/errors.ts";
import type { Finding } from "./permission.ts";

/** The library's file name on each system. Windows finds it on its search path. */
const TURBOJPEG_NAMES = ["libturbojpeg.so.0", "turbojpeg.dll"];
/** TJPF_BGRX, TJSAMP_420, and TJFLAG_NOREALLOC | TJFLAG_FASTDCT (turbojpeg.h). */
const BGRX = 3, SAMPLING_420 = 2, FLAGS = 1024 | 2048;
/**
 * The JPEG quality, which looks like the original while a picture moves; pictures at rest are sent lossless.
 */
const QUALITY = 75;

const TURBOJPEG = prototypes({
  tjInitCompress: "pointer tjhandle ()",
  tjBufSize: "usize (i32 width, i32 height, i32 sampling)",
  tjCompress2: `i32 (pointer tjhandle, buffer const unsigned char *srcBuf, i32 width, i32 pitch in bytes,
    i32 height, i32 pixelFormat, buffer unsigned char **jpegBuf, buffer unsigned long *jpegSize,
    i32 jpegSubsamp, i32 jpegQual, i32 flags)`,
});

/** The file in which the library was found, and its functions; undefined if it is not installed. */
function openTurboJpeg<Functions extends Deno.ForeignLibraryInterface>(functions: Functions) {
  for (const name of TURBOJPEG_NAMES) {
    const library = attempt(() => Deno.dlopen(name, functions)); // without it, pictures are sent lossless
    if (library) return { name, library };
  }
}

/** Opens the library for this thread; undefined if it is not installed. */
export function openJpegEncoder(): JpegEncoder | undefined {
  const symbols = openTurboJpeg(TURBOJPEG)?.library.symbols;
  const handle = symbols?.tjInitCompress();
  if (!symbols || !handle) return undefined;
  let file = new Uint8Array(), address = new BigUint64Array(1);
  const size = new BigUint64Array(1);
  return (pixels, stride, { x, y, width, height }, quality = QUALITY) => {
    const most = Number(symbols.tjBufSize(width, height, SAMPLING_420));
    if (file.length < most) {
      file = new Uint8Array(most);
      address = BigUint64Array.of(Deno.UnsafePointer.value(Deno.UnsafePointer.of(file)));
    }
    size[0] = BigInt(file.length);
    const from = pixels.subarray(y * stride + x * 4);
    const failed = symbols.tjCompress2(
      handle,
      from,
      width,
      stride,
      height,
      BGRX,
      address,
      size,
      SAMPLING_420,
      quality,
      FLAGS,
    );
    if (failed) throw new Error("libturbojpeg could not compress a picture");
    return file.subarray(0, Number(size[0]));
  };
}

/** Whether the library is installed, for `deskhand doctor`. Never throws. */
export function inspectTurboJpeg(): Finding {
  const found = openTurboJpeg(TURBOJPEG);
  found?.library.close();
  const packages = "Debian and Ubuntu: apt install libturbojpeg0; Fedora: dnf install turbojpeg; " +
    "Arch: pacman -S libjpeg-turbo";
  const detail = found
    ? `found ${found.name}`
    : `not installed (optional): videos in the live picture take ten times the bytes. ${packages}`;
  return { name: `library ${TURBOJPEG_NAMES[0]}`, ok: true, isAbsent: !found, detail };
}

// Reads JPEG files with libturbojpeg, if it is installed, at a fraction of their size, which takes a tenth of
// the time.

/** TJPF_BGRX, TJFLAG_FASTUPSAMPLE | TJFLAG_FASTDCT | TJFLAG_LIMITSCANS (turbojpeg.h). */
const READ_BGRX = 3, READ_FLAGS = 256 | 2048 | 32768;
/**
 * Maximum number of scans in a file: cameras and programs write about ten. Ending a Worker does not end a
 * library call, so the call itself must be short.
 */
const SCANS = 100;
/** Fractions of a picture's size that the library decodes to at no extra cost (it supports others, too). */
const FRACTIONS = [8, 4, 2, 1];

const READ_SYMBOLS = prototypes({
  tjInitDecompress: "pointer tjhandle ()",
  tjDecompressHeader3: `i32 (pointer tjhandle, buffer const unsigned char *jpegBuf,
    usize unsigned long jpegSize, buffer int *width, buffer int *height, buffer int *jpegSubsamp,
    buffer int *jpegColorspace)`,
  tjDecompress2: `i32 (pointer tjhandle, buffer const unsigned char *jpegBuf, usize unsigned long jpegSize,
    buffer unsigned char *dstBuf, i32 width, i32 pitch in bytes, i32 height, i32 pixelFormat, i32 flags)`,
});

/** A picture's pixels: blue, green, red, and an unused byte, in rows from the top. */
interface ReadJpeg {
  width: number;
  height: number;
  stride: number;
  pixels: Uint8Array<ArrayBuffer>;
}

/**
 * Opens the library for this thread.
 * @returns A function that reads a file at the smallest fraction whose longer edge has at least the given
 * pixels, within a limit of bytes for pixels and coefficients; it returns undefined for a damaged or too
 * large file, or one with more than {@linkcode SCANS} scans. If the library is missing, undefined instead of
 * a function.
 */
export function openJpegReader():
  | ((file: Bytes, edge: number, bound: number) => ReadJpeg | undefined)
  | undefined {
  const symbols = openTurboJpeg(READ_SYMBOLS)?.library.symbols;
  const handle = symbols?.tjInitDecompress();
  if (!symbols || !handle) return undefined;
  return (file, edge, bound) => {
    const cost = jpegCost(file);
    if (!cost || cost.scans > SCANS) return undefined;
    const [wide, high, sampling, space] = Array.from({ length: 4 }, () => new Int32Array(1));
    const size = BigInt(file.length);
    if (symbols.tjDecompressHeader3(handle, file, size, wide, high, sampling, space)) return undefined;
    const longest = Math.max(wide[0], high[0]);
    const fraction = FRACTIONS.find((part) => longest / part >= edge) ?? 1;
    const width = Math.ceil(wide[0] / fraction), height = Math.ceil(high[0] / fraction);
    const stride = width * 4;
    if (stride * height + cost.coefficients > bound) return undefined;
    const pixels = new Uint8Array(stride * height);
    const failed = symbols.tjDecompress2(
      handle,
      file,
      size,
      pixels,
      width,
      stride,
      height,
      READ_BGRX,
      READ_FLAGS,
    );
    return failed ? undefined : { width, height, stride, pixels };
  };
}

/** Markers: start of scan, start of progressive frame, and all supported start-of-frame markers. */
const SCAN = 0xda, PROGRESSIVE = 0xc2, FRAMES = [0xc0, 0xc1, PROGRESSIVE, 0xc9, 0xca];
/** Markers without a length: TEM, RST0 to RST7, SOI, EOI. */
const isBare = (marker: number) => marker === 1 || marker >= 0xd0 && marker <= 0xd9;
/** Bytes of a coefficient in libjpeg (JCOEF, jmorecfg.h). */
const COEFFICIENT = 2;
/** Maximum number of components in a frame that libjpeg decodes (MAX_COMPONENTS, jmorecfg.h). */
const COMPONENTS = 10;

/** The cost of decoding a file. */
interface JpegCost {
  /** Bytes of coefficients that the decoder holds in memory; 0 for a file that is decoded row by row. */
  coefficients: number;
  /** The number of scans. */
  scans: number;
}

/**
 * Reads the cost from a file's markers, in time proportional to its length.
 * @returns undefined if the file has no frame, or a frame that libjpeg does not decode.
 */
export function jpegCost(file: Bytes): JpegCost | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  let frame: { isProgressive: boolean; components: number; samples: number } | undefined;
  let scans = 0, isPartial = false;
  for (let at = 0; (at = file.indexOf(0xff, at)) >= 0 && at + 1 < file.length;) {
    const marker = file[at + 1];
    if (marker === 0xff) at++;
    else if (marker === 0 || isBare(marker)) at += 2;
    else {
      if (at + 10 > file.length) break;
      if (FRAMES.includes(marker)) {
        frame = frameAt(view, at, marker);
        if (!frame) return undefined;
      }
      if (marker === SCAN) {
        scans++;
        isPartial ||= file[at + 4] < (frame?.components ?? 0);
      }
      at += 2 + view.getUint16(at + 2);
    }
  }
  if (!frame) return undefined;
  const isKept = frame.isProgressive || isPartial || scans > 1;
  return { coefficients: isKept ? frame.samples * COEFFICIENT : 0, scans };
}

/** Reads a frame header; the sample count covers all components, in whole blocks. */
function frameAt(view: DataView, at: number, marker: number) {
  const height = view.getUint16(at + 5), width = view.getUint16(at + 7), components = view.getUint8(at + 9);
  if (!components || components > COMPONENTS || at + 10 + 3 * components > view.byteLength) return undefined;
  const factors = Array.from({ length: components }, (_, i) => view.getUint8(at + 11 + 3 * i));
  const most = { x: Math.max(...factors.map((f) => f >> 4)), y: Math.max(...factors.map((f) => f & 15)) };
  if (!most.x || !most.y) return undefined;
  // An MCU is as wide and high as the blocks of 8 by 8 samples of the largest component (A.2.3).
  const units = Math.ceil(width / (8 * most.x)) * Math.ceil(height / (8 * most.y));
  const samples = factors.reduce((sum, f) => sum + units * 64 * (f >> 4) * (f & 15), 0);
  return { isProgressive: marker === PROGRESSIVE || marker === 0xca, components, samples };
}
