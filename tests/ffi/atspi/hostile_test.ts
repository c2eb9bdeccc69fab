/**
 * Hostile trees, and programs whose replies are wrong, too long, late or missing: others are read all the
 * same.
 */

import { assert, assertEquals, assertThrows, equal } from "@std/assert";
import { StateError } from "../../../core/errors.ts";
import { changeElement } from "../../../ffi/atspi/changes.ts";
import { objectOf, ROOT_PATH } from "../../../ffi/atspi/objects.ts";
import { ProgramReader } from "../../../ffi/atspi/program_reader.ts";
import {
  made,
  type MadeObject,
  type MadeProgram,
  MadeUpPrograms,
  type SocketKind,
  windowOf,
} from "../../support/made_up_programs.ts";
import { SESSION_BUS } from "../../support/session_bus.ts";
import { until } from "../../support/shell.ts";

const GOOD = made("Good", { "/a": { name: "Save" }, "/b": { name: "Name", role: 79, text: 3 } });
const GOOD_LINES = ["frame Good", "  button Save", "  textbox Name = xxx"];
/**
 * Maximum time of a read, and the extra time on a busy machine, in milliseconds: an endless read takes
 * minutes.
 */
const LONGEST_MS = 4000, BUSY_MS = 40_000;

/** Hostile programs, and the lines that deskhand reads from them; undefined if it may read none. */
const HOSTILE: [what: string, program: MadeProgram, lines?: string[]][] = [
  [
    "a cycle",
    made("Bad", {
      "/x": { name: "x", role: 39, children: ["/y"] },
      "/y": { name: "y", role: 39, children: ["/x", "/y", "/window", "/z"] },
      "/z": { name: "z" },
      "/top": { name: "top", role: 39, children: ["/x"] },
    }),
    ["frame Bad", "  panel top", "    panel x", "      panel y", "        button z"],
  ],
  [
    "references to nothing, an invalid name, an invalid path and the reader",
    made("Bad", {
      "/x": {
        ...{ name: "x", role: 39 },
        children: [" /org/a11y/atspi/null", "gap: /a", "self: /a", "org.freedesktop.DBus /", "/b"],
      },
      "/b": { name: "b" },
    }),
    ["frame Bad", "  panel x", "    button b"],
  ],
  ["a million children", made("Bad", { "/x": { name: "x", role: 39, children: ["many:1000000"] } })],
  ["300,000 children", made("Bad", { "/x": { name: "x", role: 39, children: ["many:300000"] } })],
  ["a name longer than MESSAGE_LIMIT", made("Bad", { "/x": { name: 20 << 20 }, "/y": { name: "y" } }), [
    "frame Bad",
    "  button ",
    "  button y",
  ]],
  [
    "a text of 2 MiB that does not report its length",
    made("Bad", { "/x": { name: "x", role: 79, text: 2 << 20 } }),
    ["frame Bad", `  textbox x = ${"x".repeat(2000)}`],
  ],
  ["values of other types", made("Bad", { "/x": { wrong: true }, "/y": { name: "y" } }), [
    "frame Bad",
    "  button y",
  ]],
  ["a cache of other types", made("Bad", { "/y": { name: "y" } }, { cache: "wrong" }), [
    "frame Bad",
    "  button y",
  ]],
  ["a name that never arrives", made("Bad", { "/x": { silent: ["Get"] }, "/y": { name: "y" } })],
  ["a cache that never arrives", made("Bad", { "/x": { name: "x" } }, { cache: "none" })],
  ["endless messages over its own socket", made("Bad", { "/x": { name: "x" } }, { ownSocket: "floods" })],
  ["an exit midway", made("Bad", { "/x": { name: "x" }, "/y": { name: "y" } }, { endsAt: 12 })],
];

/** Waits until a program's lines are read: on a busy machine it may answer later than a read waits. */
async function hasLines(programs: MadeUpPrograms, title: string, lines: string[]): Promise<void> {
  let last: string[] = [];
  await until(() => equal(last = programs.read(title).lines, lines)).catch(() => assertEquals(last, lines));
}

for (const [what, program, lines] of HOSTILE) {
  Deno.test(`${what}: the read ends in time, and other programs are read`, SESSION_BUS, async () => {
    await using programs = await MadeUpPrograms.start(program, GOOD);
    const bad = programs.read("Bad");
    assert(bad.ms < LONGEST_MS + BUSY_MS, `${bad.ms} ms`);
    if (lines && !equal(bad.lines, lines)) await hasLines(programs, "Bad", lines);
    await hasLines(programs, "Good", GOOD_LINES);
    assertEquals(programs.reader.calls.isLost, false);
  });
}

