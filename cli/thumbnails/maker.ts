/** The maker of small pictures that the file server gets. Its thread starts with the first picture. */

import { CallWorker } from "../../core/worker.ts";
import type { ThumbnailMaker } from "../../files/thumbnails/thumbnails.ts";

/** The time that the thread stays without work, and that a picture may take, in milliseconds. */
const IDLE_MS = 10_000, LIMIT_MS = 15_000;
/** File names of pictures that get small pictures. If that fails, the file itself is shown. */
const TAKEN = /\.(?:jpe?g|png|bmp)$/i;

/** Makes the thumbnail maker. */
export function thumbnailMaker(): ThumbnailMaker {
  const worker = new CallWorker<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer> | undefined>({
    url: new URL("./worker.ts", import.meta.url),
    idleMs: IDLE_MS,
    limitMs: LIMIT_MS,
  });
  return {
    takes: (name) => TAKEN.test(name),
    // A file that takes too long, or ends the thread, gets no small picture.
    make: (file) => worker.call(file, [file.buffer]).catch(() => undefined),
  };
}
