/** The effects of input, on every desktop of the table. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { delay } from "@std/async/delay";
import type { Button, Desktop, Direction } from "../../control/desktop/desktop.ts";
import { Operator } from "../../control/operator/operator.ts";
import { newRecording, type RecordedEvent } from "../../control/recording/format.ts";
import { Recorder } from "../../control/recording/recorder.ts";
import { planRound } from "../../control/recording/playback.ts";
import { StoredRecording } from "../../control/recording/stored.ts";
import { InputError } from "../../core/errors.ts";
import { DESKTOPS, type TestDesktop, type Witness } from "../support/desktops.ts";
import { HELD_KEYS } from "../support/held_keys.ts";
import { TYPED_TEXTS } from "../support/program.ts";
import { until } from "../support/shell.ts";

const BUTTONS: Button[] = ["left", "middle", "right", "back", "forward"];
const DIRECTIONS: Direction[] = ["up", "down", "left", "right"];
/** Keys and the symbols pressed for them. */
const KEYS: string[][] = [
  ["f5", "F5"],
  ["enter", "Return"],
  ["pageup", "Prior"],
  ["a", "a"],
  ["A", "Shift_L", "A"],
  ["?", "Shift_L", "question"],
  ["kp5", "KP_5"],
  ["volumeup", "XF86AudioRaiseVolume"],
  ["é", "eacute"],
  ["漢", "U6F22"],
];

/** Waits for a witness's further events and compares them. */
function receiver(witness: Witness) {
  let seen = 0;
  return async (expected: string[]) => {
    const events = await until(
      () => witness.events().slice(seen),
      (events) => events.length >= expected.length,
      (events) => `it received ${events.join(", ")}, not ${expected.join(", ")}`,
    );
    assertEquals(events, expected);
    seen += expected.length;
  };
}

async function pressKey(desktop: Desktop, ...keys: string[]): Promise<void> {
  for (const key of keys) await desktop.keyboard.key(key, true);
  for (const key of keys.toReversed()) await desktop.keyboard.key(key, false);
}

const options = { sanitizeOps: false, sanitizeResources: false }; // replays end after their tests

for (const { name, needs, start } of DESKTOPS) {
  Deno.test(
    { name: `${name}: a program receives all input and its replays`, ...needs, ...options },
    async (t) => {
      await using system = await start();
      const desktop = await system.open();
      await using witness = await system.witness();
      const receives = receiver(witness);
      await t.step("every button, and each notch of the wheel", () => buttonsAndWheel(desktop, receives));
      await t.step("keys of every kind", async () => {
        for (const [key, ...symbols] of KEYS) {
          await pressKey(desktop, key);
          const up = symbols.toReversed().map((symbol) => `released ${symbol}`);
          await receives([...symbols.map((symbol) => `pressed ${symbol}`), ...up]);
        }
      });
      await t.step("a combination with its modifiers", async () => {
        await pressKey(desktop, "ctrl", "shift", "t");
        await receives([
          ...["pressed Control_L", "pressed Shift_L", "pressed T"],
          ...["released T", "released Shift_L", "released Control_L"],
        ]);
      });
      await t.step("a drag", async () => {
        await desktop.pointer.move({ x: 100, y: 100 });
        await desktop.pointer.button("left", true);
        await desktop.pointer.move({ x: 500, y: 400 });
        await delay(150); // on some desktops longer than a position counts as known while no button is held
        assertEquals(await desktop.pointer.position(), { x: 500, y: 400 });
        await desktop.pointer.button("left", false);
        await receives(["left pressed 100,100", "left released 500,400"]);
      });
      await t.step("a press after querying the position, without a move in between", async () => {
        await desktop.pointer.move({ x: 120, y: 130 });
        await delay(150); // on some desktops longer than a position counts as known, so that they query it
        assertEquals(await desktop.pointer.position(), { x: 120, y: 130 });
        for (const down of [true, false]) await desktop.pointer.button("left", down);
        await receives(["left pressed 120,130", "left released 120,130"]);
      });
      await t.step("refuses a key of another system", async () => {
        await assertRejects(async () => await desktop.keyboard.key("vk:0x97", true), InputError, "vk:0x97");
      });
      await replays(t, desktop, receives);
      desktop.close();
    },
  );

  Deno.test(
    { name: `${name}: a key stays down until the last key that needs it is released`, ...needs },
    async () => {
      await using system = await start();
      const first = await system.open(); // otherwise the desktop may have no keyboard
      await using witness = await system.witness();
      for (const [name, steps, expected] of HELD_KEYS) {
        const desktop = await system.open();
        for (const step of steps) await desktop.keyboard.key(step.slice(1), step[0] === "+");
        const isDown = (codes: number[]) => codes.sort().join() === [...expected].sort().join();
        await until(() => witness.codesDown(), isDown, (codes) => `${name}: ${codes} are down`);
        for (const key of ["?", "!", "a", "A", "shift"]) await desktop.keyboard.key(key, false);
        desktop.close();
        await until(() => witness.codesDown(), (codes) => codes.length === 0);
      }
      first.close();
    },
  );

  Deno.test({ name: `${name}: text arrives unchanged`, ...needs }, (t) => typing(t, start));
}

