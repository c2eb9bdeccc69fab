/** A VNC desktop's Workers: one owns the connection, the other makes the live picture. */

/// <reference lib="deno.worker" />

import { serveRoles } from "../../core/worker_entry.ts";
import type { ToReceiver } from "./receiver.ts";
import { type PictureMemory, SharedPicture } from "./picture.ts";
import type { Region } from "../../control/desktop/desktop.ts";
import type { JpegEncoder, LiveScreen, ScreenChange } from "../../control/desktop/screen.ts";

/** A screen in shared memory. */
class VncLiveScreen implements LiveScreen {
  readonly place: Region;
  readonly pixels: Uint8Array<ArrayBuffer>;
  readonly isWoken = true;
  readonly #picture: SharedPicture;
  readonly #words: Int32Array<ArrayBuffer>;
  #wakes = 0;

  constructor(memory: PictureMemory, readonly jpeg: JpegEncoder | undefined) {
    this.#picture = new SharedPicture(memory);
    this.place = this.#picture.region;
    this.#words = new Int32Array(memory.width * memory.height);
    this.pixels = new Uint8Array(this.#words.buffer);
    this.#picture.markAll();
    this.update();
  }

  get pointer(): LiveScreen["pointer"] {
    const { image, place } = this.#picture;
    return image && place && { image, at: place };
  }

  update(): ScreenChange {
    this.#wakes = this.#picture.wakes;
    const box = this.#picture.takeChanges(this.#words);
    return box ? { box } : {};
  }

  wait(ms: number): void {
    this.#picture.sleep(this.#wakes, ms);
  }

  close(): void {}
}

serveRoles({
  async receiver() {
    const { Receiver } = await import("./receiver.ts");
    const receiver = new Receiver((report) => self.postMessage(report));
    globalThis.onmessage = ({ data }: MessageEvent<ToReceiver>) => receiver.handle(data);
  },
  async live() {
    const { serveLive } = await import("../live/worker.ts");
    const { openJpegEncoder } = await import("../jpeg.ts");
    serveLive<PictureMemory>(({ source }) => new VncLiveScreen(source, openJpegEncoder()));
  },
});