for (const cache of ["new", "old"] as const) {
  Deno.test(
    `elements of a cache with the ${cache} signature are in tree order`,
    SESSION_BUS,
    async () => {
      const objects = {
        "/list": { name: "list", role: 31, children: ["/b", "/a"] },
        "/b": { name: "b" },
        "/a": { name: "a" },
      };
      await using programs = await MadeUpPrograms.start(made("Cached", objects, { cache }));
      await hasLines(programs, "Cached", ["frame Cached", "  list list", "    button b", "    button a"]);
      await until(() => programs.read("Cached").isWhole);
    },
  );
}

Deno.test(
  "reads LibreOffice, which may crash when asked for its cache, without it",
  SESSION_BUS,
  async () => {
    const { objects } = made("Letter", { "/bold": { name: "Bold" } }), { [ROOT_PATH]: root } = objects;
    const named = { ...objects, [ROOT_PATH]: { ...root, name: "soffice" } };
    await using programs = await MadeUpPrograms.start({ objects: named, cache: "ends" });
    await hasLines(programs, "Letter", ["frame Letter", "  button Bold"]);
    const reader = new ProgramReader(programs.reader), windows = [windowOf("Letter")];
    const { elements } = reader.read({ windows, pids: [Deno.pid], places: false, watched: false });
    assertEquals(elements.map(({ name }) => name), ["soffice", "Letter", "Bold"]);
  },
);

Deno.test("reads children that a cache does not count one by one", SESSION_BUS, async () => {
  const objects = {
    "/rows": { name: "rows", role: 39, children: ["/row"], count: -1 },
    "/row": { name: "row", isLeftOut: true },
  };
  await using programs = await MadeUpPrograms.start(made("Rows", objects, { cache: "new" }));
  await hasLines(programs, "Rows", ["frame Rows", "  panel rows", "    button row"]);
});

Deno.test("reads the field in a label that Firefox's cache leaves out", SESSION_BUS, async () => {
  const { objects } = made("Page", {
    "/label": { name: "City", role: 29, children: ["/field"] },
    "/field": { name: "City", role: 79, text: 3, isLeftOut: true },
  });
  const { [ROOT_PATH]: root } = objects, named = { ...objects, [ROOT_PATH]: { ...root, toolkit: "Gecko" } };
  await using programs = await MadeUpPrograms.start({ objects: named, cache: "new" });
  await hasLines(programs, "Page", ["frame Page", "  label City", "    textbox City = xxx"]);
});

Deno.test("knows positions even if the window's element has none, as in Java", SESSION_BUS, async () => {
  const { objects } = made("Form", {
    "/pane": { name: "", role: 46, place: [1, 20, 398, 280], children: ["/save"] },
    "/save": { name: "Save", place: [5, 100, 80, 20] },
  });
  const window: MadeObject = { ...objects["/window"], place: [-1, -1, -1, -1] };
  await using programs = await MadeUpPrograms.start({ objects: { ...objects, "/window": window } });
  await hasLines(programs, "Form", ["frame Form", "  root pane ", "    button Save"]);
  const form = windowOf("Form"), { elements, places } = programs.reader.read(form, false);
  assertEquals([places, elements[0].place], ["screen", undefined]);
  const { key, place } = elements[2];
  assertEquals(place, { x: 5, y: 100, width: 80, height: 20 });
  assertEquals(programs.reader.reread(form, key)?.place, place);
});

Deno.test("rows that GTK has scrolled away have no position", SESSION_BUS, async () => {
  const objects = { "/row": { name: "row", place: [-2147483476, 40, 80, 20] } };
  await using programs = await MadeUpPrograms.start(made("Rows", objects));
  await hasLines(programs, "Rows", ["frame Rows", "  button row"]);
  const { elements } = programs.reader.read(windowOf("Rows"), false);
  assertEquals(elements[1].place, undefined);
});

Deno.test("does not request the text of a password or its contents", SESSION_BUS, async () => {
  const objects = {
    "/p": { name: "Secret", role: 40, text: 6, children: ["/dots"] },
    "/dots": { name: "••••••", role: 79, text: 6 },
  };
  for (const cache of [undefined, "new"] as const) {
    await using programs = await MadeUpPrograms.start(made("Ask", objects, { cache }));
    await hasLines(programs, "Ask", ["frame Ask", "  password Secret"]);
  }
});

