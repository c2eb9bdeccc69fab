/** Recording and replay on a real X server, with xdotool and xev. */

import { assertEquals, assertMatch, equal } from "@std/assert";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";
import { xevEvents } from "../support/window_desktops.ts";
import { Xvfb } from "../support/xvfb.ts";
import { call, idle } from "./recording.ts";

const X11 = need("Xvfb", "xdotool", "xev", "xinput");
const TYPING = need("Xvfb", "xdotool", "setxkbmap");
const WINDOW = ["-geometry", "1280x720+0+0", "-event", "button", "-event", "keyboard"];

Deno.test(
  { name: "a replay and a script repeat what xdotool did", ...X11 },
  async () => {
    await using server = await Xvfb.start();
    await temporary(async (cwd) => {
      await using program = new Program(["--http", "0"], {
        env: { ...server.env, XDG_STATE_HOME: cwd },
        cwd,
      });
      const url = await program.controlUrl();
      await using xev = server.spawn("xev", ...WINDOW);
      await server.window("--name", "Event Tester");
      await server.run("xdotool", "mousemove", "300", "300");
      await call(url, "POST", "recording/start", {});
      const xdotool = (line: string) => server.run("xdotool", ...line.split(" "));
      await xdotool("mousemove 100 100 click --repeat 2 --delay 60 1");
      // Raw events carry no position: it is queried when they are read, so each must be read before the next.
      for (const line of ["mousemove 200 150", "mousedown 1", "mousemove 400 350", "mouseup 1"]) {
        const before = await recorded(url);
        await xdotool(line);
        await until(() => recorded(url), (count) => count > before);
      }
      await xdotool("click 4 click 5 click 3");
      await server.run("xdotool", "key", "a", "key", "shift+b", "key", "F5", "key", "ctrl+x");
      await call(url, "POST", "type", { text: "hé漢" });
      const seen = () => xevEvents(xev.printed);
      await xdotool("key F12");
      const first = await until(seen, (events) => events.some((event) => /KeyRelease.*F12/.test(event)));
      assertEquals((await call(url, "POST", "recording/stop", {})).json, { ok: true });
      await program.write("save r.json");
      await program.write("save r.sh");
      await program.printed(/saved \d+ events[^]*saved \d+ events/);
      await call(url, "PUT", "recording", JSON.parse(await Deno.readTextFile(`${cwd}/r.json`)));
      assertEquals((await call(url, "POST", "recording/play", {})).json, { ok: true });
      const { json } = await idle(url);
      assertEquals([json.problem, json.result?.stopped], [undefined, false]);
      await until(seen, (events) => events.length >= 2 * first.length);
      assertEquals(downsAndPlaces(seen().slice(first.length)), downsAndPlaces(first));
      // The same with the script.
      const before = seen().length;
      const { success, stderr } = await new Deno.Command("sh", {
        args: [`${cwd}/r.sh`],
        env: { DESKHAND_URL: url },
      }).output();
      assertEquals([new TextDecoder().decode(stderr), success], ["", true]);
      await until(
        seen,
        (events) => presses(events.slice(before)).length >= presses(first).length,
      );
      assertEquals(presses(seen().slice(before)), presses(first));
    });
  },
);

Deno.test(
  { name: "a pointer warp is recorded, and a replay leaves the pointer where it was", ...X11 },
  async () => {
    await using server = await Xvfb.start();
    await using program = new Program(["--http", "0"], { env: server.env });
    const url = await program.controlUrl();
    await call(url, "POST", "recording/start", {});
    await server.run("xdotool", "mousemove", "300", "300", "click", "1");
    await until(() => recorded(url), (count) => count === 3);
    await server.run("xdotool", "mousemove", "500", "400");
    assertEquals((await call(url, "POST", "recording/stop", {})).json, { ok: true });
    const { json: { events } } = await call(url, "GET", "recording");
    assertEquals(events.map(({ t: _, ...action }: { t: number }) => action), [
      { type: "move", x: 300, y: 300 },
      { type: "button", button: "left", down: true, x: 300, y: 300 },
      { type: "button", button: "left", down: false, x: 300, y: 300 },
      { type: "move", x: 500, y: 400 },
    ]);
    await server.run("xdotool", "mousemove", "7", "8");
    assertEquals((await call(url, "POST", "recording/play", {})).json, { ok: true });
    const { json: { problem, result } } = await idle(url);
    assertEquals([problem, result.stopped], [undefined, false]);
    assertMatch(await server.run("xdotool", "getmouselocation"), /^x:500 y:400 /);
  },
);

