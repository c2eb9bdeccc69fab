/** Displays of X11 that do not exist. */

import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { NoDesktopError } from "../../../core/errors.ts";
import { openX11 } from "../../../ffi/x11/mod.ts";
import { run } from "../../support/program.ts";

Deno.test("a display that does not exist is named, with what to do", () => {
  assertMatch(
    assertThrows(() => openX11(""), NoDesktopError).message,
    /DISPLAY is not set.*--desktop virtual/,
  );
  assertStringIncludes(
    assertThrows(() => openX11(":4711"), NoDesktopError).message,
    ":4711 cannot be opened",
  );
});

Deno.test("without a display the exit code is 3", async () => {
  const { code, stderr } = await run(["--desktop", "x11"], "", { env: { DISPLAY: ":4711" } });
  assertEquals(code, 3);
  assertStringIncludes(stderr, ":4711 cannot be opened");
});
