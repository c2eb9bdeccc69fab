/** Keys and text as a real window receives them. */

import { assertEquals, assertRejects } from "@std/assert";
import { DesktopUnavailableError, InputError } from "../../core/errors.ts";
import { WindowsKeyboard } from "../../ffi/windows/keyboard.ts";
import { type Libraries, openLibraries } from "../../ffi/windows/symbols.ts";
import { openWindows } from "../../ffi/windows/mod.ts";
import { openDesktop } from "./desktop.ts";
import { InputSender } from "../../ffi/windows/input.ts";
import { openReference, WitnessWindow } from "./witness.ts";

const VK_LSHIFT = 0xa0;
const VK_LCONTROL = 0xa2;
const VK_CAPITAL = 0x14;

Deno.test("keys arrive with their virtual key, scan code and side", async () => {
  await using witness = await WitnessWindow.open();
  using desktop = openDesktop();
  const cases: [key: string, code: number, scan: number, extended: boolean][] = [
    ["a", 0x41, 0x1e, false],
    ["5", 0x35, 0x06, false],
    ["enter", 0x0d, 0x1c, false],
    ["kpenter", 0x0d, 0x1c, true],
    ["home", 0x24, 0x47, true],
    ["kphome", 0x24, 0x47, false],
    ["left", 0x25, 0x4b, true],
    ["delete", 0x2e, 0x53, true],
    ["f5", 0x74, 0x3f, false],
    ["f12", 0x7b, 0x58, false],
    ["kp7", 0x67, 0x47, false],
    ["escape", 0x1b, 0x01, false],
    ["backspace", 0x08, 0x0e, false],
    ["shift", 0x10, 0x2a, false],
    ["rightshift", 0x10, 0x36, false], // sent as extended, which the message does not show
    ["ctrl", 0x11, 0x1d, false],
    ["rightctrl", 0x11, 0x1d, true],
    ["vk:0xba", 0xba, 0x27, false],
  ];
  for (const [key, code, scan, extended] of cases) {
    await desktop.keyboard.key(key, true);
    await desktop.keyboard.key(key, false);
    const seen = await witness.take(2, "WM_KEYDOWN", "WM_KEYUP");
    assertEquals(
      seen.map((message) => [message.name, message.code, message.scan, message.extended]),
      [["WM_KEYDOWN", code, scan, extended], ["WM_KEYUP", code, scan, extended]],
      key,
    );
  }
});

Deno.test("presses a character's key with its modifiers, and releases both", async () => {
  await using witness = await WitnessWindow.open();
  using reference = openReference();
  using desktop = openDesktop();
  for (const key of ["a", "A", "?", "%", "~", "é", "€", "漢", "😀"]) {
    await desktop.keyboard.key(key, true);
    await desktop.keyboard.key(key, false);
    assertEquals(await witness.text(key.length), key);
    assertEquals(reference.isDown(VK_LSHIFT), false);
  }
  await desktop.keyboard.key("shift", true);
  for (const key of ["/", "?"]) {
    await desktop.keyboard.key(key, true);
    await desktop.keyboard.key(key, false);
    assertEquals(await witness.text(1), "?", key);
    assertEquals(reference.isDown(VK_LSHIFT), true, "what was held before stays held");
  }
  await desktop.keyboard.key("shift", false);
  assertEquals(reference.isDown(VK_LSHIFT), false);
});

