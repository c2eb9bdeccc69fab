/**
 * Text with characters that no key types, on KDE: pasted with the focused program's paste keys, or refused.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { KWIN, Kwin } from "../support/kwin.ts";
import { need } from "../support/need.ts";
import { until } from "../support/shell.ts";
import { wevEvents } from "../support/compositors.ts";
import type { Client } from "../support/xvfb.ts";
import { call } from "./recording.ts";

const NEEDED = { ignore: KWIN.ignore || need("konsole", "wev", "stdbuf", "wl-copy").ignore };
const LINE = "echo 'aé漢b — Привет, мир! x1234567890123456789 🚀' ß";

Deno.test({ name: "KDE: text that no key types reaches terminals, or is refused", ...NEEDED }, async (t) => {
  await using kwin = await Kwin.start();
  await using program = await kwin.program("--http", "0");
  const url = await program.controlUrl(), type = (text: string) => call(url, "POST", "type", { text });
  /** The classes of all windows, and whether each has the focus. */
  const windows = async () =>
    (await call(url, "GET", "windows")).json.windows
      .map((window: { class: string; active: boolean }) => `${window.class} ${window.active}`).join();

  const received = () => Deno.readTextFile(`${kwin.env.HOME}/received`).catch(() => "");

  await t.step("without a window, text that needs a paste is refused and none is typed", async () => {
    assertEquals((await type("plain")).json, { ok: true });
    const { status, json } = await type("é");
    assertEquals(status, 409);
    assertMatch(json.error, /no window is focused/);
  });

  await t.step("Konsole receives all of it, and the clipboard is restored", async () => {
    await using _html = await copied(kwin, "text/html", "<b>theirs</b>");
    const types = await kwin.run("wl-paste", "-l");
    await using _konsole = kwin.spawn(
      "env",
      "QT_QPA_PLATFORM=wayland",
      "konsole",
      "-e",
      "sh",
      "-c",
      "cat >~/received",
    );
    await until(windows, (all) => all === "org.kde.konsole true");
    let expected = "";
    for (const text of ["plain\n", `${LINE}\n`, "ünïcödé\nßßß\n"]) {
      assertEquals((await type(text)).json, { ok: true });
      expected += text;
      // Konsole registers its actions, such as paste, once its program receives keys.
      await until(received, (text) => text === expected, (text) => JSON.stringify(text));
    }
    assertEquals(await kwin.run("wl-paste", "-n", "-t", "text/html"), "<b>theirs</b>");
    assertEquals(await kwin.run("wl-paste", "-l"), types);
    await using other = await kwin.program("--http", "0"); // which KWin takes for a person
    const person = await other.controlUrl(), text = "maybe why C1\n";
    for (const [key, own] of [["y", /^y+$/], ["shift", /^$/]] as const) {
      assertEquals((await call(person, "POST", "press", { key })).status, 200);
      assertEquals((await type(text)).json, { ok: true });
      // A held letter repeats until another key comes.
      await until(received, (all) => all.startsWith(expected) && all.endsWith(text));
      assertMatch((await received()).slice(expected.length, -text.length), own);
      expected = await received();
      await call(person, "POST", "release", { key });
    }
    await call(url, "POST", "key", { keys: "ctrl+d" });
    await until(windows, (all) => all === "");
  });

  await t.step(
    "a window that accepts no paste is a 409 that names it, and the clipboard is restored",
    async () => {
      await using _copied = await copied(kwin, "text/plain", "before");
      // A clipboard manager that reads each new content, which is not a paste.
      await using _manager = kwin.spawn("wl-paste", "--watch", "cat");
      await using wev = kwin.spawn("stdbuf", "-oL", "wev");
      await wev.printing((text) => /wl_keyboard\] enter/.test(text));
      await until(windows, (all) => all === "wev true");
      const { status, json } = await type("aé");
      assertEquals(status, 409);
      assertMatch(json.error, /^wev did not paste the text on ctrl\+v,/);
      // wev binds the keyboard again whenever one is plugged in, and then prints each key several times.
      const pressed = (printed: string) =>
        wevEvents(printed).filter((event, i, all) => event.startsWith("pressed ") && event !== all[i - 1]);
      const printed = await wev.printing((text) => pressed(text).length >= 3);
      assertEquals(pressed(printed), ["pressed a", "pressed Control_L", "pressed v"]);
      assert(await kwin.run("wl-paste", "-n") === "before");
    },
  );
  assertEquals(program.stderr, "");
});

/** Another program copies a text; waits until it is copied. */
async function copied(kwin: Kwin, type: string, content: string): Promise<Client> {
  const client = kwin.spawn("wl-copy", "--foreground", "--type", type, content);
  const paste = () => kwin.run("wl-paste", "-n", "-t", type).catch(() => "");
  await until(paste, (text) => text === content);
  return client;
}
