/** The steps before an action: a table of moments. */

import { assertEquals, assertMatch } from "@std/assert";
import type { LivePictures } from "../../../control/live/pictures.ts";
import { type MomentsBefore, type StepBefore, stepBefore } from "../../../control/observe/approach.ts";
import { ChangeWatch } from "../../../control/observe/watch.ts";
import { DesktopUnavailableError } from "../../../core/errors.ts";
import { now } from "../../../core/until.ts";
import { controlApi } from "../../support/control.ts";
import { ElementsDesktop } from "../../support/elements.ts";

/** The wait begins at 1000 ms. */
const CASES: [name: string, moments: Partial<MomentsBefore>, time: number, step: StepBefore][] = [
  ["nothing has changed, and the pointer is there", {}, 1000, "act"],
  ["something has just changed, and the pointer is there", { changed: 990 }, 1000, 1050],
  ["the same, once the screen is quiet", { changed: 990 }, 1050, "act"],
  ["something keeps changing, and the pointer is there", { changed: 1395 }, 1400, "act"],
  ["the pointer has moved", { moved: 1005 }, 1006, 1043],
  ["the program is asked when nothing has changed for a while", { moved: 1005 }, 1035, "ask"],
  ["a change caused by the move delays that", { moved: 1005, changed: 1020 }, 1036, 1058],
  [
    "the program's answer is awaited",
    { moved: 1005, questions: [{ asked: 1035 }] },
    1300,
    3000,
  ],
  ["a program that does not answer", { moved: 1005, questions: [{ asked: 1035 }] }, 3000, "act"],
  [
    "a program that answers immediately is idle",
    { moved: 1005, questions: [{ asked: 1035, answered: 1038 }] },
    1040,
    1065,
  ],
  [
    "a look comes before the action",
    { moved: 1005, questions: [{ asked: 1035, answered: 1038 }] },
    1065,
    "look",
  ],
  [
    "then the action",
    { moved: 1005, questions: [{ asked: 1035, answered: 1038 }], looked: 1065 },
    1066,
    "act",
  ],
  [
    "a change found by the look causes another question",
    { moved: 1005, changed: 1064, questions: [{ asked: 1035, answered: 1038 }], looked: 1065 },
    1094,
    "ask",
  ],
  [
    "so does a change at the moment of the question",
    { moved: 1005, changed: 1034, questions: [{ asked: 1035, answered: 1036 }] },
    1064,
    "ask",
  ],
  [
    "a program that answers late may have something to draw",
    { moved: 1005, questions: [{ asked: 1035, answered: 1100 }] },
    1101,
    1120,
  ],
  [
    "so it is asked again",
    { moved: 1005, questions: [{ asked: 1035, answered: 1100 }] },
    1120,
    "ask",
  ],
  [
    "two late answers are enough",
    { moved: 1005, questions: [{ asked: 1035, answered: 1100 }, { asked: 1120, answered: 1200 }] },
    1220,
    "look",
  ],
  [
    "continuing changes are awaited up to a limit",
    { moved: 1005, changed: 1399 },
    1401,
    "act",
  ],
  [
    "time spent on answers does not count",
    { moved: 1005, changed: 1399, questions: [{ asked: 1040, answered: 1140 }] },
    1401,
    1437,
  ],
  ["a thread that is itself late asks", { moved: 1005, changed: 1100 }, 1700, "ask"],
];

for (const [name, moments, time, step] of CASES) {
  Deno.test(`before an action: ${name}`, () => {
    assertEquals(stepBefore({ start: 1000, questions: [], ...moments }, time), step);
  });
}

// Changes of elements in the answers of actions, and the calls that accept `observe`, on a virtual desktop
// with elements.

const names = (elements: { name: string }[]) => elements.map(({ name }) => name);

Deno.test("element changes are reported if requested", async () => {
  const desktop = new ElementsDesktop([
    { key: "a", role: "textbox", name: "Name", value: "", states: ["focused"] },
    { key: "b", name: "Next", states: ["disabled"] },
    { key: "c", name: "Help" },
    { key: "d", name: "Still there", place: { x: 1, y: 1, width: 5, height: 5 } },
  ]);
  const { request } = controlApi({ desktop });
  desktop.onChange = (_, change) => {
    if (change.type !== "set") return false;
    desktop.made = [
      { key: "a", role: "textbox", name: "Name", value: change.text },
      { key: "b", name: "Next", states: ["focused"] },
      { key: "d", name: "Still there", place: { x: 9, y: 9, width: 5, height: 5 } },
      { key: "e", name: "Undo" },
    ];
    return true;
  };
  const body = { role: "textbox", name: "Name", text: "Ann", observe: "elements" };
  const { ok, seen } = await (await request("POST", "/api/element/set", body)).json();
  assertEquals([ok, seen.verdict], [true, "hit"], JSON.stringify(seen));
  const { added, changed, removed } = seen.elements;
  assertEquals([added, changed, removed].map(names), [["Undo"], ["Name", "Next"], ["Help"]]);
  assertEquals([changed[0].value, seen.focus.name], ["Ann", "Next"]);
  assertMatch(added[0].ref, /^e\d+$/);

  const alone = await (await request("POST", "/api/key", { keys: "a", observe: true })).json();
  assertEquals([alone.seen.elements, alone.seen.focus], [undefined, undefined]);

  desktop.silent = "its program has none";
  const { seen: silent } = await (await request("POST", "/api/key", { keys: "a", observe: "elements" }))
    .json();
  assertMatch(silent.elements.silent, /shows no elements: its program has none$/);
});

