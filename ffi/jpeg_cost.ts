/**
 * The cost of decoding a JPEG file, read from its markers (ITU-T T.81, annex B). libjpeg decodes an ordinary file row by
 * row, but keeps all coefficients of a file in several scans in memory, and goes through all of them for each scan: a
 * file of one megabyte can ask for gigabytes and hours.
 */

import type { Bytes } from "../core/bytes.ts";

/** Markers: start of a scan, start of frames, which decoders read alike except for their mode. */
const SCAN = 0xda, PROGRESSIVE = 0xc2, FRAMES = [0xc0, 0xc1, PROGRESSIVE, 0xc9, 0xca];
/** Markers without a length: TEM, RST0 to RST7, SOI, EOI. */
const isBare = (marker: number) => marker === 1 || marker >= 0xd0 && marker <= 0xd9;
/** Bytes of a coefficient in libjpeg (JCOEF, jmorecfg.h). */
const COEFFICIENT = 2;
/** The most components of a frame that libjpeg decodes (MAX_COMPONENTS, jmorecfg.h). */
const COMPONENTS = 10;

/** The cost of decoding a file. */
export interface JpegCost {
  /** Bytes of the coefficients that the decoder keeps; 0 for a file that is decoded row by row. */
  coefficients: number;
  /** The number of scans. */
  scans: number;
}

/**
 * Reads the cost from a file's markers, in time of its length.
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

/** Reads a frame's header; its samples are those of all components, in whole blocks. */
function frameAt(view: DataView, at: number, marker: number) {
  const height = view.getUint16(at + 5), width = view.getUint16(at + 7), components = view.getUint8(at + 9);
  if (!components || components > COMPONENTS || at + 10 + 3 * components > view.byteLength) return undefined;
  const factors = Array.from({ length: components }, (_, i) => view.getUint8(at + 11 + 3 * i));
  const most = { x: Math.max(...factors.map((f) => f >> 4)), y: Math.max(...factors.map((f) => f & 15)) };
  if (!most.x || !most.y) return undefined;
  // An MCU is as wide and high as the largest component's blocks of 8 by 8 samples (A.2.3).
  const units = Math.ceil(width / (8 * most.x)) * Math.ceil(height / (8 * most.y));
  const samples = factors.reduce((sum, f) => sum + units * 64 * (f >> 4) * (f & 15), 0);
  return { isProgressive: marker === PROGRESSIVE || marker === 0xca, components, samples };
}
