import { assertEquals } from "@std/assert";
import { bitmapHeader } from "../../../ffi/windows/capture.ts";
import { decodeMonitorInfo } from "../../../ffi/windows/displays.ts";
import { decodeMandatoryLabel, levelWords } from "../../../ffi/windows/integrity.ts";

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
