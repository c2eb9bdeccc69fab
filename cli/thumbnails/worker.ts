/** The thread that makes thumbnails: a photo takes about 20 to 300 ms. */

import type { Bytes } from "../../core/bytes.ts";
import { lowerPriority } from "../../core/v8_threads.ts";
import { answerCalls } from "../../core/worker_entry.ts";
import { makeThumbnail } from "./work.ts";

lowerPriority();
answerCalls<Bytes, Uint8Array<ArrayBuffer> | undefined>(makeThumbnail);
