/** Whether a position still looks as in a screenshot, decided from pixels that are drawn here. */

import { assertEquals, assertRejects } from "@std/assert";
import { contains, type Point, type Region } from "../../../control/desktop/geometry.ts";
import {
  differenceAt,
  firstToDrop,
  type Look,
  lookAround,
  SeenPictures,
  stalenessOf,
} from "../../../control/observe/seen_pictures.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { ChangedError, DesktopUnavailableError } from "../../../core/errors.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";

const SCREEN = { x: 0, y: 0, width: 200, height: 100 };
const PLACE: Point = { x: 100, y: 50 };
/** The compared part around the position. */
const LEFT = 76, TOP = 38, WIDTH = 48, HEIGHT = 24;

/** A look at the screen with boxes in it, the later ones in front. */
function look(...boxes: [x: number, y: number, width: number, height: number, color?: number][]): Look {
  const pixels = new Uint32Array(SCREEN.width * SCREEN.height).fill(0xffffff);
  for (const [x, y, width, height, color = 0x202020] of boxes) {
    for (let row = y; row < y + height; row++) pixels.fill(color, row * 200 + x, row * 200 + x + width);
  }
  return { area: SCREEN, pixels };
}

/** A look that differs in each pixel of a part, like a film. */
function noise(seed: number, { x, y, width, height }: Region): Look {
  const { area, pixels } = look();
  for (let row = y; row < y + height; row++) {
    for (let column = x; column < x + width; column++) {
      pixels[row * 200 + column] = Math.imul(seed * 7919 + row * 211 + column, 0x9e3779b1) >>> 8;
    }
  }
  return { area, pixels };
}

const WHOLE: Region = { x: LEFT, y: TOP, width: WIDTH, height: HEIGHT };
const button = look([80, 40, 40, 20]), empty = look();

const ROWS: readonly [string, before: Look, looks: Look[], ReturnType<typeof stalenessOf>][] = [
  ["nothing changed", button, [look([80, 40, 40, 20])], "same"],
  ["the fourth byte has no meaning", button, [{
    area: SCREEN,
    pixels: button.pixels.map((pixel) => pixel | 0xff000000),
  }], "same"],
  [
    "a change beside the part does not count",
    button,
    [look([80, 40, 40, 20], [LEFT - 9, TOP, 9, HEIGHT])],
    "same",
  ],
  ["nor one below it", button, [look([80, 40, 40, 20], [LEFT, TOP + HEIGHT, WIDTH, 9])], "same"],
  ["a caret that came", empty, [look([100, 42, 1, 16])], "same"],
  ["a caret that went", look([100, 42, 2, 16]), [empty], "same"],
  ["a caret that reaches out of the part", empty, [look([100, 30, 1, 20])], "same"],
  ["a line that is longer than any caret", empty, [look([100, 5, 1, 90])], "look again"],
  ["a button that went: one look is not enough", button, [empty], "look again"],
  ["a button that went, and nothing moves", button, [empty, empty], "changed"],
  ["a button that came back", button, [empty, button], "same"],
  [
    "a button that moved by half of its height",
    button,
    [look([80, 50, 40, 20]), look([80, 50, 40, 20])],
    "changed",
  ],
  ["another colour of the same shape", button, [
    look([80, 40, 40, 20, 0x802020]),
    look([80, 40, 40, 20, 0x802020]),
  ], "changed"],
  ["one pixel of another colour", empty, [look([100, 50, 1, 1]), look([100, 50, 1, 1])], "changed"],
  ["a film: two looks are not enough", noise(1, WHOLE), [noise(2, WHOLE), noise(3, WHOLE)], "look again"],
  ["a film", noise(1, WHOLE), [noise(2, WHOLE), noise(3, WHOLE), noise(4, WHOLE)], "restless"],
  ["a menu that opens and comes to rest", empty, [
    look([80, 40, 40, 8]),
    look([80, 40, 40, 20]),
    look([80, 40, 40, 20]),
  ], "changed"],
  ["a film that ends on another picture", noise(1, WHOLE), [
    noise(2, WHOLE),
    noise(3, WHOLE),
    noise(3, WHOLE),
  ], "changed"],
  ["a small film in a place that is another one", button, [
    look([80, 60, 40, 2]),
    noise(1, { x: 80, y: 60, width: 4, height: 2 }),
  ], "changed"],
];

Deno.test("a position is the same, moves by itself, has changed, or needs another look", () => {
  for (const [name, before, looks, expected] of ROWS) {
    assertEquals(stalenessOf(PLACE, before, looks), expected, name);
  }
});

Deno.test("the box of a change at a position holds all of a small change, and of a large one the compared part", () => {
  const rows: readonly [Look, Look, Region | undefined][] = [
    [empty, empty, undefined],
    [empty, look([100, 50, 3, 2]), { x: 100, y: 50, width: 3, height: 2 }],
    [empty, look([70, 45, 12, 9]), { x: 70, y: 45, width: 12, height: 9 }], // begins left of the part
    [empty, look([0, 0, 200, 100]), WHOLE],
  ];
  for (const [before, now, box] of rows) assertEquals(differenceAt(PLACE, before, now).box, box);
});

Deno.test("a look around a position stays on the screen, and is missing off it", () => {
  for (const point of [PLACE, { x: 0, y: 0 }, { x: 199, y: 99 }]) {
    const area = lookAround(point, SCREEN)!;
    assertEquals([contains(area, point), contains(SCREEN, area)], [true, true]);
    assertEquals(stalenessOf(point, button, [look([80, 40, 40, 20])]), "same");
  }
  assertEquals(lookAround({ x: 900, y: 900 }, SCREEN), undefined);
});

Deno.test("a caller who takes many screenshots drops its own, and all together stay within the limits", () => {
  const most = { callers: 3, pictures: 2, pixels: 400 };
  const rows: readonly [string, number][] = [
    ["", 0],
    ["a", 0],
    ["a a", 0],
    ["a a a", 2], // too many of a
    ["b a a a", 3],
    ["a b c", 0],
    ["a b c d", 3], // too many callers
    ["a b b c c", 4], // too many pixels: b and c have the most
    ["a a b b c", 3],
    ["b a a c", 0],
  ];
  const pictures = (callers: string, size = 10) =>
    callers.split(" ").filter(Boolean).map((caller) => ({
      caller,
      area: { ...SCREEN, width: size, height: 10 },
    }));
  for (const [callers, dropped] of rows) assertEquals(firstToDrop(pictures(callers), most), dropped, callers);
  assertEquals(firstToDrop(pictures("a", 100), most), 0); // the only one stays, however large
  assertEquals(firstToDrop(pictures("a b", 100), most), 1);
});

Deno.test("a press is refused if the picture of its place was given up for one that failed", async () => {
  const desktop = new VirtualDesktop(), pictures = new SeenPictures(new Operator(desktop));
  const point = { x: 100, y: 100 }, waiter = { signal: new AbortController().signal };
  const check = () => pictures.check("agent", point, false, true, waiter);
  await pictures.keep("agent", desktop.screen.layout());
  await check();
  const capture = desktop.screen.capture;
  desktop.screen.capture = () => Promise.reject(new DesktopUnavailableError("gone"));
  await assertRejects(() => pictures.keep("agent", desktop.screen.layout()), DesktopUnavailableError);
  desktop.screen.capture = capture;
  await assertRejects(check, ChangedError, "the picture is no longer kept; take a new one");
  await pictures.keep("agent", desktop.screen.layout());
  await check();
});
