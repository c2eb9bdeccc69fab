/** Verdicts on actions from changes: tables of times and regions. */

import { assertEquals } from "@std/assert";
import type { Region } from "../../../control/desktop/desktop.ts";
import { endOf, type Moments } from "../../../control/observe/approach.ts";
import type { Judgement } from "../../../control/operator/calls.ts";
import { joined } from "../../../control/desktop/geometry.ts";
import { Motion, uncut } from "../../../control/observe/motion.ts";
import { type Evidence, judge, wholeOf } from "../../../control/observe/verdict.ts";

const at = (x: number, y: number, width = 40, height = 20): Region => ({ x, y, width, height });
const WINDOW = at(0, 0, 400, 300);
const BUTTON = at(100, 100),
  CARET = at(200, 50, 1, 17),
  BLOCK = at(200, 50, 6, 13),
  VIDEO = at(500, 0, 320, 200);
/** The time of the action. */
const NOW = 10_000;

/** A screen watched since `since`, which changed at these times. */
function motion(changes: [time: number, region: Region][], since = 0, actions: number[] = []): Motion {
  const past = new Motion(since);
  for (const time of actions) past.acted(time);
  for (const [time, region] of changes) past.add({ at: time, regions: [region] });
  return past;
}

const blinking = (region: Region): [number, Region][] =>
  [0, 600, 1200, 1800, 2400, 3000].map((before) => [NOW - 100 - before, region] as [number, Region])
    .reverse();
const playing: [number, Region][] = Array.from({ length: 50 }, (_, i) => [NOW - 2000 + i * 40, VIDEO]);

interface Case {
  name: string;
  past?: Motion;
  seen: Partial<Evidence>;
  verdict: string;
  reason: string;
}