Deno.test("a virtual key shared by two pressed keys is released with the last", async () => {
  using reference = openReference();
  const desktop = openWindows();
  const VK_A = 0x41, VK_RMENU = 0xa5;
  const cases: [first: string, second: string, letGo: string, shared: number[]][] = [
    ["?", "shift", "?", [VK_LSHIFT]],
    ["shift", "?", "shift", [VK_LSHIFT]],
    ["?", "A", "?", [VK_LSHIFT, VK_A]],
    ["a", "A", "a", [VK_LSHIFT, VK_A]],
    ["altgr", "rightalt", "altgr", [VK_RMENU]],
    ["vk:0xa0", "shift", "vk:0xa0", [VK_LSHIFT]],
  ];
  try {
    for (const [first, second, letGo, shared] of cases) {
      await desktop.keyboard.key(first, true);
      await desktop.keyboard.key(second, true);
      await desktop.keyboard.key(second, true); // a repetition
      await desktop.keyboard.key(letGo, false);
      const name = `${first}, ${second}, without ${letGo}`;
      for (const vk of shared) assertEquals(reference.isDown(vk), true, name);
      await desktop.keyboard.key(letGo === first ? second : first, false);
      for (const vk of shared) assertEquals(reference.isDown(vk), false, name);
    }
  } finally {
    desktop.close();
  }
});

Deno.test("releases a key completely that Windows has half pressed or half released", async () => {
  using reference = openReference();
  const libraries = openLibraries();
  const sender = new InputSender(libraries);
  const sends = sender.send.bind(sender);
  const refuse = (taken: number) => {
    sender.send = (inputs) => {
      sender.send = sends;
      sends(inputs.slice(0, taken));
      throw new DesktopUnavailableError("refused");
    };
  };
  const keyboard = new WindowsKeyboard(libraries.user32, sender);
  refuse(1);
  await assertRejects(() => keyboard.key("?", true), DesktopUnavailableError);
  assertEquals(reference.isDown(VK_LSHIFT), true);
  await keyboard.key("?", false);
  assertEquals(reference.isDown(VK_LSHIFT), false, "pressed by half");

  await keyboard.key("?", true);
  refuse(0);
  await assertRejects(() => keyboard.key("?", false), DesktopUnavailableError);
  assertEquals(reference.isDown(VK_LSHIFT), true);
  await keyboard.key("shift", true);
  await keyboard.key("shift", false);
  assertEquals(reference.isDown(VK_LSHIFT), false, "what is to be released holds nothing");
  await keyboard.key("?", true);
  refuse(0);
  await assertRejects(() => keyboard.key("?", false), DesktopUnavailableError);
  await keyboard.key("?", false);
  assertEquals(reference.isDown(VK_LSHIFT), false, "released later");
});

Deno.test("does not press a modifier again that is released during a text", async () => {
  using reference = openReference();
  const desktop = openWindows();
  try {
    await desktop.keyboard.key("shift", true);
    const typing = desktop.keyboard.type("x".repeat(40));
    await desktop.keyboard.key("shift", false);
    await typing;
    assertEquals(reference.isDown(VK_LSHIFT), false);
  } finally {
    await desktop.keyboard.key("shift", false);
    desktop.close();
  }
});

Deno.test("a combination holds its keys in order", async () => {
  await using witness = await WitnessWindow.open();
  using desktop = openDesktop();
  const keys = ["ctrl", "shift", "t"];
  for (const key of keys) await desktop.keyboard.key(key, true);
  for (const key of keys.toReversed()) await desktop.keyboard.key(key, false);
  const seen = await witness.take(6, "WM_KEYDOWN", "WM_KEYUP");
  assertEquals(seen.map(({ name, code }) => [name.slice(6), code]), [
    ["DOWN", 0x11],
    ["DOWN", 0x10],
    ["DOWN", 0x54],
    ["UP", 0x54],
    ["UP", 0x10],
    ["UP", 0x11],
  ]);
});

Deno.test("presses a letter that the layout lacks by key in combinations, and types it alone", async () => {
  await using witness = await WitnessWindow.open();
  const libraries = openLibraries();
  // As on a Russian layout, where no key types it.
  const user32: Libraries["user32"] = Object.create(libraries.user32, { VkKeyScanExW: { value: () => -1 } });
  const keyboard = new WindowsKeyboard(user32, new InputSender(libraries));
  for (const modifier of ["ctrl", "rightctrl", "alt", "super"]) {
    await keyboard.key(modifier, true);
    await keyboard.key("c", true);
    await keyboard.key("c", false);
    await keyboard.key(modifier, false);
    // Up to the last release: the window may receive a character after the key.
    const seen = await witness.take(4, "WM_KEYDOWN", "WM_SYSKEYDOWN", "WM_KEYUP", "WM_SYSKEYUP");
    assertEquals([seen[1].code, seen[1].scan], [0x43, 0x2e], modifier);
  }
  await keyboard.key("c", true);
  await keyboard.key("c", false);
  assertEquals(await witness.text(1), "c");
});

