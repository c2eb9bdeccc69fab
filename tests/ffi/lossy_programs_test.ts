/** Programs that would change a text, known by their libraries. */

import { assertEquals, assertMatch } from "@std/assert";
import { type Pace, paceOf, whyLossy } from "../../ffi/lossy_programs.ts";

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

Deno.test("KWrite gets no text with characters above U+FFFF, and GTK 4.8 beside IBus none of several characters", () => {
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

Deno.test("LibreOffice, and GTK 4, Firefox and Qt with modules for input methods, take keys at a pace of their own", () => {
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