const point = { x: 120, y: 110 };
const CASES: Case[] = [
  { name: "a button", seen: { regions: [BUTTON] }, verdict: "hit", reason: "the place changed" },
  {
    name: "another part of its window",
    seen: { regions: [at(300, 200)] },
    verdict: "hit",
    reason: "the window changed",
  },
  { name: "nothing", seen: {}, verdict: "miss", reason: "nothing changed" },
  { name: "a window", seen: { change: "a window opened" }, verdict: "hit", reason: "a window opened" },
  {
    name: "another window",
    seen: { regions: [at(600, 400)] },
    verdict: "unsure",
    reason: "something changed elsewhere",
  },
  {
    name: "an icon at a position without a window",
    seen: { aim: { point: { x: 700, y: 500 } }, regions: [at(690, 520)] },
    verdict: "hit",
    reason: "something near changed",
  },
  {
    name: "a blinking caret",
    past: motion(blinking(CARET)),
    seen: { regions: [CARET] },
    verdict: "miss",
    reason: "nothing changed",
  },
  {
    name: "a blinking block",
    past: motion(blinking(BLOCK)),
    seen: { regions: [BLOCK] },
    verdict: "miss",
    reason: "nothing changed",
  },
  {
    name: "a blinking caret, and a button",
    past: motion(blinking(CARET)),
    seen: { regions: [CARET, BUTTON] },
    verdict: "hit",
    reason: "the place changed",
  },
  {
    name: "a blinking caret between actions without a pause",
    past: motion(blinking(CARET), 0, Array.from({ length: 40 }, (_, i) => NOW - 250 * (40 - i))),
    seen: { regions: [CARET] },
    verdict: "miss",
    reason: "nothing changed",
  },
  {
    name: "a caret that appears",
    past: motion([]),
    seen: { regions: [CARET] },
    verdict: "hit",
    reason: "the window changed",
  },
  {
    name: "a click where a caret blinks",
    past: motion(blinking(CARET)),
    seen: { aim: { point: { x: 200, y: 55 }, area: WINDOW }, regions: [CARET] },
    verdict: "unsure",
    reason: "the place moved before the action",
  },
  {
    name: "a caret, just after the watch began",
    past: motion([], NOW - 50),
    seen: { regions: [CARET], isKnown: false },
    verdict: "unsure",
    reason: "what changed may be a caret that blinked before",
  },
  {
    name: "a button, just after the watch began",
    past: motion([], NOW - 50),
    seen: { regions: [BUTTON], isKnown: false },
    verdict: "hit",
    reason: "the place changed",
  },
  {
    name: "a video in view",
    past: motion(playing),
    seen: { regions: [VIDEO, at(560, 40, 64, 64)] },
    verdict: "miss",
    reason: "nothing changed",
  },
  {
    name: "a rarely changing part of a video",
    past: motion(playing.map(([time]) => [time, at(500, 0, 320, 100)])),
    seen: { regions: [at(560, 104, 20, 10)] },
    verdict: "miss",
    reason: "nothing changed",
  },
  {
    name: "a window that plays a video",
    past: motion(playing.map(([time]) => [time, at(500, 0, 320, 60)])),
    seen: { regions: [at(560, 184, 20, 10)], restless: [at(480, 0, 400, 300)] },
    verdict: "miss",
    reason: "nothing changed",
  },
  {
    name: "the rest of a change as the pointer left",
    seen: {
      aim: { point: { x: 30, y: 30 }, left: { x: 300, y: 30 }, stirred: [BUTTON], area: WINDOW },
      regions: [at(100, 110, 40, 6)],
    },
    verdict: "unsure",
    reason: "what the pointer left changed",
  },
  {
    name: "a button that lit up as the pointer came",
    seen: { aim: { point, left: { x: 300, y: 30 }, stirred: [BUTTON], area: WINDOW }, regions: [BUTTON] },
    verdict: "hit",
    reason: "the place changed",
  },
  {
    name: "a pointer drawn into the picture that moved",
    past: motion([]),
    seen: { regions: [at(110, 100, 24, 32), at(64, 64, 64, 64)], movesPointer: true },
    verdict: "unsure",
    reason: "what changed may be the pointer",
  },
  {
    name: "a menu that lights up below a pointer drawn into the picture",
    past: motion([]),
    seen: { regions: [at(110, 100, 24, 32), at(64, 64, 200, 30)], movesPointer: true },
    verdict: "hit",
    reason: "the window changed",
  },
  {
    name: "something near a video",
    past: motion(playing),
    seen: { regions: [at(840, 100)] },
    verdict: "unsure",
    reason: "something changed elsewhere",
  },
  {
    name: "a click on the video",
    past: motion(playing),
    seen: { aim: { point: { x: 600, y: 100 }, area: at(480, 0, 400, 300) }, regions: [VIDEO] },
    verdict: "unsure",
    reason: "the place moved before the action",
  },
  {
    name: "a checkbox that was clicked before",
    past: motion([[NOW - 900, BUTTON], [NOW - 400, BUTTON]], 0, [NOW - 950, NOW - 450]),
    seen: { regions: [BUTTON] },
    verdict: "hit",
    reason: "the place changed",
  },
  {
    name: "a page that has just been painted, once",
    past: motion([[NOW - 500, WINDOW]]),
    seen: { regions: [BUTTON] },
    verdict: "hit",
    reason: "the place changed",
  },
  { name: "unsettled", seen: { isSettled: false }, verdict: "unsure", reason: "the screen did not settle" },
  {
    name: "a busy program",
    seen: { isHandled: false },
    verdict: "unsure",
    reason: "the program has not handled the action yet",
  },
  {
    name: "the button that the pointer left",
    seen: { aim: { point: { x: 30, y: 30 }, left: point, area: WINDOW }, regions: [BUTTON, at(140, 100)] },
    verdict: "unsure",
    reason: "what the pointer left changed",
  },
  {
    name: "no position",
    seen: { aim: undefined, regions: [BUTTON] },
    verdict: "unsure",
    reason: "the action is not on the screen",
  },
];

for (const { name, past = motion([]), seen, verdict, reason } of CASES) {
  Deno.test(`verdict: ${name}`, () => {
    const evidence: Evidence = {
      aim: { point, area: WINDOW },
      regions: [],
      moving: past.movingAt(NOW),
      isKnown: past.isKnown(NOW),
      isSettled: true,
      ...seen,
    };
    assertEquals(judge(evidence), { verdict, reason } as ReturnType<typeof judge>);
  });
}

Deno.test("regions that touch are joined, and many become few", () => {
  assertEquals(joined([at(0, 0, 64, 64), at(64, 0, 64, 64), at(500, 500)]), [
    at(0, 0, 128, 64),
    at(500, 500),
  ]);
  const many = Array.from({ length: 100 }, (_, i) => at(i % 10 * 200, Math.floor(i / 10) * 200));
  assertEquals(joined(many).length <= 8, true);
});

Deno.test("changes from long ago are forgotten", () => {
  const past = motion(blinking(CARET));
  past.add({ at: NOW + 40_000, regions: [BUTTON] });
  assertEquals(past.after(0).length, 1);
  assertEquals(past.movingAt(NOW + 40_000).has(CARET), false);
});

// Regions of change: parts of small pictures that tile borders cut.

/** x, y, width and height. */
type Numbers = [number, number, number, number];

