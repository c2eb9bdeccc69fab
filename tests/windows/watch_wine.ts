/** Programs' and devices' input, as the hooks report it. */

import { assertEquals } from "@std/assert";
import { delay } from "@std/async/delay";
import { fromFileUrl } from "@std/path";
import type { InputAction, ObservedAction, WatchListener } from "../../control/desktop/desktop.ts";
import { openLibraries } from "../../ffi/windows/symbols.ts";
import { openWindows, watchWindows } from "../../ffi/windows/mod.ts";
import { until } from "../support/shell.ts";
import { openReference, WitnessWindow } from "./witness.ts";

/** Collects a watch's reports. */
class Notes implements WatchListener {
  observed: ObservedAction[] = [];
  problems: string[] = [];

  actions(batch: ObservedAction[]): void {
    this.observed.push(...batch);
  }

  problem(kind: "ended" | "gap", message: string): void {
    this.problems.push(`${kind}: ${message}`);
  }

  async atLeast(count: number): Promise<InputAction[]> {
    await until(() => this.observed.length >= count);
    return this.observed.map(({ action }) => action);
  }
}

Deno.test("a watch reports deskhand's own actions in order, with positions, as injected", async () => {
  await using _witness = await WitnessWindow.open();
  const desktop = openWindows();
  const notes = new Notes();
  const watch = await desktop.observer.watch(notes);
  try {
    await desktop.pointer.move({ x: 200, y: 150 });
    await desktop.pointer.button("forward", true);
    await desktop.pointer.button("forward", false);
    await desktop.pointer.scroll("down", 2);
    await desktop.pointer.scroll("right", 1);
    await desktop.keyboard.key("ctrl", true);
    await desktop.keyboard.key("c", true);
    await desktop.keyboard.key("c", false);
    await desktop.keyboard.key("ctrl", false);
    await desktop.keyboard.type("é😀\n");
    const at = { x: 200, y: 150 };
    const key = (name: string): InputAction[] =>
      [true, false].map((down) => ({ type: "key", key: name, down }));
    const expected: InputAction[] = [
      { type: "move", ...at },
      { type: "button", button: "forward", down: true, ...at },
      { type: "button", button: "forward", down: false, ...at },
      { type: "scroll", direction: "down", amount: 1, ...at },
      { type: "scroll", direction: "down", amount: 1, ...at },
      { type: "scroll", direction: "right", amount: 1, ...at },
      { type: "key", key: "ctrl", down: true },
      ...key("c"),
      { type: "key", key: "ctrl", down: false },
      ...key("é"),
      ...key("😀"),
      ...key("enter"),
    ];
    assertEquals(await notes.atLeast(expected.length), expected);
    assertEquals(notes.observed.every(({ injected }) => injected), true);
    const times = notes.observed.map(({ at }) => at);
    assertEquals(times, times.toSorted((a, b) => a - b));
    assertEquals(Math.abs(times.at(-1)! - (performance.timeOrigin + performance.now())) < 20_000, true);
  } finally {
    await watch.close();
    desktop.close();
  }
  assertEquals(notes.problems, []);
});

Deno.test("a press has the typed text if it differs from the key's name", async () => {
  await using _witness = await WitnessWindow.open();
  const desktop = openWindows();
  const notes = new Notes();
  const watch = await desktop.observer.watch(notes);
  try {
    for (const name of ["shift", "1"]) await desktop.keyboard.key(name, true);
    for (const name of ["1", "shift"]) await desktop.keyboard.key(name, false);
    assertEquals(await notes.atLeast(4), [
      { type: "key", key: "shift", down: true },
      { type: "key", key: "1", down: true, text: "!" },
      { type: "key", key: "1", down: false },
      { type: "key", key: "shift", down: false },
    ]);
  } finally {
    await watch.close();
    desktop.close();
  }
});

