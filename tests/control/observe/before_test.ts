/** The steps before an action: a table of moments. */

import { assertEquals } from "@std/assert";
import { type MomentsBefore, type StepBefore, stepBefore } from "../../../control/observe/approach.ts";

/** The wait begins at 1000 ms. */
const CASES: [name: string, moments: Partial<MomentsBefore>, time: number, step: StepBefore][] = [
  ["nothing has changed, and the pointer is there", {}, 1000, "act"],
  ["a change just before, and the pointer is there", { changed: 990 }, 1000, 1050],
  ["the same, once it is quiet", { changed: 990 }, 1050, "act"],
  ["what goes on to change, and the pointer is there", { changed: 1395 }, 1400, "act"],
  ["the pointer has moved", { moved: 1005 }, 1006, 1043],
  ["the program is asked when nothing has changed for a while", { moved: 1005 }, 1035, "ask"],
  ["what the move changes delays that", { moved: 1005, changed: 1020 }, 1036, 1058],
  [
    "the answer of a program is waited for",
    { moved: 1005, questions: [{ asked: 1035 }] },
    1300,
    3000,
  ],
  ["a program that does not answer", { moved: 1005, questions: [{ asked: 1035 }] }, 3000, "act"],
  [
    "a program that answers at once has rested",
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
    "what the look found has the program asked again",
    { moved: 1005, changed: 1064, questions: [{ asked: 1035, answered: 1038 }], looked: 1065 },
    1094,
    "ask",
  ],
  [
    "a change at the moment of the question does too",
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
    "what goes on to change is waited for until its limit",
    { moved: 1005, changed: 1399 },
    1401,
    "act",
  ],
  [
    "the time of answers does not count",
    { moved: 1005, changed: 1399, questions: [{ asked: 1040, answered: 1140 }] },
    1401,
    1437,
  ],
  ["a thread that was late itself asks", { moved: 1005, changed: 1100 }, 1700, "ask"],
];

for (const [name, moments, time, step] of CASES) {
  Deno.test(`before an action: ${name}`, () => {
    assertEquals(stepBefore({ start: 1000, questions: [], ...moments }, time), step);
  });
}