Deno.test("every acting call accepts observe, in the query if the body has its own format", async () => {
  const { request } = controlApi();
  const calls: [method: string, path: string, body?: unknown][] = [
    ["PUT", "/api/clipboard?observe=true", { text: "a" }],
    ["DELETE", "/api/recording?observe=true"],
    ["POST", "/api/recording/start", { observe: true }],
    ["POST", "/api/window/activate", { title: "Notes", observe: true }],
  ];
  for (const [method, path, body] of calls) {
    const answer = await (await request(method, path, body)).json();
    assertMatch(String(answer.seen?.verdict), /^(hit|miss|unsure)$/, `${path}: ${JSON.stringify(answer)}`);
  }
  const wrong: [method: string, path: string, body: unknown, message: string][] = [
    [
      "POST",
      "/api/key",
      { keys: "a", observe: "all" },
      'observe must be true, false or "elements", not "all"',
    ],
    [
      "PUT",
      "/api/clipboard?observe=1",
      { text: "a" },
      'observe must be true, false or "elements", not "1"',
    ],
  ];
  for (const [method, path, body, message] of wrong) {
    const answer = await request(method, path, body);
    assertEquals([answer.status, (await answer.json()).error], [400, message]);
  }
});

// Waits for changes: which changes end them.

const LONG_MS = 3_600_000;

/** A watch whose changes the test reports. */
async function watched() {
  const pictures = { add() {}, start() {}, endLater() {} } as unknown as LivePictures;
  const watch = new ChangeWatch(pictures);
  const change = (look?: number) =>
    watch.receive({
      type: "changes",
      at: now(),
      regions: Int32Array.of(10, 20, 30, 40),
      hasPointer: false,
      ...(look === undefined ? {} : { look }),
    });
  const begun = watch.watch();
  change(0);
  const watching = await begun;
  return {
    watch,
    change,
    [Symbol.dispose]() {
      watching[Symbol.dispose]();
      watch.close();
    },
  };
}

Deno.test("a change ends a wait for the next change", async () => {
  using stage = await watched();
  const waiting = stage.watch.next(LONG_MS);
  stage.change();
  await waiting;
});

Deno.test("a change ends only a wait whose end is later than the change's own time", async () => {
  using stage = await watched();
  const other = Promise.withResolvers<void>(), ended: string[] = [];
  const waits = [
    stage.watch.next(LONG_MS, undefined, 30).then(() => ended.push("long")),
    stage.watch.next(LONG_MS, other.promise, Infinity).then(() => ended.push("other event")),
  ];
  stage.change();
  await waits[0];
  const later = stage.watch.next(LONG_MS).then(() => ended.push("later"));
  stage.change();
  await later; // which listens last, and so ends last
  assertEquals(ended, ["long", "later"]);
  other.resolve();
  await waits[1];
  assertEquals(ended, ["long", "later", "other event"]);
});

Deno.test("a wait that misses changes ends when its time is over", async () => {
  using stage = await watched();
  const waiting = stage.watch.next(5, undefined, LONG_MS);
  stage.change();
  await waiting;
});

Deno.test("a second watch begins immediately, and knows the changes of the first", async () => {
  using stage = await watched();
  stage.change();
  using _second = await stage.watch.watch();
  assertEquals(stage.watch.motion?.count, 2);
});

Deno.test("a failed watch ends the wait for changes, whose answer says that some are missing", async () => {
  const api = controlApi(), { screen } = api.desktop, capture = screen.capture;
  const changes = async (query = "") => await (await api.request("GET", `/api/changes${query}`)).json();
  const { serial } = await changes(), waiting = changes(`?since=${serial}&wait_ms=600000`);
  screen.capture = () => {
    screen.capture = capture;
    return Promise.reject(new DesktopUnavailableError("no picture now"));
  };
  const { cut, serial: later, error } = await waiting;
  assertEquals([error, cut, later > serial], [undefined, true, true]);

  screen.capture = () => Promise.reject(new DesktopUnavailableError("the desktop is gone"));
  assertMatch((await changes(`?since=${later}&wait_ms=600000`)).error, /the desktop is gone/);
});
