/** The threads that make picture files, so that no other request has to wait. */

import type { Bytes } from "../../core/bytes.ts";
import { answerCalls, serveRoles } from "../../core/worker_entry.ts";
import type { ConverterCall } from "./converter.ts";
import type { PictureCall } from "./picture_maker.ts";
import type { PictureFile } from "./shrink.ts";

serveRoles({
  /** Makes picture files of the screen. */
  async picture() {
    const { shapedPicture } = await import("./shrink.ts");
    answerCalls<PictureCall, PictureFile>(
      ({ frame: { memory, ...size }, shape }) =>
        shapedPicture({ ...size, pixels: new Uint8Array(memory) }, shape),
      ({ file }) => [file.buffer],
    );
  },
  /** Converts clipboard pictures. */
  async clipboard() {
    const { bmpOfPng, pngOfBmp } = await import("./read_picture.ts");
    answerCalls<ConverterCall, Bytes>(
      ({ file, to }) => (to === "png" ? pngOfBmp(file) : bmpOfPng(file)).slice(),
      (file) => [file.buffer],
    );
  },
});
