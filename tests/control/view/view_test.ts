/** The view: its size, and how its positions map to the desktop. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  desktopPlace,
  desktopRegion,
  fit,
  viewOf,
  viewPlace,
  type ViewSetting,
  viewSetting,
} from "../../../control/view/view.ts";

/** Screen, setting, view. */
const SIZES: [string, ViewSetting, string][] = [
  ["1920x1080", "auto", "1456x819"],
  ["2560x1440", "auto", "1456x819"],
  ["3840x2160", "auto", "1456x819"],
  ["1440x900", "auto", "1389x868"],
  ["1366x768", "auto", "1366x768"],
  ["1280x800", "auto", "1280x800"],
  ["1024x768", "auto", "1024x768"],
  ["1920x1080", "large", "1920x1080"],
  ["1080x1920", "large", "1080x1920"],
  ["2560x1440", "large", "2000x1125"],
  ["2000x2000", "large", "1932x1932"],
  ["1280x720", "large", "1280x720"],
  ["3840x2160", "full", "3840x2160"],
  ["1920x1080", 960, "960x540"],
  ["1080x1920", 960, "540x960"],
  ["640x480", 960, "640x480"],
  ["10000x20", 100, "100x1"],
];

const sizeOf = (text: string) => {
  const [width, height] = text.split("x").map(Number);
  return { width, height };
};

for (const [screen, setting, view] of SIZES) {
  Deno.test(`the view of ${screen} by ${setting} is ${view}`, () => {
    assertEquals(fit(sizeOf(screen), setting), sizeOf(view));
  });
}

const PRIMARY = { name: "a", primary: true, x: 0, y: 0, width: 1920, height: 1080 };
const SECOND = { name: "b", primary: false, x: -800, y: 0, width: 800, height: 600 };
const LAYOUT = { x: -800, y: 0, width: 2720, height: 1080, displays: [SECOND, PRIMARY] };

Deno.test("a view position is the center of the pixels that it shows, and leads back to itself", () => {
  const view = viewOf(LAYOUT, 960);
  assertEquals(desktopPlace(view, { x: 0, y: 0 }), { x: 1, y: 1 });
  assertEquals(desktopPlace(view, { x: 959, y: 539 }), { x: 1919, y: 1079 });
  const auto = viewOf(LAYOUT, "auto");
  for (let x = 0; x < auto.width; x++) {
    const y = Math.min(x, auto.height - 1);
    assertEquals(viewPlace(auto, desktopPlace(auto, { x, y })), { x, y });
  }
});

Deno.test("the view shows the primary display, or the named one", () => {
  assertEquals(viewOf(LAYOUT, "full").area, { x: 0, y: 0, width: 1920, height: 1080 });
  assertEquals(desktopPlace(viewOf(LAYOUT, 400, "b"), { x: 0, y: 0 }), { x: -799, y: 1 });
  assertThrows(() => viewOf(LAYOUT, "full", "c"), Error, 'there is no display named "c"; available: b, a');
});

Deno.test("a position outside the view is an error that names the range", () => {
  const view = viewOf(LAYOUT, "auto");
  const message = "path[1].x must be from 0 to 1455 (the picture is 1456x819), not 1456";
  assertThrows(() => desktopPlace(view, { x: 1456, y: 0 }, "path[1]."), Error, message);
  assertThrows(() => desktopPlace(view, { x: 0, y: -1 }), Error, "y must be from 0 to 818");
});

Deno.test("a region of the view covers every pixel that it shows, and none off the display", () => {
  const view = viewOf(LAYOUT, "auto");
  assertEquals(desktopRegion(view, { x: 0, y: 0, width: 1456, height: 819 }), view.area);
  assertEquals(desktopRegion(view, { x: 1455, y: 818, width: 1, height: 1 }), {
    x: 1918,
    y: 1078,
    width: 2,
    height: 2,
  });
  assertThrows(
    () => desktopRegion(view, { x: 1000, y: 0, width: 457, height: 1 }),
    Error,
    "width must be from 1 to 456",
  );
});

Deno.test("--view takes auto, large, full or a long edge, and nothing else", () => {
  assertEquals(["auto", "large", "full", "1568"].map(viewSetting), ["auto", "large", "full", 1568]);
  for (const text of ["", "15", "1e3", "huge", "-5", "99999"]) {
    assertThrows(() => viewSetting(text), Error, "--view takes auto, large, full or the long edge");
  }
});

/** Tokens of a screenshot by the vendors' rule: tiles of 28 pixels (1920x1080 has 69 x 39). */
const tokens = ({ width, height }: { width: number; height: number }) =>
  Math.ceil(width / 28) * Math.ceil(height / 28);

/**
 * The longest edge, and the most tokens, that the services of a setting's models accept without shrinking.
 */
const RULES: ["auto" | "large", number, number][] = [["auto", 1568, 1568], ["large", 2000, 4784]];

for (const [setting, edge, most] of RULES) {
  Deno.test(`screenshots of --view ${setting} fit the models' limits, and no larger ones of the shape do`, () => {
    for (let width = 320; width <= 7680; width += 353) {
      for (let height = 240; height <= 4320; height += 331) {
        const screen = { width, height }, view = fit(screen, setting);
        assert(Math.max(view.width, view.height) <= edge && tokens(view) <= most);
        const longest = Math.max(view.width, view.height) + 1, ratio = longest / Math.max(width, height);
        const larger = { width: Math.round(width * ratio), height: Math.round(height * ratio) };
        assert(ratio > 1 || longest > edge || tokens(larger) > most, `${width}x${height}`);
      }
    }
  });
}

Deno.test("a screenshot of 1920x1080 with --view large has 2691 tokens", () => {
  assertEquals(tokens(fit({ width: 1920, height: 1080 }, "large")), 2691);
});
