/** deskhand on KDE as an ordinary user runs it, from outside: permission, input, screenshots, windows. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { delay } from "@std/async/delay";
import { wevEvents, withoutLoneReleases } from "../support/compositors.ts";
import { configureFcitx, Fcitx, FCITX_PROGRAMS } from "../support/fcitx5.ts";
import { KWIN, Kwin } from "../support/kwin.ts";
import { need } from "../support/need.ts";
import { rgbOfFile } from "../support/pictures.ts";
import { type Program, TYPED_TEXTS } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { LIBVNCCLIENT, openLibvncclient, showsTheSame, vncPort } from "../support/vnc_viewers.ts";
import type { Client } from "../support/xvfb.ts";
import { call } from "./recording.ts";

const NEEDED = { ignore: KWIN.ignore || need("wev", "stdbuf").ignore };

/** An answer of the control API. */
interface Answer {
  status: number;
  // deno-lint-ignore no-explicit-any -- each endpoint has its own
  body: any;
}

/** A running program's control API. */
function apiOf(url: string) {
  const ask = async (path: string, init?: RequestInit): Promise<Answer> => {
    const response = await fetch(`${url}/api/${path}`, init);
    return { status: response.status, body: await response.json() };
  };
  return {
    get: (path: string) => ask(path),
    post: (path: string, body: unknown = {}) => ask(path, { method: "POST", body: JSON.stringify(body) }),
    put: (path: string, body: unknown) => ask(path, { method: "PUT", body: JSON.stringify(body) }),
    /** Runs an action that must succeed. */
    async act(path: string, body: unknown = {}) {
      const { status, body: answer } = await ask(path, { method: "POST", body: JSON.stringify(body) });
      assertEquals([status, answer], [200, { ok: true }], path);
    },
    /** A screenshot as rows of blue, green, red and one more byte. */
    async pixels(query = ""): Promise<{ width: number; height: number; at(x: number, y: number): number[] }> {
      const response = await fetch(`${url}/api/screenshot${query}`);
      assertEquals(response.status, 200, query);
      const bytes = new Uint8Array(await response.arrayBuffer()), view = new DataView(bytes.buffer);
      const offset = view.getUint32(10, true),
        width = view.getInt32(18, true),
        height = view.getInt32(22, true);
      const rows = Math.abs(height);
      return {
        width,
        height: rows,
        at(x, y) {
          const from = offset + 4 * (width * (height < 0 ? y : rows - 1 - y) + x);
          return [...bytes.subarray(from, from + 3)];
        },
      };
    },
  };
}

