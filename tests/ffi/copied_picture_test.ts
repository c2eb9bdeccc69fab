/** Copied frames, pressed keys, reconnecting, and programs with limits on text. */

import { assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { DesktopUnavailableError, InputError } from "../../core/errors.ts";
import { copiedPicture } from "../../ffi/copied_picture.ts";
import { type Pace, paceOf, whyLossy } from "../../ffi/quirks.ts";
import { Reconnecting } from "../../ffi/reconnecting.ts";
import { PressedKeys } from "../../ffi/text.ts";
import { until } from "../support/shell.ts";

/** A one-row picture in one color, and its memory. */
function pictureOf(width: number, value: number) {
  const pixels = new Uint8Array(width * 4).fill(value);
  const picture = copiedPicture({ width, height: 1, stride: width * 4, pixels });
  pixels.fill(0);
  const [frame] = picture.parts;
  return { picture, memory: frame.pixels, values: () => [...new Set(frame.pixels)] };
}

Deno.test("a copied picture does not change until it is released; the next of its size reuses its memory", () => {
  const first = pictureOf(3, 7), second = pictureOf(3, 8);
  assertEquals([first.values(), second.values()], [[7], [8]]);
  first.picture.release();
  const third = pictureOf(3, 9);
  assertEquals([third.memory === first.memory, second.values(), third.values()], [true, [8], [9]]);
  second.picture.release();
  const larger = pictureOf(5, 6);
  assertEquals([larger.memory.length, larger.values()], [20, [6]]);
  third.picture.release();
  assertEquals(pictureOf(5, 4).memory.length, 20);
});

// Scan codes sent for keys that share codes.

const CODES: Record<string, number[]> = { shift: [42], "?": [42, 53], A: [42, 30], a: [30] };

/** Presses (`+`) and releases (`-`) keys; returns the codes of each step. */
function sent(...steps: string[]): string[] {
  const keys = new PressedKeys();
  return steps.map((step) => {
    const name = step.slice(1), down = step[0] === "+";
    return (down ? keys.press(name, CODES[name]) : keys.release(name, CODES[name])).join(" ");
  });
}

Deno.test("a code shared by two keys is pressed once and released with the last", () => {
  const cases: [steps: string[], codes: string[]][] = [
    [["+?", "-?"], ["42 53", "53 42"]],
    [["+shift", "+?", "-shift", "-?"], ["42", "53", "", "53 42"]],
    [["+?", "+shift", "-?", "-shift"], ["42 53", "42", "53", "42"]],
    [["+a", "+A", "-a", "-A"], ["30", "42 30", "", "30 42"]],
  ];
  for (const [steps, codes] of cases) assertEquals(sent(...steps), codes, steps.join(" "));
});

Deno.test("a second press repeats only the key, and one release undoes both", () => {
  assertEquals(sent("+?", "+?", "-?"), ["42 53", "53", "53 42"]);
});

Deno.test("releases a key that deskhand does not hold without its modifiers", () => {
  assertEquals(sent("-?", "+shift", "-?"), ["53", "42", "53"]);
});

Deno.test("releases the codes that were pressed, even if the layout has changed since", () => {
  const keys = new PressedKeys();
  keys.press("ö", [39]);
  assertEquals([keys.press("ö", [42, 40]), keys.release("ö", [42, 40])], [[39], [39]]);
  assertEquals(keys.held.size, 0);
});

// Reconnecting while calls continue.

/** A part whose connection can be lost. */
class Line {
  readonly connection = { isLost: false };
  isClosed = false;

  close() {
    this.isClosed = true;
  }
}

/** A call's result, or the message of its error. */
function outcome(lines: Reconnecting<Line>): Line | string {
  try {
    return lines.get();
  } catch (error) {
    return (error as Error).message;
  }
}

Deno.test("reconnects on the next call, and retries only after a pause", async () => {
  const first = new Line(), second = new Line();
  let openings = 0, isBack = false;
  const lines = new Reconnecting(first, () => (openings++, isBack ? second : undefined), "gone");
  assertEquals(lines.get(), first);
  first.connection.isLost = true;
  for (let i = 0; i < 3; i++) assertThrows(() => lines.get(), DesktopUnavailableError, "gone");
  assertEquals([first.isClosed, openings], [true, 1]);
  isBack = true;
  await until(() => outcome(lines) === second);
  assertEquals(openings, 2);
  lines.close();
  assertEquals(second.isClosed, true);
  assertThrows(() => lines.get(), DesktopUnavailableError);
});

Deno.test("throws a connection error once, and the next attempt may succeed", async () => {
  const first = new Line(), second = new Line();
  const openings = [
    (): Line => {
      throw new InputError("the person says no");
    },
    () => second,
  ];
  const lines = new Reconnecting<Line>(first, () => openings.shift()!(), "gone");
  first.connection.isLost = true;
  const seen = new Set<Line | string>();
  await until(() => seen.add(outcome(lines)).has(second));
  assertEquals([...seen], ["the person says no", "gone", second]);
  lines.close();
});

Deno.test("waiting callers share one connection attempt, and other calls fail meanwhile", async () => {
  const first = new Line(), second = new Line(), third = new Line();
  const lines = new Reconnecting<Line>(first, () => undefined, "gone");
  first.connection.isLost = true;
  const opened = Promise.withResolvers<Line>();
  let openings = 0;
  const again = () => lines.again(() => (openings++, opened.promise));
  const waiting = [again(), again()];
  assertEquals([outcome(lines), lines.isLost(), first.isClosed], ["gone", true, true]);
  opened.resolve(second);
  await Promise.all(waiting);
  await again(); // the connection is not lost
  assertEquals([outcome(lines), openings], [second, 1]);
  second.connection.isLost = true;
  const late = lines.again(() => Promise.resolve(third));
  lines.close();
  await assertRejects(() => late, DesktopUnavailableError, "gone");
  assertEquals(third.isClosed, true); // a closed desktop does not keep it
});

// Programs that would change text, recognized by their libraries.

const LIB = "/usr/lib/x86_64-linux-gnu";
const GTK48 = `7f00-7f01 r-xp 00000000 08:01 7  ${LIB}/libgtk-4.so.1.800.3\n`;
const GTK418 = GTK48.replace("800.3", "1800.5");
const GTK_IBUS = `7f02-7f03 r-xp 00000000 08:01 8  ${LIB}/gtk-4.0/4.0.0/immodules/libim-ibus.so\n`;
const QT5 = `7f04-7f05 r-xp 00000000 08:01 9  ${LIB}/libQt5Gui.so.5.15.8\n`;
const QT_IBUS =
  `7f06-7f07 r-xp 00000000 08:01 9  ${LIB}/qt5/plugins/platforminputcontexts/libibusplatforminputcontextplugin.so\n`;
const QT_FCITX = QT_IBUS.replace("libibus", "libfcitx5");
const KWRITE = `${QT5}7f06-7f07 r-xp 00000000 08:01 9  ${LIB}/libKF5TextEditor.so.5.103.0\n`;
const OFFICE = "7f08-7f09 r-xp 00000000 08:01 9  /usr/lib/libreoffice/program/libvclplug_gtk3lo.so\n";
const GTK3_FCITX = `7f0a-7f0b r-xp 00000000 08:01 9  ${LIB}/gtk-3.0/3.0.0/immodules/im-fcitx5.so\n`;
const codes = (text: string) => Array.from(text, (character) => character.codePointAt(0)!);

Deno.test("refuses characters above U+FFFF for KWrite, and several characters for GTK 4.8 with IBus", () => {
  const cases: [maps: string, text: string, why: RegExp | undefined, hasMethod?: false][] = [
    [GTK48 + GTK_IBUS, "ab", /^GTK 4\.8/],
    [GTK48 + GTK_IBUS, "a", undefined],
    [GTK48, "ab", undefined],
    [GTK48 + GTK_IBUS, "ab", undefined, false],
    [GTK418 + GTK_IBUS, "ab", undefined],
    [KWRITE, "a😀", /^KTextEditor 5/],
    [KWRITE, "a😀", /^KTextEditor 5/, false],
    [KWRITE, "a漢字", undefined],
    [QT5 + QT_IBUS, "a😀", undefined],
    [OFFICE + GTK3_FCITX, "a😀", undefined],
    ["", "a😀", undefined],
  ];
  for (const [maps, text, why, hasMethod = true] of cases) {
    const found = whyLossy(maps, codes(text), hasMethod);
    if (why) assertMatch(found ?? "", why, maps);
    else assertEquals(found, undefined, maps);
  }
});

Deno.test("LibreOffice, and GTK 4, Firefox and Qt with input method modules, have their own key pace", () => {
  const firefox = "7f0c-7f0d r-xp 00000000 08:01 9  /usr/lib/firefox-esr/libxul.so\n";
  const cases: [maps: string, pace: Pace][] = [
    [firefox + GTK3_FCITX, "unrepeated"],
    [firefox + GTK3_FCITX.replace("im-fcitx5", "im-ibus"), "unrepeated"],
    [firefox + GTK3_FCITX.replace("im-fcitx5", "im-xim"), "free"],
    [firefox, "free"],
    [OFFICE, "apart"],
    [GTK418 + GTK_IBUS, "settled"],
    [GTK418 + GTK_IBUS.replace("im-ibus", "im-fcitx5"), "settled"],
    [GTK418, "free"],
    [QT5 + QT_IBUS, "single"],
    [QT5.replaceAll("Qt5", "Qt6") + QT_FCITX, "single"],
    [QT5, "free"],
  ];
  for (const [maps, pace] of cases) assertEquals(paceOf(maps), pace, maps);
});
