import { assertEquals, assertMatch, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { canonicalKey, KEYS } from "../../../control/desktop/keys.ts";
import { InputError, NoDesktopError, StateError } from "../../../core/errors.ts";
import { bringToFront, isResponsive } from "../../../ffi/windows/windows.ts";
import { inspectWindows } from "../../../ffi/windows/doctor.ts";
import {
  absoluteUnit,
  encodeInputs,
  INPUT_BYTES,
  type InputSender,
  moveTo,
  packUnit,
  pressButton,
  pressKey,
  turnWheel,
} from "../../../ffi/windows/input.ts";
import {
  type LayoutLookup,
  nameOfKey,
  type TypedCharacter,
  typedCharacters,
  vkName,
  vkOfName,
} from "../../../ffi/windows/keyboard.ts";
import { openWindows } from "../../../ffi/windows/mod.ts";
import { noDesktopReason, outranks, refusalReason } from "../../../ffi/windows/session.ts";
import type { Libraries } from "../../../ffi/windows/symbols.ts";

/** The pixel to which Windows maps a unit. */
const pixelOf = (unit: number, origin: number, length: number) => origin + Math.floor(unit * length / 65536);

Deno.test("every pixel of every common screen has a unit that maps to it", () => {
  for (
    const length of [1, 2, 480, 600, 720, 768, 1080, 1280, 1366, 1440, 1920, 2560, 3440, 3840, 5760, 7680]
  ) {
    for (const origin of [0, -1920, 37]) {
      for (let pixel = origin; pixel < origin + length; pixel++) {
        const unit = absoluteUnit(pixel, origin, length);
        assertEquals(pixelOf(unit, origin, length), pixel, `${pixel} of ${length} from ${origin}`);
        assertEquals(unit >= 0 && unit <= 65535, true);
      }
    }
  }
});

const words = (bytes: Uint8Array) => Array.from(new Int32Array(bytes.slice().buffer));

Deno.test("lays out a mouse INPUT as Windows reads it", () => {
  // type, padding, dx, dy, mouseData, dwFlags, time, padding, dwExtraInfo
  const desk = 0x6465736b;
  const screen = { x: -1280, y: 0, width: 2560, height: 720 };
  const cases = [
    { input: moveTo({ x: -1280, y: 0 }, screen), expected: [0, 0, 0, 0, 0, 0xc001, 0, 0, desk, 0] },
    { input: moveTo({ x: 0, y: 360 }, screen), expected: [0, 0, 32768, 32768, 0, 0xc001, 0, 0, desk, 0] },
    { input: pressButton("left", true), expected: [0, 0, 0, 0, 0, 0x2, 0, 0, desk, 0] },
    { input: pressButton("left", false), expected: [0, 0, 0, 0, 0, 0x4, 0, 0, desk, 0] },
    { input: pressButton("right", true), expected: [0, 0, 0, 0, 0, 0x8, 0, 0, desk, 0] },
    { input: pressButton("middle", false), expected: [0, 0, 0, 0, 0, 0x40, 0, 0, desk, 0] },
    { input: pressButton("back", true), expected: [0, 0, 0, 0, 1, 0x80, 0, 0, desk, 0] },
    { input: pressButton("forward", false), expected: [0, 0, 0, 0, 2, 0x100, 0, 0, desk, 0] },
    { input: turnWheel("up"), expected: [0, 0, 0, 0, 120, 0x800, 0, 0, desk, 0] },
    { input: turnWheel("down"), expected: [0, 0, 0, 0, -120, 0x800, 0, 0, desk, 0] },
    { input: turnWheel("right"), expected: [0, 0, 0, 0, 120, 0x1000, 0, 0, desk, 0] },
    { input: turnWheel("left"), expected: [0, 0, 0, 0, -120, 0x1000, 0, 0, desk, 0] },
  ];
  for (const { input, expected } of cases) assertEquals(words(encodeInputs([input])), expected);
});

Deno.test("lays out a keyboard INPUT as Windows reads it", () => {
  // type, padding, wVk and wScan, dwFlags, time, padding, dwExtraInfo, rest of the union
  const desk = 0x6465736b;
  const cases = [
    { input: pressKey(0x41, 0x1e, false, true), expected: [1, 0, 0x1e0041, 0, 0, 0, desk, 0, 0, 0] },
    { input: pressKey(0xa3, 0x1d, true, false), expected: [1, 0, 0x1d00a3, 3, 0, 0, desk, 0, 0, 0] },
    { input: packUnit(0x6f22, true), expected: [1, 0, 0x6f220000, 4, 0, 0, desk, 0, 0, 0] },
    { input: packUnit(0x00e9, false), expected: [1, 0, 0x00e90000, 6, 0, 0, desk, 0, 0, 0] },
  ];
  for (const { input, expected } of cases) assertEquals(words(encodeInputs([input])), expected);
});

Deno.test("places inputs 40 bytes apart", () => {
  const inputs = [pressButton("left", true), packUnit(0x41, true), pressButton("left", false)];
  const bytes = encodeInputs(inputs);
  assertEquals(bytes.length, 3 * INPUT_BYTES);
  inputs.forEach((input, i) => {
    assertEquals(bytes.slice(i * 40, i * 40 + 40), encodeInputs([input]));
  });
});

// Bringing a window to the front when Windows does not allow it: Wine always does.

const FRONT = 1n, WINDOW = 2n;
const OWN_THREAD = 10;

/** Behavior of a fake Windows with two windows, each owned by the thread with its number. */
interface Behaviour {
  /** Threads that may choose the front window. */
  allows: "all" | "threads of the front window" | "none";
  /** Windows whose program does not respond. */
  hung?: bigint[];
  /** Why the front window's integrity level refuses input. */
  refusal?: string;
}

/** @returns The used parts of the fake Windows, and the recorded calls. */
function windowsOf({ allows, hung = [], refusal }: Behaviour) {
  let front = FRONT;
  const calls: string[] = [], shared = new Set<number>();
  const user32 = {
    IsWindow: () => 1,
    GetForegroundWindow: () => front,
    GetWindowThreadProcessId: (window: bigint) => Number(window),
    SetWindowPos: () => 1,
    SetForegroundWindow(window: bigint) {
      calls.push(`front ${window}`);
      if (allows === "all" || allows !== "none" && shared.has(Number(front))) front = window;
      return 1; // always
    },
    AttachThreadInput(own: number, other: number, attach: number) {
      calls.push(`${attach ? "attach" : "detach"} ${own} ${other}`);
      if (attach) shared.add(other);
      else shared.delete(other);
      return 1;
    },
    SendMessageTimeoutW: (window: bigint) => Promise.resolve(hung.includes(window) ? 0n : 1n),
  };
  const sender = { send: () => calls.push("input"), guard: { refusal: () => refusal } };
  return {
    bring: () =>
      bringToFront(
        { user32, kernel32: { GetCurrentThreadId: () => OWN_THREAD } } as unknown as Libraries,
        sender as unknown as InputSender,
        WINDOW,
      ),
    calls,
    front: () => front,
  };
}

Deno.test("a window comes to the front on the first request, after deskhand's own input", async () => {
  const { bring, calls, front } = windowsOf({ allows: "all" });
  await bring();
  assertEquals([front(), calls], [WINDOW, ["input", "front 2"]]);
});

Deno.test("shares the front program's input for a second request if only that program may choose", async () => {
  const { bring, calls, front } = windowsOf({ allows: "threads of the front window" });
  await bring();
  assertEquals(front(), WINDOW);
  assertEquals(calls, ["input", "front 2", "attach 10 1", "front 2", "detach 10 1"]);
});

Deno.test("says why Windows keeps a window in the background", async () => {
  const kept = windowsOf({ allows: "none" });
  await assertRejects(kept.bring, StateError, "Windows did not let the window come to the front");
  const elevated = windowsOf({ allows: "none", refusal: "its level is high" });
  await assertRejects(
    elevated.bring,
    StateError,
    "Windows did not let the window come to the front: the window in front keeps it, and its level is high",
  );
});

Deno.test("does not share input with a program that does not respond", async () => {
  for (
    const [hung, error] of [
      [FRONT, "Windows did not let the window come to the front"],
      [WINDOW, "cannot bring the window to the front: its program is not responding"],
    ] as const
  ) {
    const { bring, calls } = windowsOf({ allows: "threads of the front window", hung: [hung] });
    await assertRejects(bring, StateError, error);
    assertEquals(calls, ["input", "front 2"]);
  }
});

Deno.test("a program that hung answers once it reads messages again; a closed window's does not", async () => {
  const asked = async (answers: bigint[], isWindow: number) => {
    const user32 = {
      SendMessageTimeoutW: () => Promise.resolve(answers.shift() ?? 0n),
      IsWindow: () => isWindow,
    };
    return await isResponsive(user32 as unknown as Libraries["user32"], WINDOW, isWindow ? 60_000 : 1e9);
  };
  assertEquals(await asked([0n, 0n, 1n], 1), true); // Windows refuses at once while it regards the program as hung
  assertEquals(await asked([], 0), false);
});

const PERSON = { id: 1, station: "WinSta0", interactive: true, desktop: "Default", inputDesktop: "Default" };
const SERVICE = {
  id: 0,
  station: "Service-0x0-3e7$",
  interactive: false,
  desktop: "Default",
  inputDesktop: undefined,
};

Deno.test("explains a process without a screen, and what to do", () => {
  assertEquals(noDesktopReason(PERSON), undefined);
  assertMatch(noDesktopReason(SERVICE)!, /session 0, that of services .* SSH.*logged on.*--desktop virtual/);
  assertMatch(noDesktopReason({ ...SERVICE, id: 3 })!, /window station Service-0x0-3e7\$ has no screen/);
});

Deno.test("names the cause of refused input", () => {
  const cases: [session: typeof PERSON | typeof SERVICE, elevated: boolean, cause: string][] = [
    [{ ...PERSON, inputDesktop: undefined }, false, "the screen is locked"],
    [{ ...PERSON, inputDesktop: "Winlogon" }, true, "the screen is locked"],
    [{ ...PERSON, inputDesktop: "Screen-saver" }, false, "the screen saver is on"],
    [{ ...PERSON, inputDesktop: "Work" }, false, "the desktop Work is shown, and deskhand runs on Default"],
    [PERSON, true, "the window in front runs as administrator. Start deskhand as administrator"],
    [PERSON, false, "another program blocks input"],
    [SERVICE, false, "session 0"],
  ];
  for (const [session, elevated, cause] of cases) {
    const reason = refusalReason("input", session, elevated);
    assertStringIncludes(reason, "Windows refuses input: ");
    assertStringIncludes(reason, cause);
  }
});

Deno.test("only a level known to be higher counts as higher", () => {
  assertEquals(outranks(0x3000, 0x2000), true);
  assertEquals(outranks(0x2000, 0x2000), false);
  assertEquals(outranks(0x2000, 0x3000), false);
  assertEquals(outranks(undefined, 0x2000), false);
  assertEquals(outranks(0x3000, undefined), false);
});

Deno.test({
  name: "on other systems there is no Windows desktop, and doctor does not throw",
  ignore: Deno.build.os === "windows",
  fn() {
    assertThrows(() => openWindows(), NoDesktopError, `this is ${Deno.build.os}`);
    assertEquals(inspectWindows(), [{ name: "Windows", ok: false, detail: `this is ${Deno.build.os}` }]);
  },
});

const ENTER = { vk: 0x0d };
const TAB = { vk: 0x09 };

Deno.test("types text character by character, with Enter and the like as keys", () => {
  const cases: [text: string, expected: TypedCharacter[]][] = [
    ["", []],
    ["aé", [{ units: [0x61] }, { units: [0xe9] }]],
    ["€漢", [{ units: [0x20ac] }, { units: [0x6f22] }]],
    ["😀", [{ units: [0xd83d, 0xde00] }]],
    ["\n\t", [ENTER, TAB]],
    ["\r\n\r\n", [ENTER, ENTER]],
    ["\r", [ENTER]],
    ["\b\x1b", [{ vk: 0x08 }, { vk: 0x1b }]],
    ["e\u0301", [{ units: [0x65] }, { units: [0x301] }]],
    ["👩\u200d👧", [{ units: [0xd83d, 0xdc69] }, { units: [0x200d] }, { units: [0xd83d, 0xdc67] }]],
  ];
  for (const [text, expected] of cases) assertEquals(typedCharacters(text), expected, JSON.stringify(text));
});

Deno.test("refuses a code point that is not a character by its number", () => {
  for (
    const [text, name] of [
      ["a\0", "U+0000"],
      ["x\ud83d", "U+D83D"],
      ["\x7f", "U+007F"],
      ["\u0378", "U+0378"],
      ["\uffff", "U+FFFF"],
    ]
  ) {
    assertThrows(() => typedCharacters(text), InputError, name);
  }
});

/** A keyboard on which 0x41 types a, 0xbf types /, 0xdd is a dead key, and 0xe2 types the same as 0x41. */
const LAYOUT: LayoutLookup = {
  unshifted: (vk) => ({ 0x41: "a", 0xbf: "/", 0xe2: "a", 0x92: "\x1b" })[vk],
  typed: () => undefined,
  keyFor: (character) => {
    const vk = ({ a: 0x41, "/": 0xbf } as Record<string, number>)[character];
    return vk === undefined ? undefined : { vk, modifiers: [] };
  },
};

Deno.test("a key's name presses that key", () => {
  const cases: [vk: number, extended: boolean, name: string][] = [
    [0x41, false, "a"],
    [0xbf, false, "/"],
    [0x0d, false, "enter"],
    [0x0d, true, "kpenter"],
    [0x24, true, "home"],
    [0x24, false, "kphome"],
    [0x20, false, "space"],
    [0xa1, false, "rightshift"], // hooks do not always mark it as extended
    [0xa5, true, "rightalt"],
    [0x10, false, "shift"],
    [0x11, false, "ctrl"],
    [0x12, false, "alt"],
    [0x70, false, "f1"],
    [0xdd, false, "vk:0xdd"], // a dead key
    [0xe2, false, "vk:0xe2"], // another key types that character
    [0x92, false, "vk:0x92"], // a control character is not a name
    [0x07, false, "vk:0x07"],
  ];
  for (const [vk, extended, name] of cases) {
    assertEquals(nameOfKey(vk, extended, LAYOUT), name);
    assertEquals(canonicalKey(name), name);
  }
});

Deno.test("every named key on Windows maps back to itself or another name of the same key", () => {
  for (const key of KEYS.filter(({ vk }) => vk !== 0)) {
    const name = nameOfKey(key.vk, key.extended, LAYOUT);
    const named = KEYS.find((other) => other.name === name)!;
    assertEquals([named.vk, named.extended], [key.vk, key.extended], key.name);
  }
});

Deno.test("parses names made of codes, and no others", () => {
  for (let vk = 1; vk <= 254; vk++) assertEquals(vkOfName(vkName(vk)), vk);
  for (const name of ["vk:0x00", "vk:0xff", "vk:0x1", "vk:0x100", "vk:65", "a", "keysym:0x41", ""]) {
    assertEquals(vkOfName(name), undefined, name);
  }
  assertEquals(canonicalKey("VK:0xE2"), "vk:0xe2");
  assertEquals(canonicalKey("vk:0x1"), undefined);
});