/** Tiles are 64 pixels wide and high. */
const REGIONS_CASES: [name: string, parts: Numbers[], wholes: Numbers[]][] = [
  ["a caret across two rows of tiles", [[704, 62, 5, 2], [704, 64, 5, 11]], [[704, 62, 5, 13]]],
  ["a caret across two columns", [[701, 70, 3, 13], [704, 70, 3, 13]], [[701, 70, 6, 13]]],
  [
    "a caret across a corner",
    [[701, 62, 3, 2], [704, 62, 3, 2], [701, 64, 3, 11], [704, 64, 3, 11]],
    [[701, 62, 6, 13]],
  ],
  ["two carets", [[10, 10, 2, 15], [80, 10, 2, 15]], [[10, 10, 2, 15], [80, 10, 2, 15]]],
  ["a button stays in its parts", [[20, 20, 44, 40], [64, 20, 30, 40]], [[20, 20, 44, 40], [64, 20, 30, 40]]],
  [
    "a row of small parts that is longer than a caret",
    [[44, 10, 20, 5], [64, 10, 20, 5]],
    [[44, 10, 20, 5], [64, 10, 20, 5]],
  ],
  [
    "a caret next to a button",
    [[100, 100, 28, 20], [704, 62, 5, 2], [704, 64, 5, 11]],
    [[100, 100, 28, 20], [704, 62, 5, 13]],
  ],
];

const region = ([x, y, width, height]: Numbers): Region => ({ x, y, width, height });

for (const [name, parts, wholes] of REGIONS_CASES) {
  Deno.test(`parts of small pictures: ${name}`, () => {
    assertEquals(uncut(parts.map(region)), wholes.map(region));
  });
}

// The verdict of several actions as one: a table.

const HIT: Judgement = { verdict: "hit", reason: "the place changed" };
const OPENED: Judgement = { verdict: "hit", reason: "a window opened" };
const MISS: Judgement = { verdict: "miss", reason: "nothing changed" };
const UNSURE: Judgement = { verdict: "unsure", reason: "the screen did not settle" };
const LATER: Judgement = { verdict: "unsure", reason: "something changed after the actions" };

const WHOLE_CASES: [name: string, parts: Judgement[], hasChanged: boolean, whole: Judgement][] = [
  ["an early hit", [HIT, MISS], true, HIT],
  ["the last of two hits", [OPENED, HIT], true, HIT],
  ["a hit and a doubt", [HIT, UNSURE], true, HIT],
  ["a doubt and a miss", [UNSURE, MISS], false, UNSURE],
  ["an effect after the last wait", [MISS, MISS], true, LATER],
  ["nothing at all", [MISS, MISS], false, MISS],
  ["one step, after which something changed", [MISS], true, LATER],
  ["a step that failed, and changed something", [], true, LATER],
  ["a step that failed, and changed nothing", [], false, MISS],
];

for (const [name, parts, hasChanged, whole] of WHOLE_CASES) {
  Deno.test(`the verdict of several steps: ${name}`, () => {
    assertEquals(wholeOf(parts, hasChanged), whole);
  });
}

// The end of an action's observation: a table of moments.

/** An action begins at 1000 ms and ends at 1010. */
const ENDING_CASES: [name: string, moments: Partial<Moments>, end: number][] = [
  ["an effect ends it when the screen is quiet", { changed: 1040, hasEffect: true, handled: 1012 }, 1070],
  ["an effect that another change follows", { changed: 1300, hasEffect: true, handled: 1012 }, 1330],
  ["an effect of a program that does not answer", { changed: 1040, hasEffect: true }, 1070],
  ["nothing, though the program answered immediately", { handled: 1012 }, 1410],
  ["nothing, on a busy machine", { handled: 1012, load: 2.5 }, 2010],
  ["nothing, on an idle machine", { handled: 1012, load: 0 }, 1410],
  ["nothing, and a program that answers late on a busy machine", { handled: 1900, load: 4 }, 2610],
  ["nothing, on a busy machine before another action", { handled: 1012, patience: "brief", load: 4 }, 1070],
  ["nothing, and a program that answers late", { handled: 1900 }, 2050],
  ["nothing, and a program that does not answer", {}, 3010],
  ["a change elsewhere just before the end", { changed: 1400, handled: 1012 }, 1430],
  ["a screen that never becomes quiet", { changed: 3005, hasEffect: true, handled: 1012 }, 3010],
  ["nothing, before another action follows", { handled: 1012, patience: "brief" }, 1070],
  ["an effect, before another action follows", { changed: 1040, hasEffect: true, patience: "brief" }, 1070],
  ["a program that does not answer, before another action follows", { patience: "brief" }, 1260],
  ["an effect before the action has returned", { changed: 1005, hasEffect: true }, 1035],
];

for (const [name, moments, end] of ENDING_CASES) {
  Deno.test(`the end of an observation: ${name}`, () => {
    assertEquals(endOf({ acted: 1000, done: 1010, hasEffect: false, ...moments }), end);
  });
}
