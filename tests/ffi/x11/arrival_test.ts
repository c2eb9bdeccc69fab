/**
 * Pointer moves that end elsewhere, presses that would hit another window, and pings next to an input method.
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { middleOf } from "../../../control/desktop/input.ts";
import { drag } from "../../../control/operator/gestures.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { newRecording } from "../../../control/recording/format.ts";
import { Recorder } from "../../../control/recording/recorder.ts";
import { StoredRecording } from "../../../control/recording/stored.ts";
import { StateError, UnsupportedError } from "../../../core/errors.ts";
import { openX11 } from "../../../ffi/x11/desktop.ts";
import { isStopped } from "../../../ffi/linux/threads.ts";
import { need } from "../../support/need.ts";
import { Program } from "../../support/program.ts";
import { SessionBus } from "../../support/session_bus.ts";
import { until } from "../../support/shell.ts";
import { xevEvents } from "../../support/window_desktops.ts";
import { Client, Xvfb } from "../../support/xvfb.ts";

/** Confines the pointer to its window in the upper left corner, as games do. */
class Confinement {
  readonly #x11 = Deno.dlopen("libX11.so.6", {
    XOpenDisplay: { parameters: ["buffer"], result: "pointer" },
    XCloseDisplay: { parameters: ["pointer"], result: "i32" },
    XDefaultRootWindow: { parameters: ["pointer"], result: "u64" },
    XCreateSimpleWindow: {
      parameters: ["pointer", "u64", "i32", "i32", "u32", "u32", "u32", "u64", "u64"],
      result: "u64",
    },
    XMapRaised: { parameters: ["pointer", "u64"], result: "i32" },
    XSync: { parameters: ["pointer", "i32"], result: "i32" },
    XGrabPointer: {
      parameters: ["pointer", "u64", "i32", "u32", "i32", "i32", "u64", "u64", "u64"],
      result: "i32",
    },
  });
  readonly #display: Deno.PointerValue;

  constructor(server: Xvfb, width: number, height: number) {
    const x11 = this.#x11.symbols;
    const display = this.#display = x11.XOpenDisplay(new TextEncoder().encode(`${server.display}\0`));
    const root = x11.XDefaultRootWindow(display);
    const window = x11.XCreateSimpleWindow(display, root, 0, 0, width, height, 0, 0n, 0n);
    x11.XMapRaised(display, window);
    x11.XSync(display, 0);
    const async = 1, success = 0;
    assertEquals(x11.XGrabPointer(display, window, 1, 0, async, async, window, 0n, 0n), success);
  }

  [Symbol.dispose]() {
    this.#x11.symbols.XCloseDisplay(this.#display);
    this.#x11.close();
  }
}

Deno.test(
  { name: "refuses a press where a program keeps the pointer away", ...need("Xvfb") },
  async () => {
    await using server = await Xvfb.start();
    const desktop = openX11(server.display), operator = new Operator(desktop);
    {
      using _confinement = new Confinement(server, 200, 100);
      const refused = (action: () => Promise<void>) => assertRejects(action, StateError, "it is at 199,99");
      await refused(() => operator.click({ x: 640, y: 360 }, "left"));
      await refused(() => operator.press(["button", "left"], { x: 640, y: 360 }));
      await refused(() => drag(operator, [{ x: 640, y: 360 }, { x: 10, y: 10 }], ["from.", "to."]));
      await refused(() => drag(operator, [{ x: 10, y: 20 }, { x: 640, y: 360 }], ["from.", "to."]));
      assertEquals(await operator.position(), { x: 10, y: 20 }); // where the drag released the button
      await refused(() => operator.scroll("down", 1, { x: 640, y: 360 }));
      await operator.move({ x: 640, y: 360 });
      await refused(() => operator.clickHere("left", 1, []));
      const events = [true, false].map((down, i) => ({
        ...{ t: i, type: "button" as const, button: "left" as const, down, x: 640, y: 360 },
      }));
      const recorder = new Recorder(operator);
      await recorder.load(StoredRecording.of({ ...newRecording(operator.screen(), new Date()), events }));
      await recorder.play({});
      assertEquals((await until(() => recorder.status().result))!.missed, 2);
      assertEquals(operator.held(), []);
      await operator.click({ x: 50, y: 60 }, "left");
    }
    await operator.click({ x: 640, y: 360 }, "left");
    desktop.close();
  },
);

