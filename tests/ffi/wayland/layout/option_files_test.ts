import { assert, assertEquals, assertFalse, assertMatch } from "@std/assert";
import {
  isOwnSymbols,
  symbolsText,
  withOption,
  withoutRules,
  withRules,
} from "../../../../ffi/wayland/layout/option_files.ts";
import { OPTION_KEYS } from "../../../../ffi/wayland/layout/option_keys.ts";

/** Rules that a person may have. */
const THEIRS: Record<string, string> = {
  "with an end of line": "! include %S/evdev\n! option = symbols\n  mine:1 = +mine(a)\n",
  "without an end of line": "! include %S/evdev",
  "with empty lines at the end": "! include %S/evdev\n\n\n",
  "of Windows' lines": "! include %S/evdev\r\n",
  "that are empty": "",
  "in another script": "// мои правила é\n! include %S/evdev\n",
};

for (const [name, theirs] of Object.entries(THEIRS)) {
  Deno.test(`rules of the person ${name} are kept, and are as they were when deskhand's are removed`, () => {
    const both = withRules(theirs);
    assert(both.startsWith(theirs));
    assertMatch(both, /\n! option = symbols\n {2}deskhand:1 = \+deskhand\(s1\)\n {2}deskhand:2 = /);
    assertEquals(withoutRules(both), theirs);
    assertEquals(withRules(both), both, "lines that a killed deskhand left are not added twice");
    assertEquals(withoutRules(`${both}  after:1 = +after(a)\n`), `${theirs}  after:1 = +after(a)\n`);
  });
}

Deno.test("without rules of the person the system's come first, and nothing is left of deskhand's", () => {
  const own = withRules(undefined);
  assertMatch(own, /^\/\/ deskhand begins.*\n! include %S\/evdev\n! option = symbols\n/);
  assertEquals(withoutRules(own), undefined);
  assertEquals(withRules(own), own);
  assertEquals(withoutRules(`${own}! mine\n`), "! mine\n");
});

Deno.test("rules without deskhand's marks, or with one of them, are left alone", () => {
  for (const text of ["", "! include %S/evdev\n", "// deskhand ends.\n"]) {
    assertEquals(withoutRules(text), text);
  }
});

Deno.test("the symbols of a set are the same under both names", () => {
  const [first, second] = OPTION_KEYS;
  const text = symbolsText(new Map([[first, 0x10020ac], [second, 0xe9]]));
  assert(isOwnSymbols(text));
  assertFalse(isOwnSymbols('partial xkb_symbols "mine" {};'));
  const sections = text.split(/partial xkb_symbols "s[12]" /).slice(1);
  assertEquals(sections.length, 2);
  assertEquals(sections[0], sections[1]);
  assertMatch(
    text,
    /key <FK13> \{ type\[Group1\] = "ALPHABETIC", symbols\[Group1\] = \[ 0x10020ac, 0x10020ac \] \};/,
  );
  assertMatch(text, /key <FK14> .* \[ 0xe9, 0xe9 \]/);
});

Deno.test("no key of the option has the code or the name of another, and X11 programs can have all", () => {
  assertEquals(new Set(OPTION_KEYS.map(({ code }) => code)).size, OPTION_KEYS.length);
  assertEquals(new Set(OPTION_KEYS.map(({ name }) => name)).size, OPTION_KEYS.length);
  assert(OPTION_KEYS.every(({ code }) => code + 8 <= 255));
  assertEquals(OPTION_KEYS.length, 37);
});

Deno.test("options of the person stay, in their order", () => {
  assertEquals(withOption(["ctrl:nocaps"], "deskhand:1"), ["ctrl:nocaps", "deskhand:1"]);
  assertEquals(withOption(["deskhand:1", "ctrl:nocaps"], "deskhand:2"), ["ctrl:nocaps", "deskhand:2"]);
  assertEquals(withOption(["a:b", "deskhand:2"], undefined), ["a:b"]);
});
