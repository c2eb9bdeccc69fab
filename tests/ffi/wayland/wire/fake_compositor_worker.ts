/// <reference lib="deno.worker" />
/** A compositor that answers every request alike, on a thread of its own. */

import { FakeCompositor } from "../../../support/fake_compositor.ts";

self.onmessage = ({ data: { path, answer } }: MessageEvent<{ path: string; answer?: Uint8Array }>) => {
  new FakeCompositor(path, { answer: () => answer });
  self.postMessage("listening");
};