Deno.test("a read reports whether it is late or only too long", SESSION_BUS, async () => {
  const slow = made("Slow", { "/x": { name: "x", silent: ["GetState"] } });
  const long = made("Long", { "/x": { name: "x", role: 39, children: ["many:3000"] } });
  await using programs = await MadeUpPrograms.start(slow, long);
  const read = (title: string) => programs.reader.read(windowOf(title), false);
  await until(() => read("Slow").isLate === true);
  await until(() =>
    equal([read("Long")].map(({ isWhole, isLate }) => [isWhole, isLate]), [[false, undefined]])
  );
});

Deno.test(
  "a press is refused while its program does not answer whether a menu is open",
  SESSION_BUS,
  async () => {
    const { objects } = made("Form", {
      "/save": { name: "Save" },
      "/x": { name: "x", silent: ["GetState"] },
    });
    const { [ROOT_PATH]: root } = objects, named = { ...objects, [ROOT_PATH]: { ...root, toolkit: "Qt" } };
    await using programs = await MadeUpPrograms.start({ objects: named });
    const { reader } = programs, window = windowOf("Form");
    const saved = () => reader.read(window, false).elements.find(({ name }) => name === "Save");
    const { key } = (await until(saved))!;
    for (const isRead of [false, true]) {
      assertThrows(
        () => reader.isUnderMenu(window, key, isRead),
        StateError,
        'the program of "Form" does not answer',
      );
    }
  },
);

Deno.test("a read whose caller leaves ends, and the next read is complete", SESSION_BUS, async () => {
  const left = new Int32Array(new SharedArrayBuffer(4)), leavesAt = { member: "GetExtents", left };
  const silent = made("Silent", { "/x": { name: "x", silent: ["GetExtents"] } }, { leavesAt });
  await using programs = await MadeUpPrograms.start(silent, GOOD);
  const { reader } = programs;
  reader.calls.left = left;
  const window = windowOf("Silent");
  await until(() => {
    left[0] = 0;
    try {
      return void reader.read(window, false);
    } catch (error) {
      return error;
    }
  }, (error) => error instanceof StateError && error.message === "the caller has left");
  reader.calls.left = undefined;
  await hasLines(programs, "Good", GOOD_LINES);
});

Deno.test(
  "a press whose caller leaves is finished if it has begun, and not begun otherwise",
  SESSION_BUS,
  async () => {
    const button = { name: "Save", actions: ["click"] };
    for (const [member, name] of [["GetName", "Save"], ["DoAction", "pressed"]]) {
      const left = new Int32Array(new SharedArrayBuffer(4)), leavesAt = { member, left };
      await using programs = await MadeUpPrograms.start(
        made("Form", { "/save": { ...button } }, { leavesAt }),
      );
      await hasLines(programs, "Form", ["frame Form", "  button Save"]);
      const { calls } = programs.reader, { elements } = programs.reader.read(windowOf("Form"), false);
      const press = () => changeElement(calls, objectOf(elements[1].key), { type: "press" });
      calls.left = left;
      if (name === "pressed") assertEquals(press(), true);
      else assertThrows(press, StateError, "the caller has left");
      assertEquals(left[0], 1);
      calls.left = undefined;
      await hasLines(programs, "Form", ["frame Form", `  button ${name}`]);
    }
  },
);

Deno.test("a silent program delays those after it only once", SESSION_BUS, async () => {
  const silent = made("Silent", {});
  silent.objects["/org/a11y/atspi/accessible/root"] = { children: [], silent: ["GetChildren", "Get"] };
  await using programs = await MadeUpPrograms.start(silent, GOOD);
  const first = programs.read("Silent");
  assert(first.ms >= 290, `${first.ms} ms`);
  await until(
    () => programs.read("Silent"),
    ({ ms }) => ms < first.ms / 3,
    ({ ms }) => `${ms} ms after ${first.ms} ms`,
  );
  await hasLines(programs, "Good", GOOD_LINES);
});

const OWN_SOCKETS: SocketKind[] = ["closes", "ends", "garbage", "silent", "missing", "another's"];

for (const ownSocket of OWN_SOCKETS) {
  Deno.test(
    `reads a program whose own socket is useless (${ownSocket}) over the bus`,
    SESSION_BUS,
    async () => {
      await using programs = await MadeUpPrograms.start({ ...GOOD, ownSocket });
      for (let read = 0; read < 2; read++) await hasLines(programs, "Good", GOOD_LINES);
    },
  );
}
