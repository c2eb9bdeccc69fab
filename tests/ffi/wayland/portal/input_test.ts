/** Input by the portal, with a made-up session and compositor. */

import { assertEquals, assertRejects } from "@std/assert";
import { DesktopUnavailableError } from "../../../../core/errors.ts";
import { PortalInput } from "../../../../ffi/wayland/portal/way.ts";
import { encodeMessage } from "../../../../ffi/wayland/wire/wire.ts";
import { temporary } from "../../../support/shell.ts";

Deno.test({
  name: "a compositor that refuses to show its seat fails one key, and not those after it",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    temporary(async (folder) => {
      const path = `${folder}/wayland-9`, sent: unknown[] = [];
      const notify = (member: string, _: string, args: readonly unknown[]) =>
        Promise.resolve(void sent.push([member, ...args]));
      const input = new PortalInput({ notify }, path, false);
      // On a thread of its own, since the key waits for it on this one.
      const worker = new Worker(new URL("../wire/fake_compositor_worker.ts", import.meta.url), {
        type: "module",
      });
      const listening = new Promise((resolve) => worker.onmessage = resolve);
      worker.postMessage({ path, answer: encodeMessage(1, 0, [1, 2, "not now"]) });
      await listening;
      await assertRejects(() => input.key(30, true), DesktopUnavailableError, "not now");
      worker.terminate();
      await Deno.remove(path).catch((error) => { // the end of the Worker may have removed it
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      });
      await input.key(30, true);
      assertEquals(sent, [["NotifyKeyboardKeycode", 30, 1]]);
    }),
});
