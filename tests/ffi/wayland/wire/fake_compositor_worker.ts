/// <reference lib="deno.worker" />
/** A compositor that gives every request the same answer, on a separate thread. */

import { FakeCompositor } from "../../../support/fake_compositor.ts";

self.onmessage = ({ data: { path, answer } }: MessageEvent<{ path: string; answer?: Uint8Array }>) => {
  new FakeCompositor(path, { answer: () => answer });
  self.postMessage("listening");
};