Deno.test(
  {
    name: "waits for the window manager that has yet to handle the press before",
    ...need("Xvfb", "openbox", "xev"),
  },
  async () => {
    await using server = await Xvfb.start();
    await using manager = await server.manager("openbox");
    await using _first = server.spawn("xev", "-name", "first", "-geometry", "200x200+50+50");
    await server.window("--name", "first");
    await using second = server.spawn("stdbuf", "-oL", "xev", "-name", "second", "-event", "button");
    await server.window("--name", "second");
    const desktop = openX11(server.display), operator = new Operator(desktop);
    const place = async (title: string) => {
      const listed = async () => (await desktop.windows!.list()).find((window) => window.title === title);
      return middleOf((await until(listed))!);
    };
    const [unfocused, focused] = [await place("first"), await place("second")];
    Deno.kill(manager.pid, "SIGSTOP"); // its synchronous grab freezes the pointer at the press
    await until(() => isStopped(`${manager.pid}`));
    await operator.click(unfocused, "left");
    const clicking = operator.click(focused, "left");
    assertEquals(await desktop.pointer.position(), unfocused);
    Deno.kill(manager.pid, "SIGCONT");
    await clicking;
    assertEquals(await operator.position(), focused);
    await second.printing((printed) => printed.includes("ButtonRelease"));
    desktop.close();
  },
);

Deno.test(
  {
    name: "moves and clicks reach the second of two Xinerama screens",
    ...need("Xvfb", "Xephyr", "xev"),
  },
  async () => {
    await using outer = await Xvfb.start({ width: 1300, height: 500 });
    await using server = await Xvfb.start({
      within: outer,
      width: 640,
      height: 480,
      args: ["-screen", "640x480", "+xinerama"],
    });
    await using xev = server.spawn("stdbuf", "-oL", "xev", "-geometry", "300x300+700+50", "-event", "button");
    await server.window("--name", "Event Tester");
    const desktop = openX11(server.display), operator = new Operator(desktop);
    await operator.move({ x: 1279, y: 479 });
    assertEquals(await operator.position(), { x: 1279, y: 479 });
    await operator.click({ x: 800, y: 200 }, "left");
    const seen = await until(() => xevEvents(xev.printed), ({ length }) => length >= 2);
    assertEquals(seen, ["ButtonPress 1 800,200", "ButtonRelease 1 800,200"]);
    desktop.close();
  },
);

Deno.test(
  {
    name: "buttons and notches arrive as named, whatever the pointer map",
    ...need("Xvfb", "xev", "xmodmap"),
  },
  async () => {
    await using server = await Xvfb.start();
    await using xev = server.spawn("stdbuf", "-oL", "xev", "-geometry", "300x300+0+0", "-event", "button");
    await server.window("--name", "Event Tester");
    const desktop = openX11(server.display), { pointer } = desktop, seen: string[] = [];
    const watch = await desktop.observer.watch({
      actions: (batch) => {
        for (const { action } of batch) {
          if (action.type === "button") seen.push(action.button);
          if (action.type === "scroll") seen.push(action.direction);
        }
      },
      problem() {},
    });
    await pointer.move({ x: 50, y: 60 });
    await server.run("xmodmap", "-e", "pointer = 3 2 1 5 4 6 7 8 9 10");
    for (const down of [true, false]) await pointer.button("left", down);
    await pointer.scroll("up", 1);
    const events = await until(() => xevEvents(xev.printed), ({ length }) => length >= 3);
    assertEquals(events.slice(0, 3), [
      "ButtonPress 1 50,60",
      "ButtonRelease 1 50,60",
      "ButtonPress 4 50,60",
    ]);
    await until(() => seen.length === 3);
    await watch.close();
    assertEquals(seen, ["left", "left", "up"]);
    await server.run("xmodmap", "-e", "pointer = 1 0 3");
    await assertRejects(
      () => pointer.button("middle", true),
      StateError,
      "the button middle is disabled on this X server",
    );
    desktop.close();
  },
);