async function buttonsAndWheel(desktop: Desktop, receives: (expected: string[]) => Promise<void>) {
  await desktop.pointer.move({ x: 300, y: 200 });
  for (const button of BUTTONS) {
    for (const down of [true, false]) await desktop.pointer.button(button, down);
    await receives([`${button} pressed 300,200`, `${button} released 300,200`]);
  }
  for (const direction of DIRECTIONS) {
    await desktop.pointer.scroll(direction, 2);
    await receives([direction, direction]);
  }
}

async function replays(
  t: Deno.TestContext,
  desktop: Desktop,
  receives: (expected: string[]) => Promise<void>,
): Promise<void> {
  const operator = new Operator(desktop), recorder = new Recorder(operator), screen = desktop.screen.layout();
  const planOf = (events: RecordedEvent[]) =>
    planRound(StoredRecording.of({ ...newRecording(screen, new Date()), events }), {}, screen);
  await t.step("a replayed drag, wheel and combination", async () => {
    const done = [
      ...["left pressed 100,50", "left released 400,300", "down"],
      ...["pressed Control_L", "pressed s", "released s", "released Control_L"],
    ];
    await recorder.start();
    await operator.press(["button", "left"], { x: 100, y: 50 });
    await until(() => recorder.status().events >= 2); // X11 reports a button without its position, which is queried
    await operator.release(["button", "left"], { x: 400, y: 300 });
    await operator.scroll("down", 1);
    for (const key of ["ctrl", "s"]) await operator.press(["key", key]);
    for (const key of ["s", "ctrl"]) await operator.release(["key", key]);
    await recorder.stop();
    await receives(done);
    await operator.move({ x: 5, y: 5 });
    assertEquals((await recorder.play()).stopped, false);
    await receives(done);
  });
  await t.step("a stopped replay releases what it pressed", async () => {
    const long = desktop.playback.start(
      planOf([
        { t: 0, type: "button", button: "right", down: true, x: 7, y: 8 },
        { t: 1, type: "key", key: "shift", down: true },
        { t: 600_000, type: "move", x: 9, y: 9 },
      ]),
      1,
    );
    await receives(["right pressed 7,8", "pressed Shift_L"]);
    long.abort();
    await receives(["released Shift_L", "right released 7,8"]);
    assertEquals((await long.done).stopped, true);
  });
  await t.step("a replay of a thousand moves, and their lateness", async () => {
    const moves = Array.from({ length: 1000 }, (_, t) => ({ t, type: "move", x: t, y: 100 } as const));
    const { performed, medianLatenessMs, maxLatenessMs } = await desktop.playback.start(planOf(moves), 1)
      .done;
    assertEquals(performed, 1000);
    assert(maxLatenessMs >= medianLatenessMs);
    assertEquals(await desktop.pointer.position(), { x: 999, y: 100 });
  });
  await t.step("a failed replay says why, and leaves no connection open", async () => {
    const wrong = planOf([{ t: 0, type: "key", key: "\uffff", down: true }]);
    const openFiles = () => [...Deno.readDirSync("/proc/self/fd")].length, before = openFiles();
    for (let i = 0; i < 4; i++) {
      await assertRejects(() => desktop.playback.start(wrong, 1).done, InputError, "no key");
    }
    await until(openFiles, (now) => now <= before + 2, (now) => `${now} files are open, before ${before}`);
  });
}

async function typing(t: Deno.TestContext, start: () => Promise<TestDesktop>): Promise<void> {
  await using system = await start();
  await using terminal = await system.terminal();
  const desktop = await system.open();
  let all = "";
  const receives = async (text: string) => {
    all += text;
    // Compares the whole text: its last character may be half written.
    await until(() => terminal.received(), (received) => received === all);
  };
  const type = async (text: string) => {
    await desktop.keyboard.type(text);
    await receives(text);
  };
  for (const [name, text] of TYPED_TEXTS) await t.step(name, () => type(text));
  await t.step("with modifiers held, which stay held", async () => {
    for (const held of ["shift", "ctrl", "alt"]) {
      await desktop.keyboard.key(held, true);
      await type("aB é1!");
      await desktop.keyboard.key(held, false);
    }
    await desktop.keyboard.key("shift", true);
    await type("plain");
    await pressKey(desktop, "a");
    await receives("A");
    await desktop.keyboard.key("shift", false);
  });
  await t.step("with Caps Lock on, which stays on", async () => {
    await pressKey(desktop, "capslock");
    await type("aB é");
    await pressKey(desktop, "a");
    await receives("A");
    await pressKey(desktop, "capslock");
    await pressKey(desktop, "a");
    await receives("a");
  });
  await t.step("refused as a whole for a character that cannot be typed", async () => {
    for (
      const [text, message] of [["ok \u0000", "U+0000"], ["ok \ud800", "U+D800"], [
        "ok \u{1b}\u0007",
        "U+0007",
      ]]
    ) {
      await assertRejects(() => desktop.keyboard.type(text), InputError, message);
    }
    await type("done");
  });
  desktop.close();
}