Deno.test("sees a pointer that a program moves without an event, until the watch is closed", async () => {
  const user32 = Deno.dlopen("user32.dll", { SetCursorPos: { parameters: ["i32", "i32"], result: "i32" } });
  const desktop = openWindows();
  const notes = new Notes();
  const place = async (x: number, y: number) => {
    user32.symbols.SetCursorPos(x, y);
    await until(async () => (await desktop.pointer.position()).x === x);
  };
  await place(50, 60);
  const watch = await desktop.observer.watch(notes);
  try {
    await place(300, 200);
    assertEquals(await notes.atLeast(1), [{ type: "move", x: 300, y: 200 }]);
    await desktop.keyboard.key("a", true);
    await desktop.keyboard.key("a", false);
    await notes.atLeast(3);
    await delay(300); // sampling the pointer waits for an event to settle
    await place(70, 80);
  } finally {
    await watch.close();
    desktop.close();
    user32.close();
  }
  const actions = notes.observed.map(({ action }) => action);
  assertEquals(actions.filter(({ type }) => type === "move"), [
    { type: "move", x: 300, y: 200 },
    { type: "move", x: 70, y: 80 },
  ]);
  assertEquals(notes.observed.every(({ injected }) => injected), true);
});

Deno.test("actions have the watching thread's times, even if the system clock has been set since", async () => {
  const origin = performance.timeOrigin;
  const desktop = openWindows();
  const notes = new Notes();
  // As if the clock had been set back by an hour.
  Object.defineProperty(performance, "timeOrigin", { value: origin + 3_600_000, configurable: true });
  const now = () => performance.timeOrigin + performance.now();
  try {
    const before = now();
    const watch = await desktop.observer.watch(notes);
    await desktop.pointer.move({ x: 222, y: 111 });
    await desktop.pointer.move({ x: 223, y: 111 });
    await notes.atLeast(1);
    await watch.close();
    const [{ at }] = notes.observed;
    assertEquals([at >= before - 1, at <= now() + 1], [true, true], `${at - before} ms after it began`);
  } finally {
    Object.defineProperty(performance, "timeOrigin", { value: origin, configurable: true });
    desktop.close();
  }
});

Deno.test("a closed watch reports nothing more, and can be closed again", async () => {
  const desktop = openWindows();
  const notes = new Notes();
  try {
    const watch = await desktop.observer.watch(notes);
    await desktop.pointer.move({ x: 1, y: 1 });
    await watch.close();
    assertEquals(notes.observed.length, 1, "the watch reports what came before its end");
    await watch.close();
    const others = new Notes();
    const other = await desktop.observer.watch(others);
    await desktop.pointer.move({ x: 50, y: 50 });
    await others.atLeast(1);
    await other.close();
    assertEquals(notes.observed.length, 1);
  } finally {
    desktop.close();
  }
});

Deno.test("a watch reports a thousand moves and clicks, and does not block its thread", async () => {
  const desktop = openWindows();
  const notes = new Notes();
  const watch = await desktop.observer.watch(notes);
  try {
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    for (let i = 0; i < 1000; i++) {
      await desktop.pointer.move({ x: 100 + i % 500, y: 100 + i % 300 });
      if (i % 10 === 0) {
        await desktop.pointer.button("middle", true);
        await desktop.pointer.button("middle", false);
        await delay(0);
      }
    }
    const seen = await notes.atLeast(1200);
    clearInterval(timer);
    // On a busy machine the pointer may be sampled between a move and its event, which adds a move.
    let next = 0;
    for (const action of seen) {
      const isNext = action.type === "move" && action.x === 100 + next % 500 && action.y === 100 + next % 300;
      if (isNext) next++;
    }
    assertEquals(next, 1000);
    assertEquals(seen.filter(({ type }) => type === "button").length, 200);
    assertEquals(ticks > 0, true);
  } finally {
    await watch.close();
    desktop.close();
  }
  assertEquals(notes.problems, []);
});

