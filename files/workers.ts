/** The file server's threads, so that long work does not make other requests wait. */

import { nodeModule } from "../core/path.ts";
import { lowerPriority } from "../core/v8_threads.ts";
import { answerCalls, serveRoles } from "../core/worker_entry.ts";
import type { Bytes } from "../core/bytes.ts";
import type { ArchivePlan, Order } from "./archive/plan.ts";
import type { Part, Sums } from "./archive/read.ts";
import type { CompressCall } from "./compressor.ts";
import type { LargeListing } from "./listing/listing.ts";
import type { Chunk } from "./listing/write.ts";

/**
 * Brotli quality: 5 compresses 1 MB of text to two thirds of gzip's size, as fast; 11 takes 30 times as long.
 */
const QUALITY = 5;
/** A text that compresses to more than this share is sent uncompressed: it was compressed before. */
const WORTHWHILE = 0.9;
/** Maximum time for Markdown, in milliseconds; a text that takes longer is shown unrendered. */
const RENDER_MS = 3000;

/** Compresses content. @returns undefined if compression barely shortens it. */
function compress({ content, coding }: CompressCall): Bytes | undefined {
  const { brotliCompressSync, constants, gzipSync } = nodeModule("node:zlib");
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  const made = coding === "br" ? brotliCompressSync(content, { params }) : gzipSync(content);
  return made.length < WORTHWHILE * content.length ? new Uint8Array(made) : undefined;
}

lowerPriority();
serveRoles({
  /** Walks through a folder for an archive. */
  async plan() {
    const { planArchive } = await import("./archive/plan.ts");
    answerCalls<Order, ArchivePlan>(planArchive);
  },
  /** Reads the contents of archives. */
  async read() {
    const { addSums, readPart } = await import("./archive/read.ts");
    answerCalls<Part | Sums, Bytes>(
      (call) => "sums" in call ? addSums(call) : readPart(call),
      ({ buffer }) => [buffer],
    );
  },
  /** Compresses files. */
  compress() {
    answerCalls<CompressCall, Bytes | undefined>(compress, (made) => made ? [made.buffer] : []);
    return Promise.resolve();
  },
  /** Lists a large folder. */
  async list() {
    const { writeListing } = await import("./listing/write.ts");
    answerCalls<LargeListing, Chunk[]>(
      async ({ listing, gzip }) => {
        const chunks = (await writeListing(listing))!;
        if (!gzip) return [...chunks];
        return await Array.fromAsync(ReadableStream.from(chunks).pipeThrough(new CompressionStream("gzip")));
      },
      (chunks) => chunks.map(({ buffer }) => buffer),
    );
  },
  async render() {
    const { renderMarkdown } = await import("./render/markdown.ts");
    answerCalls<string, string>((text) => renderMarkdown(text, RENDER_MS));
  },
});
