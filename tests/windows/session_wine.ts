/** A session without a desktop, doctor's findings with one, and the machine's load. */

import { assertEquals, assertThrows } from "@std/assert";
import { NoDesktopError } from "../../core/errors.ts";
import { loadPerProcessor, timeByLoad } from "../../core/proc.ts";
import { inspectWindows } from "../../ffi/windows/doctor.ts";
import { openWindows } from "../../ffi/windows/mod.ts";
import { until } from "../support/shell.ts";

Deno.test("doctor finds nothing wrong on a user's desktop", () => {
  const findings = inspectWindows();
  assertEquals(findings.filter(({ ok }) => !ok), []);
  const detail = (name: string) => findings.find((finding) => finding.name === name)?.detail;
  assertEquals(detail("DPI mode"), "per monitor, version 2");
  assertEquals(
    ["Default", "Deskhand"].includes(detail("input desktop")!),
    true,
    "Wine's own desktop has that name",
  );
  const { width, height } = openedScreen();
  assertEquals(
    detail("monitors")?.startsWith(`DISPLAY1 ${width}x${height} at 0,0 (`),
    true,
    detail("monitors"),
  );
});

function openedScreen() {
  const desktop = openWindows();
  try {
    return desktop.screen.layout();
  } finally {
    desktop.close();
    desktop.close(); // safe to call twice
  }
}

Deno.test("the screen is its displays, exactly one of which is primary", () => {
  const { displays, ...region } = openedScreen();
  assertEquals(displays.filter(({ primary }) => primary).length, 1);
  assertEquals(displays.map(({ x, y, width, height }) => ({ x, y, width, height })), [region]);
});

Deno.test("refuses a process on a window station without a screen, and says why", () => {
  const library = Deno.dlopen("user32.dll", {
    GetProcessWindowStation: { parameters: [], result: "pointer" },
    CreateWindowStationW: { parameters: ["buffer", "u32", "u32", "pointer"], result: "pointer" },
    SetProcessWindowStation: { parameters: ["pointer"], result: "i32" },
  });
  const { symbols } = library;
  const own = symbols.GetProcessWindowStation();
  try {
    const name = Uint16Array.from("Hidden\0", (unit) => unit.charCodeAt(0));
    const WINSTA_ALL_ACCESS = 0x37f;
    const hidden = symbols.CreateWindowStationW(name, 0, WINSTA_ALL_ACCESS, null);
    assertEquals(symbols.SetProcessWindowStation(hidden) !== 0, true);
    assertThrows(() => openWindows(), NoDesktopError, "its window station Hidden has no screen");
    const session = inspectWindows().find((finding) => finding.name === "session");
    assertEquals(session?.ok, false);
  } finally {
    symbols.SetProcessWindowStation(own);
    library.close();
  }
});

Deno.test("load and waits grow while programs want more than all processors", async () => {
  const url = URL.createObjectURL(new Blob(["for (;;);"], { type: "text/javascript" }));
  const busy = Array.from(
    { length: 2 * navigator.hardwareConcurrency },
    () => new Worker(url, { type: "module" }),
  );
  try {
    await until(() => loadPerProcessor() > 2);
    assertEquals(timeByLoad(1000, 2000), 2000);
  } finally {
    for (const worker of busy) worker.terminate();
    URL.revokeObjectURL(url);
  }
});
