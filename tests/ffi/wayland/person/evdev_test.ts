/** A user's devices as the kernel's bytes: decoded, and watched on a real compositor; a user's moves. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { InputAction, ObservedAction, Point } from "../../../../control/desktop/desktop.ts";
import { DesktopUnavailableError } from "../../../../core/errors.ts";
import { openWayland } from "../../../../ffi/wayland/mod.ts";
import { clockOf, clockSkew, OwnActions } from "../../../../ffi/watch.ts";
import { PersonMoves, SeenMoves, watchWayland } from "../../../../ffi/wayland/person/watch.ts";
import { parseLayout } from "../../../../ffi/wayland/person/person_view.ts";
import { EvdevDecoder, PersonInput } from "../../../../ffi/wayland/person/watch_worker.ts";
import type { PointerTracker } from "../../../../ffi/wayland/way.ts";
import { need } from "../../../support/need.ts";
import { temporary, until } from "../../../support/shell.ts";
import { Sway } from "../../../support/sway.ts";

/** Types and codes from linux/input-event-codes.h. */
const SYN = [0, 0, 0], REL_X = [2, 0], REL_Y = [2, 1], WHEEL = [2, 8], HWHEEL = [2, 6];
const BTN_LEFT = [1, 0x110],
  BTN_TOUCH = [1, 0x14a],
  KEY_Y = [1, 21],
  SHIFT = [1, 42];

/** Events as a device reports them: type, code and value each. */
function bytesOf(...events: number[][]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(events.length * 24), view = new DataView(bytes.buffer);
  events.forEach(([type, code, value], i) => {
    view.setBigUint64(i * 24, 1_700_000_000n, true);
    view.setUint16(i * 24 + 16, type, true);
    view.setUint16(i * 24 + 18, code, true);
    view.setInt32(i * 24 + 20, value, true);
  });
  return bytes;
}

Deno.test("decodes the kernel's events, however the bytes are split", () => {
  const bytes = bytesOf(
    ...[[...REL_X, 5], [...REL_Y, -3], SYN, [...BTN_LEFT, 1], SYN, [...BTN_LEFT, 0], [...WHEEL, 2], [
      ...WHEEL,
      -1,
    ]],
    ...[[...HWHEEL, 1], [...HWHEEL, -1], [...BTN_TOUCH, 1], [...KEY_Y, 1], [...KEY_Y, 2], [...KEY_Y, 0]],
    ...[[0, 3, 0], [3, 0, 77], [4, 4, 0x70004], [2, 11, 120]],
  );
  const expected = [
    { type: "motion" },
    { type: "button", button: "left", down: true },
    { type: "button", button: "left", down: false },
    { type: "scroll", direction: "up", amount: 2 },
    { type: "scroll", direction: "down", amount: 1 },
    { type: "scroll", direction: "right", amount: 1 },
    { type: "scroll", direction: "left", amount: 1 },
    { type: "key", code: 21, down: true },
    { type: "key", code: 21, down: false },
    { type: "dropped" },
    { type: "motion" },
  ];
  assertEquals(new EvdevDecoder().decode(bytes), expected as unknown[]);
  for (const size of [1, 7, 24, 25, 100]) {
    const decoder = new EvdevDecoder(), events: unknown[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      events.push(...decoder.decode(bytes.subarray(at, at + size)));
    }
    // A motion that is split between its axes is two.
    const merged = events.filter((event, i) =>
      i === 0 || JSON.stringify(event) !== JSON.stringify(events[i - 1])
    );
    assertEquals(merged, expected as unknown[], `pieces of ${size}`);
  }
});

/** A part of a German map as written by libxkbcommon. */
const GERMAN = `xkb_keymap {
xkb_keycodes "(unnamed)" { <AE02> = 11; <AD06> = 29; <AC11> = 48; <LFSH> = 50; <LVL3> = 92; <RALT> = 108;
  alias <ALGR> = <RALT>; };
xkb_symbols "pc+de+inet(evdev)" {
	key <AE02>               {	[               2,        quotedbl,     twosuperior,       oneeighth ] };
	key <AD06>               {
		type= "ALPHABETIC",
		symbols[Group1]= [               z,               Z ],
		symbols[Group2]= [               y,               Y ]
	};
	key <AC11>               {	[      adiaeresis,      Adiaeresis, dead_circumflex,      dead_caron ] };
	key <LFSH>               {	[         Shift_L ] };
	key <ALGR>               {	[ ISO_Level3_Shift ] };
	modifier_map Shift { <LFSH> };
};
};`;