Deno.test("does not mark a user's input as injected", async () => {
  await using witness = await WitnessWindow.open();
  const desktop = openWindows();
  const notes = new Notes();
  await desktop.pointer.move({ x: 30, y: 30 });
  await witness.take(1, "WM_MOUSEMOVE");
  const watch = await desktop.observer.watch(notes);
  try {
    // The X server's input reaches Wine as device input.
    await xdotool("mousemove", "120", "80", "click", "3", "click", "5", "key", "q");
    await until(
      () => notes.observed.some(({ action }) => action.type === "key" && !action.down),
    );
    const person = notes.observed.filter(({ injected }) => !injected).map(({ action }) => action);
    assertEquals(person.filter(({ type }) => type !== "move"), [
      { type: "button", button: "right", down: true, x: 120, y: 80 },
      { type: "button", button: "right", down: false, x: 120, y: 80 },
      { type: "scroll", direction: "down", amount: 1, x: 120, y: 80 },
      { type: "key", key: "q", down: true },
      { type: "key", key: "q", down: false },
    ]);
    assertEquals(
      person.some((action) => action.type === "move" && action.x === 120 && action.y === 80),
      true,
    );
    await desktop.pointer.button("right", true);
    await desktop.pointer.button("right", false);
    await until(() => notes.observed.at(-1)!.injected);
  } finally {
    await watch.close();
    desktop.close();
  }
});

/**
 * Moves and presses through the X server that Wine runs on, with a Linux program: Wine starts it without
 * waiting, so the caller waits for the effect.
 */
async function xdotool(...args: string[]): Promise<void> {
  await new Deno.Command("cmd", { args: ["/c", "start", "/unix", "/usr/bin/xdotool", ...args] }).output();
}

Deno.test("notices hooks that Windows removed, reports a gap and reinstalls them", async () => {
  const libraries = openLibraries();
  using reference = openReference();
  const notes = new Notes();
  const desktop = openWindows();
  const watch = await watchWindows(libraries, notes, 100);
  const buttons = () => notes.observed.filter(({ action }) => action.type === "button").length;
  try {
    await desktop.pointer.move({ x: 300, y: 300 });
    await notes.atLeast(1);
    await delay(1500); // an event may be in flight for a second: earlier checks find nothing
    assertEquals(notes.problems, [], "nothing was missed yet");
    for (const hook of watch.ready.hooks) assertEquals(reference.unhook(hook), true);
    await desktop.pointer.button("forward", true);
    await desktop.pointer.button("forward", false);
    await until(() => notes.problems.length === 1);
    assertEquals(buttons(), 0);
    await until(async () => {
      await desktop.pointer.button("forward", true);
      await desktop.pointer.button("forward", false);
      return buttons() > 0;
    });
    assertEquals(notes.problems.length, 1);
    assertEquals(
      notes.problems[0].startsWith(
        "gap: Windows counted input in the last seconds that deskhand did not see",
      ),
      true,
    );
  } finally {
    await watch.close();
    desktop.close();
  }
});

Deno.test("a program exits immediately while it watches, with and without closing", async () => {
  const module = new URL("../../ffi/windows/mod.ts", import.meta.url).href;
  for (const ending of ["Deno.exit(7)", "desktop.close(); Deno.exitCode = 7"]) {
    const source = `import { openWindows } from ${JSON.stringify(module)};
      const desktop = openWindows();
      await desktop.observer.watch({ actions() {}, problem() {} });
      ${ending};`;
    const config = fromFileUrl(new URL("../../deno.json", import.meta.url));
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--cached-only", `--config=${config}`, "-"],
      stdin: "piped",
      stderr: "piped",
    }).spawn();
    const input = child.stdin.getWriter();
    await input.write(new TextEncoder().encode(source));
    await input.close();
    const { code, stderr } = await child.output();
    assertEquals([code, new TextDecoder().decode(stderr)], [7, ""], ending);
  }
});