Deno.test({
  name: "a stopped X server delays presses and clipboard handover without blocking the thread",
  ...need("Xvfb", "xmodmap", "bash"),
}, async () => {
  await using server = await Xvfb.start();
  const desktop = openX11(server.display), { pointer, clipboard } = desktop;
  await clipboard.write({ text: "copied" }, "clipboard");
  const calls = [() => pointer.button("left", true), () => pointer.scroll("up", 1), () => clipboard.keep()];
  for (const [i, call] of calls.entries()) {
    await pointer.button("left", false);
    await server.run("xmodmap", "-e", `pointer = ${i === 1 ? "1 2 3" : "3 2 1"} 4 5 6 7 8 9 10`);
    // A call that waits for the server on this thread would end only after ten seconds.
    const pause = `kill -STOP ${server.pid}; echo stopped; read -t 10; kill -CONT ${server.pid}`;
    await using pausing = new Program(["-c", pause], { executable: "bash" });
    await pausing.printed(/stopped/);
    const done = call();
    assert(isStopped(`${server.pid}`), "the call has waited for the server");
    await pausing.endInput();
    await done;
    assert(!isStopped(`${server.pid}`));
  }
  desktop.close();
});

Deno.test(
  {
    name: "moves and clicks reach the second of two separate screens",
    ...need("Xvfb", "xev"),
  },
  async () => {
    await using server = await Xvfb.start({ args: ["-screen", "1", "640x480x24"] });
    const display = `${server.display}.1`, env = { ...server.env, DISPLAY: display };
    await using xev = new Client(
      "stdbuf",
      ["-oL", "xev", "-geometry", "300x300+0+0", "-event", "button"],
      env,
    );
    await using other = server.spawn("stdbuf", "-oL", "xev", "-geometry", "300x300+0+0", "-event", "button");
    for (const one of [xev, other]) await one.printing((printed) => printed.includes("Outer window"));
    const desktop = openX11(display), operator = new Operator(desktop);
    await assertRejects(() => operator.position(), StateError, "on another screen");
    await until(async () => {
      await operator.click({ x: 60, y: 70 }, "left");
      return xev.printed.includes("ButtonRelease");
    });
    assertEquals(xevEvents(xev.printed)[0], "ButtonPress 1 60,70");
    assertEquals(xevEvents(other.printed), []);
    desktop.close();
  },
);

Deno.test({ name: "refuses screenshots of a screen with a color palette", ...need("Xvfb") }, async () => {
  await using server = await Xvfb.start({ depth: 8 });
  const desktop = openX11(server.display), region = { x: 0, y: 0, width: 10, height: 10 };
  await assertRejects(
    () => desktop.screen.capture(region, false, () => {}),
    UnsupportedError,
    "screens with a colour palette are not supported",
  );
  await assertRejects(
    () => desktop.screen.picture(region, false),
    UnsupportedError,
    "screens with a colour palette",
  );
  desktop.close();
});

// Text into a program that answers pings, next to an X11 input method that is not involved.

/** Texts with more distinct characters than the free keys can hold, so that keys are rebound. */
const TEXTS = Array.from(
  { length: 4 },
  (_, text) => Array.from({ length: 70 }, (_, i) => String.fromCodePoint(0x4e00 + 70 * text + i)).join(""),
);
/** Maximum time for a text on a busy machine, in milliseconds. */
const BOUND_MS = 60_000;

Deno.test({
  name: "does not take a ping's answer for an endless wait for the input method",
  ...need("Xvfb", "openbox", "xprop", "xdotool", "dbus-daemon", "ibus-daemon", "mousepad"),
}, async () => {
  await using server = await Xvfb.start();
  await using bus = await SessionBus.start();
  // The program receives its keys without IBus, like a GTK program with another input method.
  const env = { ...bus.envOn(server.env), GTK_IM_MODULE: "gtk-im-context-simple" };
  await using _manager = await server.manager("openbox");
  await using _ibus = new Client("ibus-daemon", ["--xim", "--panel", "disable"], env);
  await until(async () => (await server.run("xprop", "-root", "XIM_SERVERS")).includes("@server=ibus"));
  const file = `${bus.folder}/received.txt`;
  await Deno.writeTextFile(file, "");
  await using _editor = new Client("mousepad", ["--disable-server", file], env);
  await server.run("xdotool", "windowactivate", "--sync", await server.window("--name", "received.txt"));
  const desktop = openX11(server.display);
  try {
    for (const text of TEXTS) await desktop.keyboard.type(text, AbortSignal.timeout(BOUND_MS));
    for (const down of [true, false]) {
      for (const key of down ? ["ctrl", "s"] : ["s", "ctrl"]) await desktop.keyboard.key(key, down);
    }
    const received = await until(() => Deno.readTextFile(file), (text) => text.length > 0);
    assertEquals(received.trimEnd(), TEXTS.join(""));
  } finally {
    desktop.close();
  }
});
