/** A stream of PipeWire where it cannot begin. */

import { assertRejects } from "@std/assert";
import { DesktopUnavailableError } from "../../../../core/errors.ts";
import { VideoStream } from "../../../../ffi/linux/pipewire/stream.ts";
import { need } from "../../../support/need.ts";
import { temporary } from "../../../support/temporary.ts";

const PIPEWIRE = need("pipewire");

/** Opens a stream while C's environment names a folder, and gives it to a test. */
async function withStream(name: string, use: (stream: VideoStream) => Promise<void>) {
  await temporary(async (folder) => {
    Deno.env.set(name, folder);
    const stream = new VideoStream({ node: 1 });
    try {
      await use(stream);
    } finally {
      stream.close();
      await stream.ended;
      Deno.env.delete(name);
    }
  });
}

for (
  const [name, message] of [
    ["PIPEWIRE_CONFIG_DIR", "client.conf"],
    ["PIPEWIRE_RUNTIME_DIR", "PipeWire does not answer"],
  ]
) {
  Deno.test({
    name: `a stream ends with a sentence where ${name} is an empty folder`,
    ...PIPEWIRE,
    fn: () =>
      withStream(name, async (stream) => {
        await assertRejects(() => stream.ready(), DesktopUnavailableError, message);
      }),
  });
}
