import { assertEquals } from "@std/assert";
import type { InputAction } from "../../../control/desktop/desktop.ts";
import { HookDecoder, readKeyHook, readMouseHook, tickOf } from "../../../ffi/windows/watch_worker.ts";

const SCREEN = { x: -100, y: 0, width: 1380, height: 720 };
const LAYOUT = {
  unshifted: (vk: number) => vk === 0x41 ? "a" : undefined,
  typed: (vk: number, shift: boolean, altGr: boolean) =>
    vk === 0x41 ? ["a", "A", "@", "Ω"][Number(shift) + 2 * Number(altGr)] : undefined,
  keyFor: () => ({ vk: 0x41, modifiers: [] }),
};

/** Little-endian memory. */
function memory(...words: number[]) {
  const view = new DataView(Int32Array.from(words).buffer);
  return { getInt32: (offset: number) => view.getInt32(offset, true) };
}

/** Decodes mouse events: message, x, y, mouseData's high word, flags. */
function mouse(...events: [message: number, x: number, y: number, data?: number, flags?: number][]) {
  const decoder = new HookDecoder();
  return events.map(([message, x, y, data = 0, flags = 0]) => {
    const read = readMouseHook(memory(x, y, data << 16, flags, 1000));
    return decoder.decode({ message, data: read, at: 5 }, SCREEN, LAYOUT);
  });
}

/** Decodes key events: message, virtual key, scan code, flags. */
function keys(...events: [message: number, vk: number, scan?: number, flags?: number][]) {
  const decoder = new HookDecoder();
  return events.map(([message, vk, scan = 0, flags = 0]) => {
    const read = readKeyHook(memory(vk, scan, flags, 1000));
    return decoder.decode({ message, data: read, at: 5 }, SCREEN, LAYOUT)?.action;
  });
}

Deno.test("decodes mouse messages to actions", () => {
  const cases: [event: [number, number, number, number?], action: InputAction][] = [
    [[0x200, 3, 4], { type: "move", x: 3, y: 4 }],
    [[0x200, -100, 0], { type: "move", x: -100, y: 0 }],
    [[0x200, -105, 9999], { type: "move", x: -100, y: 719 }], // pushed beyond the edge
    [[0x201, 3, 4], { type: "button", button: "left", down: true, x: 3, y: 4 }],
    [[0x202, 3, 4], { type: "button", button: "left", down: false, x: 3, y: 4 }],
    [[0x204, 3, 4], { type: "button", button: "right", down: true, x: 3, y: 4 }],
    [[0x208, 3, 4], { type: "button", button: "middle", down: false, x: 3, y: 4 }],
    [[0x20b, 3, 4, 1], { type: "button", button: "back", down: true, x: 3, y: 4 }],
    [[0x20c, 3, 4, 2], { type: "button", button: "forward", down: false, x: 3, y: 4 }],
    [[0x20a, 3, 4, 120], { type: "scroll", direction: "up", amount: 1, x: 3, y: 4 }],
    [[0x20a, 3, 4, -360], { type: "scroll", direction: "down", amount: 3, x: 3, y: 4 }],
    [[0x20e, 3, 4, 120], { type: "scroll", direction: "right", amount: 1, x: 3, y: 4 }],
    [[0x20e, 3, 4, -120], { type: "scroll", direction: "left", amount: 1, x: 3, y: 4 }],
  ];
  for (const [event, action] of cases) assertEquals(mouse(event)[0]?.action, action);
});

Deno.test("a move to the pointer's own position is not an action", () => {
  const seen = mouse([0x200, 5, 5], [0x200, 5, 5], [0x201, 6, 5], [0x200, 6, 5], [0x200, 5, 5]);
  assertEquals(seen.map((observed) => observed?.action.type), [
    "move",
    undefined,
    "button",
    undefined,
    "move",
  ]);
});

Deno.test("a pointer that moved without an event is a move once it is sampled there twice", () => {
  const decoder = new HookDecoder();
  const look = (...looks: [x: number, at: number, seen?: number][]) => {
    for (const [x, at, seen] of looks) {
      const moved = decoder.sample({ x, y: 2 }, at);
      assertEquals(moved, seen && { action: { type: "move", x, y: 2 }, at: seen, injected: true });
    }
  };
  const event = (x: number, at: number) =>
    decoder.decode({ message: 0x200, data: readMouseHook(memory(x, 2, 0, 0, 1000)), at }, SCREEN, LAYOUT);
  look([1, 10], [1, 20]); // the initial position
  look([5, 30], [6, 40], [6, 50, 40], [6, 60]);
  assertEquals(event(9, 70)?.action, { type: "move", x: 9, y: 2 });
  look([6, 80], [6, 90]); // still the position before the event
  look([9, 100], [9, 110]); // the event's position
  look([6, 120], [6, 130, 120]);
  look([7, 140]);
  assertEquals(event(7, 145)?.action, { type: "move", x: 7, y: 2 });
  look([7, 150], [7, 160]);
});

Deno.test("marks programs' input as injected, but not a user's", () => {
  for (const [flags, injected] of [[0, false], [1, true], [2, true], [3, true]] as const) {
    assertEquals(mouse([0x200, 1, 1, 0, flags])[0]?.injected, injected);
  }
  const decoder = new HookDecoder();
  for (
    const [flags, injected] of [[0, false], [0x10, true], [0x12, true], [0x80, false], [0x01, false]] as const
  ) {
    const event = { message: 0x100, data: [0x41, 0x1e, flags, 0], at: 1 };
    assertEquals(decoder.decode(event, SCREEN, LAYOUT)?.injected, injected);
  }
});