Deno.test("keys have the names and characters of the user's layout", () => {
  const layout = parseLayout(GERMAN)!;
  assertEquals([layout.get(21), layout.get(40)?.slice(0, 2), layout.get(100)], [["z", "Z"], ["ä", "Ä"], [
    "altgr",
  ]]);
  assertEquals(parseLayout('xkb_keymap{xkb_keycodes "deskhand"{<K2>=10;};};'), undefined);
  assertEquals(parseLayout("no map"), undefined);
  const input = new PersonInput(),
    key = (code: number, down: boolean): InputAction | undefined =>
      input.actionOf({ type: "key", code, down }, { x: 0, y: 0 });
  key(42, true);
  assertEquals(key(3, true), { type: "key", key: "2", down: true, text: "@" });
  key(3, false);
  key(42, false);
  assertEquals(key(21, true), { type: "key", key: "y", down: true });
  input.layout = layout;
  assertEquals(key(21, false), { type: "key", key: "y", down: false }, "as it was pressed");
  assertEquals([key(21, true), key(21, false)], [
    { type: "key", key: "z", down: true },
    { type: "key", key: "z", down: false },
  ]);
  assertEquals([key(42, true), key(3, true)], [
    { type: "key", key: "shift", down: true },
    { type: "key", key: "2", down: true, text: '"' },
  ]);
  assertEquals([key(3, true), key(3, false), key(3, false), key(42, false)], [
    undefined, // a repetition
    { type: "key", key: "2", down: false },
    undefined, // released already
    { type: "key", key: "shift", down: false },
  ]);
  key(100, true);
  assertEquals(key(3, true), { type: "key", key: "2", down: true, text: "²" });
});

/** A Worker watches. */
const options = { ...need("sway", "mkfifo"), sanitizeOps: false, sanitizeResources: false };

Deno.test({
  name: "watches a user's input on their devices, and deskhand's own next to it",
  ...options,
}, async () => {
  await using sway = await Sway.start();
  await temporary(async (folder) => {
    await new Deno.Command("mkfifo", { args: [`${folder}/event3`] }).output();
    // Opened for reading as well, so that the pipe stays open throughout.
    using device = await Deno.open(`${folder}/event3`, { read: true, write: true });
    const person = await openWayland(sway.socket), desktop = await openWayland(sway.socket);
    await person.pointer.move({ x: 10, y: 20 });
    const seen: ObservedAction[] = [], problems: string[] = [], own = new OwnActions();
    const watch = await watchWayland(
      own,
      {
        actions: (batch) => seen.push(...batch),
        problem: (kind, message) => problems.push(`${kind}: ${message}`),
      },
      desktop.pointer,
      sway.socket,
      folder,
    );
    const actions = (count: number) => until(() => seen, () => seen.length >= count);
    await person.pointer.move({ x: 300, y: 200 });
    await device.write(bytesOf([...REL_X, 290], [...REL_Y, 180], SYN));
    await actions(1);
    await device.write(bytesOf([...BTN_LEFT, 1], SYN));
    await actions(2);
    await person.pointer.move({ x: 400, y: 250 });
    await device.write(bytesOf([...REL_X, 100], SYN, [...BTN_LEFT, 0], SYN, [...WHEEL, -1], SYN));
    await actions(5);
    await device.write(bytesOf([...SHIFT, 1], [...KEY_Y, 1], [...KEY_Y, 0], [...SHIFT, 0], SYN));
    await actions(9);
    own.report({ type: "key", key: "f5", down: true });
    await watch.close();
    const at = { x: 300, y: 200 }, end = { x: 400, y: 250 };
    assertEquals(seen.map(({ action }) => action), [
      { type: "move", ...at },
      { type: "button", button: "left", down: true, ...at },
      { type: "move", ...end },
      { type: "button", button: "left", down: false, ...end },
      { type: "scroll", direction: "down", amount: 1, ...end },
      { type: "key", key: "shift", down: true },
      { type: "key", key: "y", down: true },
      { type: "key", key: "y", down: false },
      { type: "key", key: "shift", down: false },
      { type: "key", key: "f5", down: true },
    ]);
    assertEquals(seen.map(({ injected }) => injected), [...Array(9).fill(false), true]);
    // Another thread measures the person's times, whose clock may differ by 1 ms.
    assertEquals(seen.every(({ at }, i) => i === 0 || at >= seen[i - 1].at - 1), true);
    assertEquals(problems, []);
    person.close();
    desktop.close();
  });
});

