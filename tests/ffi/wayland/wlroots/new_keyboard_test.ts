/** The wait for programs that do not know the first keyboard of a seat yet. */

import { assert, assertEquals } from "@std/assert";
import { NewKeyboard } from "../../../../ffi/wayland/wlroots/new_keyboard.ts";
import { isStopped } from "../../../../ffi/linux/thread_rest.ts";
import { Connection } from "../../../../ffi/wayland/wire/connection.ts";
import { openWayland } from "../../../../ffi/wayland/mod.ts";
import { needSway, Sway } from "../../../support/sway.ts";
import { until } from "../../../support/until.ts";
import { wevEvents } from "../../../support/wev.ts";

/** Tells whether a wait ended before the time that programs get that cannot be watched. */
async function isShort(sway: Sway): Promise<boolean> {
  const connection = Connection.open(sway.socket)!;
  try {
    const keyboard = new NewKeyboard(connection, true);
    await keyboard.known();
    return !keyboard.isKnown;
  } finally {
    connection.close();
  }
}

const KEYS = [["a", true], ["a", false]] as const;

Deno.test({
  name: "the first key of a seat's first keyboard waits for the program that gets it, and no longer",
  ...needSway("wev", "stdbuf"),
  async fn(t) {
    await using sway = await Sway.start();
    Deno.env.set("SWAYSOCK", sway.env.SWAYSOCK); // as in a session of sway's
    using after = new DisposableStack();
    after.defer(() => Deno.env.delete("SWAYSOCK"));
    // On a busy machine a single wait may take the whole time.
    await t.step("no program has the keyboard", async () => {
      await until(() => isShort(sway));
    });

    await using wev = sway.spawn("stdbuf", "-oL", "wev");
    await sway.windows(1);
    await t.step("a program rests", async () => {
      await until(() => isShort(sway));
    });

    await t.step("a stopped program gets the whole time", async () => {
      Deno.kill(wev.pid, "SIGSTOP");
      try {
        await until(() => isStopped(`${wev.pid}/task/${wev.pid}`)); // the signal arrives later
        assertEquals(await isShort(sway), false);
      } finally {
        Deno.kill(wev.pid, "SIGCONT");
      }
    });

    await t.step("a seat that has a keyboard waits for nothing", () => {
      const connection = Connection.open(sway.socket)!;
      assert(new NewKeyboard(connection, false).isKnown);
      connection.close();
    });

    await t.step("each first key arrives", async () => {
      const pressed = () => wevEvents(wev.printed).filter((event) => event.startsWith("pressed a")).length;
      for (let round = 1; round <= 5; round++) {
        const desktop = await openWayland(sway.socket), before = pressed();
        for (const [key, down] of KEYS) await desktop.keyboard.key(key, down);
        await until(() => pressed() > before);
        desktop.close();
      }
    });
  },
});
