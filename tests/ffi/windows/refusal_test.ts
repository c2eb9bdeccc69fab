import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { NoDesktopError } from "../../../core/errors.ts";
import { noDesktopReason, outranks, refusalReason } from "../../../ffi/windows/session.ts";
import { inspectWindows } from "../../../ffi/windows/doctor.ts";
import { openWindows } from "../../../ffi/windows/mod.ts";

const PERSON = { id: 1, station: "WinSta0", interactive: true, desktop: "Default", inputDesktop: "Default" };
const SERVICE = {
  id: 0,
  station: "Service-0x0-3e7$",
  interactive: false,
  desktop: "Default",
  inputDesktop: undefined,
};

Deno.test("a process without a screen gets the reason and what to do", () => {
  assertEquals(noDesktopReason(PERSON), undefined);
  assertMatch(noDesktopReason(SERVICE)!, /session 0, that of services .* SSH.*logged on.*--desktop virtual/);
  assertMatch(noDesktopReason({ ...SERVICE, id: 3 })!, /window station Service-0x0-3e7\$ has no screen/);
});

Deno.test("refused input names its cause", () => {
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

Deno.test("only a level that is known to be higher counts as higher", () => {
  assertEquals(outranks(0x3000, 0x2000), true);
  assertEquals(outranks(0x2000, 0x2000), false);
  assertEquals(outranks(0x2000, 0x3000), false);
  assertEquals(outranks(undefined, 0x2000), false);
  assertEquals(outranks(0x3000, undefined), false);
});

Deno.test({
  name: "on another system there is no Windows desktop, and its doctor does not throw",
  ignore: Deno.build.os === "windows",
  fn() {
    assertThrows(() => openWindows(), NoDesktopError, `this is ${Deno.build.os}`);
    assertEquals(inspectWindows(), [{ name: "Windows", ok: false, detail: `this is ${Deno.build.os}` }]);
  },
});