Deno.test(
  { name: "typed text is one script line on every layout, and a combination another", ...TYPING },
  async () => {
    await using server = await Xvfb.start();
    await temporary(async (cwd) => {
      await using program = new Program(["--http", "0"], { env: server.env, cwd });
      const url = await program.controlUrl();
      // Only characters of the layout: for others xdotool briefly changes the keyboard map, and a busy
      // machine that reads the map later cannot tell what was typed.
      const texts = ["Hello, World! 1+1=2 {a} <b>", "Käthe tippt: 100 € @ Größe? (Ja/Nein)"];
      for (const [i, layout] of ["us", "de"].entries()) {
        await server.run("setxkbmap", layout);
        const file = `${cwd}/${layout}.sh`;
        const script = async () => {
          await call(url, "POST", "recording/start", {});
          await server.run("xdotool", "type", "--delay", "30", texts[i]);
          await server.run("xdotool", "key", "ctrl+c", "key", "Return");
          await call(url, "POST", "type", { text: texts[i] });
          await call(url, "POST", "recording/stop", {});
          await program.write(`save ${file}`);
          const text = await until(() => Deno.readTextFile(file).catch(() => ""));
          await Deno.remove(file);
          return text.split("\n").filter((line) => line.startsWith("curl"));
        };
        const type = `curl "$@" "$url/api/type" -d '${JSON.stringify({ text: texts[i] })}'`;
        const expected = [
          type,
          `curl "$@" "$url/api/key" -d '{"keys":"ctrl+c"}'`,
          `curl "$@" "$url/api/key" -d '{"keys":"enter"}'`,
          type,
        ];
        // On a busy machine xdotool may hold a key for so long that it does not count as text.
        await until(script, (lines) => equal(lines, expected));
      }
    });
  },
);

/** The number of events recorded so far. */
async function recorded(url: string): Promise<number> {
  return (await call(url, "GET", "recording/state")).json.events;
}

/** xdotool releases some keys twice; a recording has one release. */
function downsAndPlaces(events: string[]): string[] {
  return events.filter((event) => !/KeyRelease/.test(event));
}

function presses(events: string[]): string[] {
  return events.filter((event) => /Press/.test(event) && !/Shift|Control/.test(event));
}

Deno.test(
  { name: "a signal that ends a replay between press and release leaves nothing pressed", ...X11 },
  async () => {
    await using server = await Xvfb.start();
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      await using program = new Program(["--http", "0"], { env: server.env });
      const url = await program.controlUrl();
      await call(url, "PUT", "recording", {
        format: "deskhand-recording",
        version: 1,
        desktop: { width: 1280, height: 720 },
        started: "2026-01-01T00:00:00Z",
        events: [
          { t: 0, type: "button", button: "left", down: true, x: 50, y: 60 },
          { t: 1, type: "key", key: "shift", down: true },
          { t: 60_000, type: "key", key: "shift", down: false },
        ],
      });
      await call(url, "POST", "recording/play", {});
      const state = () => server.run("xinput", "query-state", "Virtual core XTEST pointer");
      await until(state, (text) => /button\[1\]=down/.test(text));
      program.kill(signal);
      await program.ended();
      assertMatch(await state(), /button\[1\]=up/);
      assertEquals(
        /=down/.test(await server.run("xinput", "query-state", "Virtual core XTEST keyboard")),
        false,
      );
    }
  },
);