Deno.test("refuses keys that Windows does not have by name", async () => {
  using desktop = openDesktop();
  for (const key of ["kpequal", "keysym:0x41", "vk:0xff", "nonsense"]) {
    await assertRejects(() => desktop.keyboard.key(key, true), InputError, key);
  }
});

Deno.test("text arrives unchanged in any script", async () => {
  await using witness = await WitnessWindow.open();
  using desktop = openDesktop();
  for (
    const text of [
      "Hello, World! {[~@#]}",
      "héllo €5 漢字 😀",
      "Привет עברית مرحبا",
      "👩‍👩‍👧 e\u0301 ﬁ",
      "a\tb",
    ]
  ) {
    await desktop.keyboard.type(text);
    assertEquals(await witness.text(text.length), text);
  }
  await desktop.keyboard.type("1\r\n2\n3");
  assertEquals(await witness.text(5), "1\r2\r3"); // Enter arrives as a carriage return
});

Deno.test("a long text arrives whole and in order", async () => {
  await using witness = await WitnessWindow.open();
  using desktop = openDesktop();
  const text = Array.from({ length: 600 }, (_, i) => `${i} é漢😀 `).join("");
  await desktop.keyboard.type(text);
  assertEquals(await witness.text(text.length), text);
});

Deno.test("held modifiers and Caps Lock do not change text, and stay as they were", async () => {
  await using witness = await WitnessWindow.open();
  using reference = openReference();
  using desktop = openDesktop();
  for (const [key, vk] of [["shift", VK_LSHIFT], ["ctrl", VK_LCONTROL]] as const) {
    await desktop.keyboard.key(key, true);
    await desktop.keyboard.type("Aé b");
    assertEquals(await witness.text(4), "Aé b", key);
    assertEquals(reference.isDown(vk), true, `${key} is held again`);
    await desktop.keyboard.key(key, false);
    assertEquals(reference.isDown(vk), false);
  }
  for (let i = 0; i < 2; i++) { // on, then off again
    await desktop.keyboard.key("capslock", true);
    await desktop.keyboard.key("capslock", false);
    await witness.take(2, "WM_KEYDOWN", "WM_KEYUP");
    await desktop.keyboard.type("Aé b");
    assertEquals(await witness.text(4), "Aé b");
  }
  assertEquals(reference.isDown(VK_CAPITAL), false);
});

Deno.test("refuses text that cannot be typed before its first character", async () => {
  await using witness = await WitnessWindow.open();
  using desktop = openDesktop();
  await assertRejects(() => desktop.keyboard.type("abc\x07"), InputError, "U+0007");
  await assertRejects(
    () => desktop.keyboard.type("abc", AbortSignal.abort(new Error("stopped"))),
    Error,
    "stopped",
  );
  await desktop.keyboard.type("z");
  assertEquals(await witness.text(1), "z");
});

Deno.test("an aborted text stops between two characters", async () => {
  await using witness = await WitnessWindow.open();
  using desktop = openDesktop();
  const controller = new AbortController();
  const typing = desktop.keyboard.type("😀".repeat(20_000), controller.signal);
  await witness.take(1, "WM_CHAR");
  controller.abort(new Error("stopped"));
  await assertRejects(() => typing, Error, "stopped");
  await desktop.keyboard.type("!");
  let text = "";
  while (!text.endsWith("!")) text += await witness.text(1);
  assertEquals(/^\ude00?(😀)*!$/u.test(text), true, text.slice(-5));
  assertEquals(text.length < 40_000, true);
});