Deno.test("small wheel steps add up to notches, and reversing starts from zero", () => {
  const amounts = mouse(
    [0x20a, 0, 0, 40],
    [0x20a, 0, 0, 40],
    [0x20a, 0, 0, 40],
    [0x20a, 0, 0, 100],
    [0x20a, 0, 0, -100],
    [0x20a, 0, 0, -30],
    [0x20e, 0, 0, 110], // the other wheel counts separately
  ).map((observed) => observed?.action);
  const at = { x: 0, y: 0 };
  assertEquals(amounts, [
    undefined,
    undefined,
    { type: "scroll", direction: "up", amount: 1, ...at },
    undefined,
    undefined,
    { type: "scroll", direction: "down", amount: 1, ...at },
    undefined,
  ]);
});

const key = (name: string, down: boolean, text?: string) => ({
  type: "key",
  key: name,
  down,
  ...(text ? { text } : {}),
});

Deno.test("decodes key messages to actions", () => {
  assertEquals(keys([0x100, 0x41], [0x101, 0x41]), [key("a", true), key("a", false)]);
  assertEquals(keys([0x104, 0xa4], [0x105, 0xa4]), [key("alt", true), key("alt", false)]);
  assertEquals(keys([0x100, 0x0d, 0x1c, 1], [0x100, 0x0d, 0x1c, 0]), [
    key("kpenter", true),
    key("enter", true),
  ]);
});

Deno.test("a press has the typed text if it differs from the key's name", () => {
  const pressed = (...held: [vk: number, flags?: number][]) =>
    keys(...held.map(([vk, flags]) => [0x100, vk, 0, flags] as [number, number, number, number?]), [
      0x100,
      0x41,
    ])
      .at(-1);
  assertEquals(pressed(), key("a", true));
  assertEquals(pressed([0xa0]), key("a", true)); // letters and their capitals are the same everywhere
  assertEquals(pressed([0xa5, 1]), key("a", true, "@"));
  assertEquals(pressed([0xa5, 1], [0xa1]), key("a", true, "Ω"));
  assertEquals(pressed([0xa2]), key("a", true)); // a command
  assertEquals(pressed([0xa4]), key("a", true));
});

Deno.test("held keys repeat, held modifiers do not", () => {
  assertEquals(keys([0x100, 0x41], [0x100, 0x41]), [key("a", true), key("a", true)]);
  assertEquals(
    keys([0x100, 0xa0], [0x100, 0xa0], [0x101, 0xa0], [0x100, 0xa0]),
    [key("shift", true), undefined, key("shift", false), key("shift", true)],
  );
});

Deno.test("the Ctrl that Windows adds to AltGr is not an action", () => {
  assertEquals(
    keys([0x100, 0xa2, 0x21d], [0x104, 0xa5, 0x38, 1], [0x100, 0xa2, 0x1d]),
    [undefined, key("rightalt", true), key("ctrl", true)],
  );
});

Deno.test("surrogate pairs become one character; lone surrogates are ignored", () => {
  const packet = 0xe7;
  assertEquals(keys([0x100, packet, 0xe9], [0x101, packet, 0xe9]), [key("é", true), key("é", false)]);
  assertEquals(
    keys([0x100, packet, 0xd83d], [0x101, packet, 0xd83d], [0x100, packet, 0xde00], [0x101, packet, 0xde00]),
    [undefined, undefined, key("😀", true), key("😀", false)],
  );
  assertEquals(
    keys([0x100, packet, 0xde00], [0x100, packet, 0xd83d], [0x100, packet, 0x41], [0x100, packet, 0xde00]),
    [undefined, undefined, key("A", true), undefined],
  );
  assertEquals(keys([0x100, packet, 0x20], [0x100, packet, 7]), [key("space", true), undefined]);
});

Deno.test("an event's tick is unsigned", () => {
  assertEquals(tickOf({ message: 0x200, data: readMouseHook(memory(1, 2, 0, 0, -1)), at: 0 }), 0xffffffff);
  assertEquals(tickOf({ message: 0x100, data: readKeyHook(memory(0x41, 0, 0, 77)), at: 0 }), 77);
});

Deno.test("any held modifier is pressed once", () => {
  for (const vk of [0x10, 0x11, 0x12, 0x5b, 0x5c, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5]) {
    const seen = keys([0x100, vk], [0x100, vk], [0x101, vk], [0x104, vk]);
    assertEquals(seen.map((action) => action !== undefined), [true, false, true, true], vk.toString(16));
  }
  for (const vk of [0x0f, 0x13, 0x5d, 0x9f, 0xa6, 0x41]) {
    assertEquals(keys([0x100, vk], [0x100, vk]).map((action) => action !== undefined), [true, true]);
  }
});

Deno.test("presses a modifier again whose release the hooks missed", () => {
  const seen = keys([0x100, 0x5b], [0x100, 0x41], [0x100, 0x5b], [0x100, 0x5b], [0x101, 0x5b]);
  assertEquals(seen, [
    key("super", true),
    key("a", true),
    key("super", true),
    undefined,
    key("super", false),
  ]);
});

Deno.test("a release has the name of its press", () => {
  const pad = 0x47;
  assertEquals(
    // Num Lock, or Shift with it, changes the meaning of the keypad's 7.
    keys([0x100, 0x67, pad], [0x100, 0x67, pad], [0x101, 0x24, pad], [0x100, 0x24, pad], [0x101, 0x67, pad]),
    [key("kp7", true), key("kp7", true), key("kp7", false), key("kphome", true), key("kphome", false)],
  );
  assertEquals(keys([0x100, 0x67, pad], [0x101, 0x24, pad, 1]), [key("kp7", true), key("home", false)]);
});

Deno.test("ignores codes that are not keys", () => {
  assertEquals(keys([0x100, 0], [0x100, 255], [0x100, 0xa2, 0x21d]), [undefined, undefined, undefined]);
});