Deno.test(
  {
    name: "without readable devices, watches deskhand's own actions and reports the gap",
    ...options,
  },
  async () => {
    await using sway = await Sway.start();
    await temporary(async (folder) => {
      const desktop = await openWayland(sway.socket);
      const problems: string[] = [],
        listener = { actions: () => {}, problem: (_: string, text: string) => problems.push(text) };
      const watch = await watchWayland(
        new OwnActions(),
        listener,
        desktop.pointer,
        sway.socket,
        folder,
      );
      assertMatch(problems.join(), /a person's is not: there are no input devices in/);
      await watch.close();
      const seen: ObservedAction[] = [];
      const own = await desktop.observer.watch({
        actions: (batch) => seen.push(...batch),
        problem: () => {},
      });
      await desktop.pointer.move({ x: 5, y: 6 });
      await desktop.pointer.button("left", true);
      await desktop.pointer.button("left", false);
      await desktop.pointer.scroll("up", 2);
      await desktop.keyboard.key("f5", true);
      await desktop.keyboard.key("f5", false);
      await desktop.keyboard.type("é\n");
      await own.close();
      await desktop.keyboard.key("a", true);
      const place = { x: 5, y: 6 };
      assertEquals(seen.map(({ action }) => action), [
        { type: "move", ...place },
        { type: "button", button: "left", down: true, ...place },
        { type: "button", button: "left", down: false, ...place },
        { type: "scroll", direction: "up", amount: 2, ...place },
        ...[true, false].map((down) => ({ type: "key" as const, key: "f5", down })),
        ...[true, false].map((down) => ({ type: "key" as const, key: "é", down })),
        ...[true, false].map((down) => ({ type: "key" as const, key: "enter", down })),
      ]);
      assertEquals(seen.every(({ injected }) => injected), true);
      desktop.close();
    });
  },
);

Deno.test(
  { name: "a watch that fails to begin follows the pointer no longer", ...need("mkfifo") },
  async () => {
    await temporary(async (folder) => {
      await new Deno.Command("mkfifo", { args: [`${folder}/event3`] }).output();
      const own = new OwnActions(), followed: AbortSignal[] = [];
      const tracker: PointerTracker = {
        expectedPlaces: () => [],
        async *places(signal) {
          followed.push(signal);
          yield at(1, 1);
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
        },
      };
      const pointer = { position: () => Promise.resolve(at(1, 1)), tracker: () => tracker };
      const listener = { actions: () => {}, problem: () => {} };
      await assertRejects(
        () => watchWayland(own, listener, pointer, `${folder}/no-compositor`, folder),
        DesktopUnavailableError,
        "cannot watch input",
      );
      assertEquals(followed.map(({ aborted }) => aborted), [true]);
    });
  },
);

Deno.test("a thread's clock is right even if the thread is paused while it reads the system's", () => {
  const { now } = Date, own = () => performance.timeOrigin + performance.now();
  let isPaused = false;
  Date.now = () => {
    for (const end = performance.now() + 100; isPaused && performance.now() < end;);
    isPaused = false;
    return now();
  };
  const afterPause = <T>(read: () => T) => (isPaused = true, read());
  try {
    const plain = clockSkew();
    for (const clock of [clockOf(afterPause(clockSkew)), afterPause(() => clockOf(plain))]) {
      const before = own(), time = clock(), after = own();
      assert(time >= before - 2 && time <= after + 2, `${time} between ${before} and ${after}`);
    }
  } finally {
    Date.now = now;
  }
});

// A user's moves on a desktop that shows only the pointer's position.

const at = (x: number, y: number): Point => ({ x, y });
const placesOf = (batch: ObservedAction[]) =>
  batch.map(({ action }) => "x" in action ? [action.x, action.y] : [action.type]);

Deno.test("a new position is a user's move; the first is where the pointer was", () => {
  const seen = new SeenMoves();
  for (const [time, x] of [[0, 10], [10, 20], [20, 20], [30, 30]]) seen.see(at(x, 5), time);
  assertEquals(seen.settled(Infinity), [
    { action: { type: "move", x: 20, y: 5 }, at: 10, injected: false },
    { action: { type: "move", x: 30, y: 5 }, at: 30, injected: false },
  ]);
});

Deno.test("an own move is not a user's, even if it is reported after it was seen", () => {
  const seen = new SeenMoves();
  seen.see(at(0, 0), 0);
  seen.own([at(500, 500), at(50, 60)], 1);
  seen.see(at(501, 499), 20); // as scaled displays report it
  seen.see(at(50, 60), 40);
  seen.see(at(90, 90), 60);
  assertEquals(seen.settled(120), []);
  seen.own([at(90, 90)], 121);
  assertEquals(seen.settled(Infinity), []);
});

Deno.test("an own move just before the first position is not a user's, whether or not it shows yet", () => {
  for (const first of [at(0, 0), at(10, 10)]) {
    const seen = new SeenMoves();
    seen.own([at(10, 10)], 0);
    seen.see(first, 1);
    seen.see(at(10, 10), 2);
    seen.see(at(30, 30), 3);
    seen.see(at(10, 10), 4);
    assertEquals(placesOf(seen.settled(Infinity)), [[30, 30], [10, 10]]);
  }
});

Deno.test("sees a user move back to deskhand's position", () => {
  const seen = new SeenMoves();
  seen.see(at(0, 0), 0);
  seen.own([at(10, 10)], 1);
  for (const [time, x] of [[20, 10], [40, 200], [60, 10]]) seen.see(at(x, x), time);
  assertEquals(placesOf(seen.settled(Infinity)), [[200, 200], [10, 10]]);
});

Deno.test("own moves between two frames are never seen, and hide no later move of a user", () => {
  const seen = new SeenMoves();
  seen.see(at(0, 0), 0);
  seen.own([at(100, 0), at(200, 0), at(300, 0)], 1);
  seen.see(at(300, 0), 20);
  seen.see(at(200, 0), 40);
  assertEquals(placesOf(seen.settled(Infinity)), [[200, 0]]);
});

Deno.test("device events keep their order among moves, and have the seen position", () => {
  const seen = new SeenMoves();
  const button = { type: "button", button: "left", x: 0, y: 0 } as const;
  seen.see(at(1, 1), 0);
  seen.see(at(30, 40), 10);
  seen.add({ action: { ...button, down: true }, at: 11, injected: false });
  seen.add({ action: { type: "move", x: 7, y: 7 }, at: 12, injected: false }); // seen already
  seen.see(at(50, 60), 20);
  seen.add({ action: { ...button, down: false }, at: 21, injected: false });
  seen.add({ action: { type: "key", key: "a", down: true }, at: 22, injected: false });
  assertEquals(placesOf(seen.settled(Infinity)), [[30, 40], [30, 40], [50, 60], [50, 60], ["key"]]);
});

Deno.test("reports the end of pointer tracking as a gap, and the next own action restarts it", async () => {
  const own = new OwnActions(), seen: ObservedAction[] = [], problems: string[] = [];
  let shown = 0;
  const moves = new PersonMoves(own, {
    actions: (batch) => seen.push(...batch),
    problem: (kind, message) => problems.push(`${kind}: ${message}`),
  }, () => ({
    async *places(signal) {
      yield at(++shown, 0);
      if (shown === 1) {
        yield at(7, 8); // the own move just before
        throw new DesktopUnavailableError("it has ended");
      }
      yield at(40, 50);
      await new Promise((resolve) => signal.onabort = resolve);
    },
    expectedPlaces: (point) => [point],
  }));
  own.report({ type: "move", x: 7, y: 8 });
  await moves.begin();
  await until(() => problems.length);
  assertEquals(problems, [
    "gap: a person's pointer moves are not recorded until the next action: it has ended",
  ]);
  own.report({ type: "move", x: 2, y: 0 });
  await until(() => seen.length);
  await moves.close();
  assertEquals(placesOf(seen), [[40, 50]]);
  assertEquals(shown, 2);
});

Deno.test("own actions are reported in the order in which they began, once they are done", async () => {
  const own = new OwnActions(), seen: string[] = [], first = Promise.withResolvers<void>();
  await own.watch({
    actions: (batch) => {
      for (const { action } of batch) if (action.type === "key") seen.push(action.key);
    },
    problem() {},
  });
  const key = (name: string, run: () => Promise<void>) =>
    own.reportOf(run, () => ({ type: "key", key: name, down: false }));
  const slow = key("b", () => first.promise);
  const failing = key("none", () => Promise.reject(new DesktopUnavailableError("gone")));
  const quick = key("shift", () => Promise.resolve());
  await assertRejects(() => failing, DesktopUnavailableError, "gone");
  assertEquals(seen, []);
  first.resolve();
  await Promise.all([slow, quick]);
  assertEquals(seen, ["b", "shift"]);
});
