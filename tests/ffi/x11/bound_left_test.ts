/** Keys that were bound for text, after the end of the program that got it or of deskhand. */

import { assertEquals } from "@std/assert";
import { openX11 } from "../../../ffi/x11/mod.ts";
import { call } from "../../program/recording.ts";
import { need } from "../../support/need.ts";
import { Program } from "../../support/program.ts";
import { temporary } from "../../support/temporary.ts";
import { MANY } from "../../support/typed_texts.ts";
import { until } from "../../support/until.ts";
import { waiting } from "../../support/waits.ts";
import { Xvfb } from "../../support/xvfb.ts";

/** Characters that no key has either. */
const LATIN = "āăąćĉċčďđēĕėęěĝğġģĥħĩīĭįıĵķĸĺļľŀłńņňŉŋōŏőœŕŗřśŝşš─│";

const keysOf = (server: Xvfb) => server.run("xmodmap", "-pke");

Deno.test(
  { name: "a start frees the keys that a killed deskhand has bound", ...need("Xvfb", "xmodmap") },
  async () => {
    await using server = await Xvfb.start();
    const before = await keysOf(server);
    await temporary(async (state) => {
      const env = { ...server.env, XDG_STATE_HOME: state };
      for (const text of [MANY, "漢字"]) {
        await using killed = new Program(["--http", "0"], { env });
        const url = await killed.controlUrl();
        assertEquals(await keysOf(server), before);
        assertEquals((await call(url, "POST", "type", { text })).json, { ok: true });
        assertEquals(await keysOf(server) === before, false);
        killed.kill("SIGKILL");
        await killed.ended();
      }
      await using living = new Program(["--http", "0"], { env });
      const url = await living.controlUrl();
      assertEquals(await keysOf(server), before);
      {
        await using killed = new Program(["--http", "0"], { env });
        const text = Array.from({ length: 600 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join("");
        assertEquals((await call(await killed.controlUrl(), "POST", "type", { text })).json, { ok: true });
        killed.kill("SIGKILL");
        await killed.ended();
      }
      assertEquals((await call(url, "POST", "type", { text: "Ω─" })).json, { ok: true });
      living.kill();
      await living.ended();
      const left = await Array.fromAsync(Deno.readDir(`${state}/deskhand`), ({ name }) => name);
      // The record of the killed one's control API stays until something looks for running ones.
      assertEquals(left.filter((name) => !name.startsWith("running-")), ["token"]);
    });
    assertEquals(await keysOf(server), before);
  },
);

Deno.test(
  {
    name: "keys of a program that was killed are bound for the next one, beside an input method",
    ...need("Xvfb", "xterm", "xdotool", "xmodmap", "xclip", "xprop"),
  },
  async () => {
    await using server = await Xvfb.start();
    const before = await keysOf(server);
    const desktop = openX11(server.display);
    {
      await using xterm = server.spawn("xterm", "-u8", "-geometry", "200x50+0+0");
      await server.window("--class", "xterm");
      await server.run("xdotool", "mousemove", "200", "200");
      await desktop.keyboard.type(MANY);
      Deno.kill(xterm.pid, "SIGKILL");
    }
    // A selection with an owner that answers, as that of an input method does.
    await using _owner = server.spawn("xclip", "-selection", "clipboard", "-quiet", "/etc/passwd");
    await server.run("xprop", "-root", "-f", "XIM_SERVERS", "32a", "-set", "XIM_SERVERS", "CLIPBOARD");
    await until(() => server.run("xclip", "-selection", "clipboard", "-o", "-t", "TARGETS").catch(() => ""));
    await waiting("the next text", desktop.keyboard.type(MANY.slice(30) + LATIN));
    await desktop.keyboard.restore();
    assertEquals(await keysOf(server), before);
    desktop.close();
  },
);
