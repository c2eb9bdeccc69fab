/// <reference lib="deno.worker" />
/**
 * The thread on which a large folder is listed. No module that it imports may wait at its top level: a message that
 * comes meanwhile is lost.
 */

import { RequestError } from "../../http/request_error.ts";
import { isMissing } from "../file_errors.ts";
import type { Written } from "./large.ts";
import { type Listing, writeListing } from "./write.ts";

globalThis.onmessage = ({ data }: MessageEvent<Listing>) => {
  let written: Written;
  try {
    written = { content: writeListing(data, Deno.readDirSync(data.folder)) };
  } catch (error) {
    written = {
      failure: {
        message: (error as Error).message,
        missing: error instanceof RequestError || isMissing(error),
      },
    };
  }
  self.postMessage(written, written.content ? [written.content.buffer] : []);
};
