import { assertEquals } from "@std/assert";
import { bitmapHeader } from "../../../ffi/windows/capture.ts";
import { decodeMonitorInfo } from "../../../ffi/windows/screen.ts";
import { outerFor, restoredBounds } from "../../../ffi/windows/window_list.ts";
import { decodeMandatoryLabel, levelWords } from "../../../ffi/windows/session.ts";

Deno.test("a BITMAPINFOHEADER asks for 32-bit rows from the top down", () => {
  const words = Array.from(new Int32Array(bitmapHeader(1280, 720).buffer));
  assertEquals(words, [40, 1280, -720, 1 | 32 << 16, 0, 0, 0, 0, 0, 0]);
});

Deno.test("a MONITORINFOEXW is read as a display", () => {
  const info = new Uint8Array(104);
  const view = new DataView(info.buffer);
  [104, -1920, -200, 0, 880, -1920, -200, 0, 840, 1].forEach((word, i) => view.setInt32(i * 4, word, true));
  Array.from("\\\\.\\DISPLAY2\0junk").forEach((unit, i) =>
    view.setUint16(40 + i * 2, unit.charCodeAt(0), true)
  );
  const display = { name: "DISPLAY2", x: -1920, y: -200, width: 1920, height: 1080 };
  assertEquals(decodeMonitorInfo(info), { ...display, primary: true });
  view.setUint32(36, 0, true);
  assertEquals(decodeMonitorInfo(info), { ...display, primary: false });
});

Deno.test("an integrity level is the last part of its SID", () => {
  // SID_AND_ATTRIBUTES (16 bytes), then S-1-16-8192
  const label = new DataView(new ArrayBuffer(64));
  [1, 1, 0, 0, 0, 0, 0, 16].forEach((byte, i) => label.setUint8(16 + i, byte));
  label.setUint32(24, 0x2000, true);
  assertEquals(decodeMandatoryLabel(label), 0x2000);
  const words: [level: number, start: string][] = [
    [0x4000, "system"],
    [0x3000, "high"],
    [0x2100, "medium"],
    [0x2000, "medium"],
    [0x1000, "low"],
    [0, "untrusted"],
  ];
  for (const [level, start] of words) assertEquals(levelWords(level).split(":")[0], start);
});

Deno.test("a WINDOWPLACEMENT is read in pixels of the screen, wherever the taskbar is", () => {
  const words = (size: number, values: Record<number, number>) => {
    const view = new DataView(new ArrayBuffer(size));
    for (const [at, value] of Object.entries(values)) view.setInt32(Number(at), value, true);
    return view;
  };
  const placement = words(44, { 28: -10, 32: 20, 36: 310, 40: 220 });
  const size = { width: 320, height: 200 };
  assertEquals(restoredBounds(placement, undefined), { x: -10, y: 20, ...size });
  // rcMonitor from 4, rcWork from 20: a taskbar of 48 pixels at the left of the second monitor, of 30 at its top
  const monitor = words(40, { 4: 1920, 8: 0, 12: 3840, 16: 1080, 20: 1968, 24: 30, 28: 3840, 32: 1080 });
  assertEquals(restoredBounds(placement, monitor), { x: 38, y: 50, ...size });
});

Deno.test("bounds to be seen are set with the border that is not seen", () => {
  const visible = { x: 107, y: 50, width: 300, height: 200 };
  const outer = { x: 100, y: 50, width: 314, height: 207 };
  assertEquals(outerFor(visible, outer, visible), outer);
  assertEquals(outerFor({ x: 0, y: 0, width: 640, height: 480 }, outer, visible), {
    x: -7,
    y: 0,
    width: 654,
    height: 487,
  });
});
