/** The thread that compresses files; on the serving thread, all requests would wait. */

import { nodeModule } from "../../core/path.ts";
import { lowerPriority } from "../../core/v8_threads.ts";
import { answerCalls } from "../../core/worker_entry.ts";
import type { Coding } from "../../http/stream.ts";

/** Content to compress. It can be sent to another thread. */
export interface CompressCall {
  content: Uint8Array<ArrayBuffer>;
  coding: Coding;
}

/** Brotli's quality: 5 compresses 1 MB of text to two thirds of gzip's size, as fast; 11 takes 30 times as long. */
const QUALITY = 5;
/** A text that stays longer than this share of its length is sent uncompressed: it was compressed before. */
const WORTHWHILE = 0.9;

/** Compresses content. @returns undefined if compression makes the content hardly shorter. */
function compress({ content, coding }: CompressCall): Uint8Array<ArrayBuffer> | undefined {
  const { brotliCompressSync, constants, gzipSync } = nodeModule("node:zlib");
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  const made = coding === "br" ? brotliCompressSync(content, { params }) : gzipSync(content);
  return made.length < WORTHWHILE * content.length ? new Uint8Array(made) : undefined;
}

lowerPriority();
answerCalls<CompressCall, Uint8Array<ArrayBuffer> | undefined>(
  compress,
  (made) => made ? [made.buffer] : [],
);
