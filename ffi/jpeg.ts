/**
 * JPEG files by libturbojpeg, where it is installed. In the live picture, photographs as JPEG take a tenth of the
 * bytes.
 */

import type { JpegEncoder } from "../control/live/screen.ts";
import type { Finding } from "./finding.ts";

/** The names of libturbojpeg by system. Windows finds the library on its search path. */
export const TURBOJPEG_NAMES = ["libturbojpeg.so.0", "turbojpeg.dll"];
/** TJPF_BGRX, TJSAMP_420, and TJFLAG_NOREALLOC | TJFLAG_FASTDCT (turbojpeg.h). */
const BGRX = 3, SAMPLING_420 = 2, FLAGS = 1024 | 2048;
/**
 * The quality of JPEG files, which looks like the original while a picture moves; pictures at rest are sent without
 * loss.
 */
const QUALITY = 75;

const TURBOJPEG = {
  tjInitCompress: { parameters: [], result: "pointer" /* tjhandle */ },
  tjBufSize: { parameters: ["i32", /* width */ "i32", /* height */ "i32" /* sampling */], result: "usize" },
  tjCompress2: {
    parameters: [
      "pointer", // tjhandle
      "buffer", // const unsigned char *srcBuf
      "i32", // width
      "i32", // pitch, in bytes
      "i32", // height
      "i32", // pixelFormat
      "buffer", // unsigned char **jpegBuf
      "buffer", // unsigned long *jpegSize
      "i32", // jpegSubsamp
      "i32", // jpegQual
      "i32", // flags
    ],
    result: "i32",
  },
} as const satisfies Deno.ForeignLibraryInterface;

/** The file in which the library was found, and its functions; undefined where it is not installed. */
function openTurboJpeg() {
  for (const name of TURBOJPEG_NAMES) {
    try {
      return { name, library: Deno.dlopen(name, TURBOJPEG) };
    } catch {
      // Tries the next name; without any library pictures are sent lossless.
    }
  }
  return undefined;
}

/** Opens the library for this thread; undefined where it is not installed. */
export function openJpegEncoder(): JpegEncoder | undefined {
  const symbols = openTurboJpeg()?.library.symbols;
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
    if (failed) throw new Error("libturbojpeg cannot compress a picture");
    return file.subarray(0, Number(size[0]));
  };
}

/** Tells whether the library is installed, for `deskhand doctor`. Never throws. */
export function inspectTurboJpeg(): Finding {
  const found = openTurboJpeg();
  found?.library.close();
  const packages = "Debian and Ubuntu: apt install libturbojpeg0; Fedora: dnf install turbojpeg; " +
    "Arch: pacman -S libjpeg-turbo";
  const detail = found
    ? `found ${found.name}`
    : `not there: videos in the live picture take ten times the bytes. ${packages}`;
  return { name: `library ${TURBOJPEG_NAMES[0]}`, ok: true, detail };
}
