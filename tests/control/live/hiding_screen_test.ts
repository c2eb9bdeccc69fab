/** Regions that are hidden from the live picture: before pictures are compared, and again when the regions move. */

import { assertEquals } from "@std/assert";
import { HidingScreen } from "../../../control/live/maker.ts";
import type { LiveScreen, ScreenChange } from "../../../control/desktop/screen.ts";
import { Viewers, viewersMemory } from "../../../control/desktop/viewers.ts";

const PLACE = { x: 100, y: 50, width: 8, height: 4 };
const FILL = 0x606060, RED = 0xff0000;

/** A red screen whose next look gives a box. */
class RedScreen implements LiveScreen {
  place = PLACE;
  pixels = new Uint8Array(new Int32Array(8 * 4).fill(RED).buffer);
  next: ScreenChange = {};
  update = () => this.next;
  wait() {}
  close() {}
}

/** The screen as text, a row a line: `.` is hidden, `r` is red. */
function shown(screen: HidingScreen): string[] {
  const words = new Int32Array(screen.pixels.buffer);
  return Array.from(
    { length: 4 },
    (_, row) =>
      Array.from(
        words.subarray(row * 8, row * 8 + 8),
        (word) => word === FILL ? "." : word === RED ? "r" : "?",
      ).join(""),
  );
}

Deno.test("hidden regions are filled, also when they move, and shown again when they are not hidden any more", () => {
  const memory = viewersMemory(true), viewers = new Viewers(memory), red = new RedScreen();
  viewers.hide([{ x: 102, y: 51, width: 2, height: 2 }]);
  const screen = new HidingScreen(red, memory);
  assertEquals(shown(screen), ["rrrrrrrr", "rr..rrrr", "rr..rrrr", "rrrrrrrr"]);
  screen.update();
  assertEquals(screen.update().box, undefined);
  // It moves; a part of it leaves the screen.
  viewers.hide([{ x: 106, y: 49, width: 9, height: 3 }]);
  assertEquals(screen.update().box, { x: 2, y: 0, width: 6, height: 3 });
  assertEquals(shown(screen), ["rrrrrr..", "rrrrrr..", "rrrrrrrr", "rrrrrrrr"]);
  // Changes below the hidden part stay hidden.
  red.next = { box: { x: 0, y: 0, width: 8, height: 4 } };
  screen.update();
  assertEquals(shown(screen)[0], "rrrrrr..");
  red.next = { isSkipped: true };
  viewers.hide([]);
  screen.update();
  assertEquals(shown(screen), ["rrrrrrrr", "rrrrrrrr", "rrrrrrrr", "rrrrrrrr"]);
});

Deno.test("a screen that gets another size is hidden anew", () => {
  const memory = viewersMemory(true), viewers = new Viewers(memory), red = new RedScreen();
  viewers.hide([{ x: 0, y: 0, width: 1, height: 1 }]);
  const screen = new HidingScreen(red, memory);
  red.place = { x: 0, y: 0, width: 8, height: 4 };
  screen.update();
  assertEquals(screen.place, red.place);
  assertEquals(shown(screen)[0], ".rrrrrrr");
});