/** Starts deskhand with the control API. */
async function controlled(kwin: Kwin) {
  const program = await kwin.program("--http", "0", "--vnc", "0");
  return {
    program,
    vnc: await vncPort(program),
    api: apiOf(await program.controlUrl()),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

async function ended(program: Program) {
  await using running = program;
  return await running.ended();
}

Deno.test({ name: "KDE is controlled once a file of the user's allows it", ...NEEDED }, async (t) => {
  await using kwin = await Kwin.start({ outputs: 2, width: 640, height: 360, scale: 2, isStrict: true });
  await t.step("without the file, doctor and the error name the command that creates it", async () => {
    const doctor = await ended(await kwin.program("doctor"));
    assertEquals(doctor.code, 1);
    assertMatch(
      doctor.stdout,
      /^NO {2}compositor +kwin_wayland at .*cannot control it, since .*run: deskhand setup$/m,
    );
    assertMatch(
      doctor.stdout,
      /^NO {2}permission +\S+deskhand\.desktop is missing; .*run: deskhand setup$/m,
    );
    const { code, stderr } = await ended(await kwin.program("--desktop", "wayland", "--http", "0"));
    assertEquals(code, 3);
    assertMatch(
      stderr,
      /KWin accepts input only from programs that a permission file allows\. .*run: deskhand setup/,
    );
    const auto = await ended(await kwin.program("--http", "0"));
    assertMatch(auto.stderr, /run: deskhand setup/);
    for (const text of [doctor.stdout, auto.stderr]) assertEquals(/X11|Xvfb|libX/.test(text), false, text);
  });
  await t.step("setup leaves another file of that name alone", async () => {
    await kwin.run("mkdir", "-p", kwin.permission.replace(/[^/]*$/, ""));
    await Deno.writeTextFile(kwin.permission, "[Desktop Entry]\nName=something else\n");
    for (const words of [["setup"], ["setup", "--remove"]]) {
      const { code, stderr } = await ended(await kwin.program(...words));
      assertEquals(code, 1);
      assertMatch(stderr, /deskhand\.desktop was not written by deskhand/);
    }
    assertMatch(await Deno.readTextFile(kwin.permission), /something else/);
    await Deno.remove(kwin.permission);
  });
  await t.step("setup writes the file for this executable, and KWin reads it", async () => {
    const { code, stdout } = await ended(await kwin.program("setup"));
    assertMatch(
      stdout,
      /deskhand setup --remove undoes this\.\n\S+deskhand\.desktop has been written, and KWin has read it\.\n$/,
    );
    assertEquals(code, 0);
    const lines = (await Deno.readTextFile(kwin.permission)).split("\n");
    assert(lines.includes(`Exec=${kwin.copy.runtime}`), lines.join("\n"));
  });
  await t.step("doctor reports that everything is available", async () => {
    const { stdout } = await ended(await kwin.program("doctor"));
    assertMatch(stdout, /^ok {2}compositor +kwin_wayland at \S+: deskhand controls it as --desktop wayland/m);
    assertMatch(stdout, /^ok {2}pictures +by KWin's screenshots$/m);
    assertMatch(stdout, /^ok {2}permission +\S+ allows this executable$/m);
    assertMatch(stdout, /^ok {2}held keys +KWin does not report the keys that you hold: /m);
    assertMatch(stdout, /^ok {2}protocol org_kde_kwin_fake_input +org_kde_kwin_fake_input 4, for pointer/m);
    assertMatch(
      stdout,
      /^ok {2}screen +2560x720 \(Virtual-0 1280x720 at 0,0, scale 2; Virtual-1 1280x720 at 1280,0/m,
    );
  });
  {
    await using running = await controlled(kwin);
    await controls(t, kwin, running.api);
    await t.step({
      name: "a VNC viewer shows KWin's picture pixel for pixel, and a program receives its keys",
      ignore: LIBVNCCLIENT.ignore,
      async fn() {
        await using viewer = await openLibvncclient(running.vnc);
        await using wev = kwin.spawn("stdbuf", "-oL", "wev");
        await wev.printing((text) => /wl_keyboard\] enter/.test(text));
        await viewer.hand.type("aB");
        await receiver(wev)(["a", "B"].flatMap((key) => {
          const shift = key === "B" ? ["Shift_L"] : [];
          return [
            ...[...shift, key].map((one) => `pressed ${one}`),
            ...[key, ...shift].map((one) => `released ${one}`),
          ];
        }));
        const picture = `${await running.program.controlUrl()}/api/screenshot?cursor=true`;
        const seen = async () => await rgbOfFile(await (await fetch(picture)).bytes());
        await showsTheSame(viewer, { width: 2560, height: 720 }, seen);
      },
    });
    await t.step("a KWin that is gone is a 503 until it is back", async () => {
      await kwin.kill();
      // A position that was just reported is known without KWin.
      const { body } = await until(() => running.api.get("position"), ({ status }) => status === 503);
      assertMatch(body.error, /compositor/);
      await kwin.restart();
      await until(() => running.api.get("screen"), ({ status }) => status === 200);
      await running.api.act("move", { x: 77, y: 88 });
      await until(() => running.api.get("position"), ({ body }) => body.x === 77 && body.y === 88);
      assertEquals((await running.api.pixels()).width, 2560);
    });
    assertEquals(running.program.stderr, "");
  }
  await t.step("setup --remove undoes setup", async () => {
    const { code, stdout } = await ended(await kwin.program("setup", "--remove"));
    assertEquals(code, 0);
    assertMatch(stdout, /deskhand\.desktop has been removed: KDE no longer lets deskhand control it\.\n$/);
    // KWin looks for changed files every other second.
    await until(
      async () => await ended(await kwin.program("doctor")),
      ({ stdout }) => /^NO {2}protocol org_kde_kwin_fake_input/m.test(stdout),
    );
    const again = await ended(await kwin.program("setup", "--remove"));
    assertMatch(again.stdout, /There is no KDE permission file/);
  });
});

/** Returns a function that checks the events that `wev` has received since. */
function receiver(wev: Client): (expected: string[]) => Promise<void> {
  let seen = 0;
  const received = (text: string) =>
    withoutLoneReleases(wevEvents(text).map((event) => event.replace(/ \S+,\S+$/, ""))).slice(seen);
  return async (expected: string[]) => {
    const printed = await wev.printing((text) => received(text).length >= expected.length);
    assertEquals(received(printed), expected);
    seen += expected.length;
  };
}

async function controls(t: Deno.TestContext, kwin: Kwin, api: ReturnType<typeof apiOf>) {
  const { act, get, post, put, pixels } = api;
  await t.step(
    "the pointer goes where it is moved, on both displays, as KWin itself reports later",
    async () => {
      assertEquals((await get("screen")).body.kind, "wayland");
      for (
        const point of [{ x: 0, y: 0 }, { x: 321, y: 123 }, { x: 1279, y: 719 }, { x: 1280, y: 0 }, {
          x: 2559,
          y: 500,
        }]
      ) {
        await act("move", point);
        await delay(150); // KWin is asked if the cached position is older than 100 ms
        const { body } = await get("position");
        // At the edge of a display KWin stops at the last whole logical pixel, which is two pixels wide here.
        const isThere = Math.abs(body.x - point.x) <= 1 && Math.abs(body.y - point.y) <= 1;
        assert(isThere, `${point.x},${point.y}: ${JSON.stringify(body)}`);
      }
    },
  );
  await using wev = kwin.spawn("stdbuf", "-oL", "wev");
  await wev.printing((text) => /wl_keyboard\] enter/.test(text));
  await t.step("windows are listed with their positions", async () => {
    const { body } = await until(() => get("windows"), ({ body }) => body.windows.length === 1);
    const [window] = body.windows;
    assertEquals([window.title, window.class, window.state, window.active], ["wev", "wev", "normal", true]);
    assert(window.width > 100 && window.height > 100 && window.pid > 0, JSON.stringify(window));
    // Everything that follows happens over this window.
    assertEquals((await post("window/maximize", { title: "wev" })).status, 200);
    const [maximized] = (await get("windows")).body.windows;
    assertEquals(maximized.state, "maximized");
    const bounds = { x: 6, y: 8, width: 440, height: 234 };
    const { body: placed } = await post("window/place", { title: "wev", ...bounds });
    assertEquals(placed, { ...maximized, state: "normal", ...bounds });
    const { body: wider } = await post("window/place", { title: "wev", width: 500 });
    assertEquals(wider, { ...placed, width: 500 });
    assertEquals((await post("window/maximize", { title: "wev" })).body.state, "maximized");
    const { body: moved } = await post("window/place", { title: "wev", x: 30 });
    assertEquals(moved, { ...wider, x: 30 });
    assertEquals((await post("window/maximize", { title: "wev" })).status, 200);
    // A restored window receives the keyboard focus.
    await post("window/minimize", { title: "wev" });
    await until(async () => (await get("windows")).body.windows[0], ({ active }) => !active);
    await post("window/restore", { title: "wev" });
    await until(async () => (await get("windows")).body.windows[0], ({ active }) => active);
  });
  await t.step(
    "a window on another workspace is listed as such, and shown once it is activated",
    async () => {
      const manager = "org.kde.KWin.VirtualDesktopManager", properties = "org.freedesktop.DBus.Properties";
      const ask = (method: string, ...args: string[]) => {
        const call = [
          "call",
          "--session",
          "--dest",
          "org.kde.KWin",
          "--object-path",
          "/VirtualDesktopManager",
        ];
        return kwin.run("gdbus", ...call, "--method", method, ...args);
      };
      const isElsewhere = async () => (await get("windows")).body.windows[0].elsewhere ?? false;
      assertEquals(await isElsewhere(), false);
      await ask(`${manager}.createDesktop`, "1", "second");
      const desktops = await ask(`${properties}.Get`, manager, "desktops");
      const [, second] = /'([0-9a-f-]{36})', 'second'/.exec(desktops)!;
      await ask(`${properties}.Set`, manager, "current", `<'${second}'>`);
      await until(isElsewhere, (elsewhere) => elsewhere);
      assertEquals((await post("window/activate", { title: "wev" })).status, 200);
      assertEquals(await isElsewhere(), false);
      await ask(`${manager}.removeDesktop`, second);
    },
  );
  const receives = receiver(wev);
  await t.step("a program receives buttons, wheel, combinations, text and a drag", async () => {
    const over = (await get("windows")).body.windows[0];
    const middle = { x: over.x + Math.floor(over.width / 2), y: over.y + Math.floor(over.height / 2) };
    for (const button of ["left", "middle", "right"]) await act("click", { ...middle, button });
    for (const direction of ["up", "down", "left", "right"]) await act("scroll", { direction, amount: 2 });
    await act("key", { keys: "ctrl+shift+t" });
    const keys = await wev.printing((text) => wevEvents(text).includes("released Control_L"));
    assertEquals(wevEvents(keys), withoutLoneReleases(wevEvents(keys))); // only text releases other keys
    await act("type", { text: "aB?" });
    await act("drag", { from: middle, to: { x: middle.x + 30, y: middle.y + 20 } });
    await receives([
      ...["left", "middle", "right"].flatMap((button) => [`${button} pressed`, `${button} released`]),
      ...["vertical -15", "vertical 15", "horizontal -15", "horizontal 15"].flatMap((
        event,
      ) => [event, event]),
      ...["pressed Control_L", "pressed Shift_L", "pressed T"],
      ...["released T", "released Shift_L", "released Control_L"],
      ...["pressed a", "released a", "pressed Shift_L", "pressed B", "released B", "released Shift_L"],
      ...["pressed Shift_L", "pressed question", "released question", "released Shift_L"],
      ...["left pressed", "left released"],
    ]);
  });
  await t.step("deskhand's own actions are recorded and replayed", async () => {
    const over = (await get("windows")).body.windows[0];
    await act("recording/start");
    await act("click", { x: over.x + 40, y: over.y + 50, button: "right" });
    await act("key", { keys: "shift+b" });
    await act("recording/stop");
    const events = [
      "right pressed",
      "right released",
      "pressed Shift_L",
      "pressed B",
      "released B",
      "released Shift_L",
    ];
    await receives(events);
    await act("recording/play", { speed: 10 });
    await receives(events);
    await until(() => get("recording/state"), ({ body }) => body.state === "idle");
  });
  await t.step("copied text can be read back", async () => {
    const text = "漢字 and\nlines";
    assertEquals((await put("clipboard", { text })).status, 200);
    assertEquals((await get("clipboard")).body.text, text);
  });
  await t.step("screenshots show what programs draw, and regions match them pixel for pixel", async () => {
    const { x, y, width, height } = (await get("windows")).body.windows[0];
    const bare = x < 1280 ? 2000 : 600; // on the other display, where nothing is drawn
    const whole = await until(
      () => pixels(),
      (picture) => picture.at(x + 50, y + 60).join() !== picture.at(bare, 300).join(),
    );
    assertEquals([whole.width, whole.height], [2560, 720]);
    const part = await pixels(`?x=${x + 10}&y=${y + 10}&width=${width - 20}&height=${height - 20}`);
    assertEquals([part.width, part.height], [width - 20, height - 20]);
    for (const [px, py] of [[0, 0], [33, 47], [width - 21, height - 21]]) {
      assertEquals(part.at(px, py), whole.at(x + 10 + px, y + 10 + py));
    }
  });
}

// Text on KDE while a Fcitx 5 engine is active: KWin sends it the keys of programs that accept text from it.

const KDE_FCITX5_NEEDED = { ignore: KWIN.ignore || need("konsole", ...FCITX_PROGRAMS).ignore };

Deno.test(
  { name: "KDE: Fcitx 5 is off while text is typed, and on again afterwards", ...KDE_FCITX5_NEEDED },
  async (t) => {
    await using kwin = await Kwin.start({
      inputMethod: "fcitx5",
      prepare: (session) => configureFcitx(`${session.env.HOME}/.config`),
    });
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
