/** Text while an engine of Fcitx 5 is on, which gets the keys of every program that takes text from it. */

import { assertEquals } from "@std/assert";
import { openWayland } from "../../../../ffi/wayland/mod.ts";
import { Fcitx, FCITX_PROGRAMS } from "../../../support/fcitx5.ts";
import { need } from "../../../support/need.ts";
import { SessionBus } from "../../../support/session_bus.ts";
import { Sway } from "../../../support/sway.ts";
import { TYPED_TEXTS } from "../../../support/typed_texts.ts";
import { until } from "../../../support/until.ts";

const NEEDED = need("sway", "foot", ...FCITX_PROGRAMS);

Deno.test(
  { name: "sway: Fcitx 5 is off for the time of a text, and on again afterwards", ...NEEDED },
  async (t) => {
    await using sway = await Sway.start();
    await using bus = await SessionBus.start();
    const buses = [bus.socket], state = `${bus.folder}/state`;
    const env = {
      ...sway.env,
      HOME: sway.folder,
      XDG_CONFIG_HOME: `${bus.folder}/config`,
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${bus.socket}`,
    };
    Deno.env.set("XDG_STATE_HOME", state);
    await using fcitx = await Fcitx.start(env);
    const file = `${sway.folder}/received`;
    const script = `stty raw -echo; echo ready >${file}.ready; exec dd bs=1 of=${file} 2>/dev/null`;
    await using _foot = sway.spawn("foot", "sh", "-c", script);
    await until(() => Deno.stat(`${file}.ready`).then(() => true, () => false));
    await sway.windows(1);
    let desktop = await openWayland(sway.socket, buses), all = "";
    for (const isOn of [false, true]) {
      await t.step(isOn ? "while Hangul is on" : "while the keyboard is on", async () => {
        await fcitx.switch(isOn);
        for (const [, text] of [["words", "hello world 1, nihao "], ...TYPED_TEXTS]) {
          await desktop.keyboard.type(text);
          all += text;
          assertEquals(await fcitx.isOn(), isOn);
        }
        await until(() => Deno.readTextFile(file), (received) => received.length >= all.length);
        assertEquals(await Deno.readTextFile(file), all);
      });
    }
    await t.step("what a killed deskhand left off, the next start switches on", async () => {
      desktop.close();
      await fcitx.switch(false);
      await Deno.writeTextFile(`${state}/deskhand/fcitx5-engine.json`, '{"engine":"hangul"}');
      desktop = await openWayland(sway.socket, buses);
      await until(() => fcitx.isOn());
    });
    desktop.close();
  },
);
