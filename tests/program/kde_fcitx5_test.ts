/** Text on KDE while an engine of Fcitx 5 is on, which KWin gives the keys of programs that take text from it. */

import { assertEquals, assertMatch } from "@std/assert";
import { configureFcitx, Fcitx, FCITX_PROGRAMS } from "../support/fcitx5.ts";
import { KWIN, Kwin } from "../support/kwin.ts";
import { need } from "../support/need.ts";
import { TYPED_TEXTS } from "../support/typed_texts.ts";
import { until } from "../support/until.ts";
import { call } from "./recording.ts";

const NEEDED = { ignore: KWIN.ignore || need("konsole", ...FCITX_PROGRAMS).ignore };

Deno.test(
  { name: "KDE: Fcitx 5 is off for the time of a text, and on again afterwards", ...NEEDED },
  async (t) => {
    await using kwin = await Kwin.start({
      inputMethod: "fcitx5",
      prepare: (session) => configureFcitx(`${session.env.HOME}/.config`),
    });
    {
      await using setup = await kwin.program("setup");
      assertEquals((await setup.ended()).code, 0);
    }
    await using program = await kwin.program("--http", "0");
    const url = await program.controlUrl(), fcitx = await Fcitx.of(kwin.env);
    const file = `${kwin.env.HOME}/received`;
    const script = `stty raw -echo; exec dd bs=1 of=${file} 2>/dev/null`;
    await using _konsole = kwin.spawn("env", "QT_QPA_PLATFORM=wayland", "konsole", "-e", "sh", "-c", script);
    const windows = async () => (await call(url, "GET", "windows")).json.windows;
    await until(windows, (all) => all.length === 1 && all[0].active);
    await until(() => Deno.stat(file).then(() => true, () => false));
    let all = "";
    for (const isOn of [false, true]) {
      await t.step(isOn ? "while Hangul is on" : "while the keyboard is on", async () => {
        await fcitx.switch(isOn);
        for (const [, text] of [["words", "hello world 1, nihao "], ...TYPED_TEXTS]) {
          assertEquals((await call(url, "POST", "type", { text })).json, { ok: true });
          all += text;
          assertEquals(await fcitx.isOn(), isOn);
        }
        await until(() => Deno.readTextFile(file), (received) => received.length >= all.length);
        assertEquals(await Deno.readTextFile(file), all);
      });
    }
    await t.step("doctor names the engine", async () => {
      await using doctor = await kwin.program("doctor");
      assertMatch((await doctor.ended()).stdout, /input method +hangul is switched on/);
    });
  },
);
