/** The pure parts of a trace: its pace, its quota, a person's input, calls as curl, hidden titles. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import type { AnyAction } from "../../../control/actions/action.ts";
import { ACTIONS } from "../../../control/actions/mod.ts";
import { ENDPOINTS } from "../../../control/http/endpoints.ts";
import type { JsonSchema } from "../../../control/schema/schema.ts";
import {
  callEntry,
  HIDDEN_TEXTS,
  isTyping,
  keptMessage,
  keptValues,
  KEY_FIELDS,
  OWN,
  SHOWN_TEXTS,
} from "../../../control/trace/calls.ts";
import {
  entryLine,
  parseLine,
  type PersonEntry,
  pictureLine,
  type TraceEntry,
  traceHead,
} from "../../../control/trace/entry.ts";
import {
  baseName,
  createTraceFile,
  isTraceName,
  keepQuota,
  MARK,
  openTraceFolder,
  overQuota,
  type TraceFile,
  traceFiles,
} from "../../../control/trace/folder.ts";
import { ActiveWindow, PersonInput, titlePattern } from "../../../control/trace/person.ts";
import { oneWindow, quotedTitle } from "../../../control/windows/list.ts";
import { Pace } from "../../../control/trace/sink.ts";
import { FileChangedError } from "../../../core/errors.ts";
import { controlApi } from "../../support/control.ts";
import { temporary, until } from "../../support/shell.ts";
import { curlOf } from "../../../control/trace/viewer/detail.js";
import { callName, CALLS } from "../../../control/trace/viewer/list.js";
import { changedBoxes, Store } from "../../../control/trace/viewer/screen.js";

Deno.test("screenshots are frequent after an action, rare at rest, immediate before an action", () => {
  const pace = new Pace();
  pace.took(1000, 10_000);
  assertEquals(pace.due(10_000), 11_000);
  assertEquals(pace.due(10_050, true), 10_050);
  pace.acted(10_050);
  assertEquals([pace.due(10_060), pace.due(10_200)], [10_100, 10_200]);
  pace.took(1000, 12_000);
  assertEquals(pace.due(12_000), 13_000);
});

Deno.test("a scene that changes all the time uses less than 15 MB a minute", () => {
  for (const bytes of [20_000, 100_000, 1_000_000]) {
    const pace = new Pace();
    let now = 60_000, taken = 0;
    while (now < 660_000) {
      pace.acted(now);
      pace.took(bytes, now);
      taken += bytes;
      now = Math.max(pace.due(now, true), Math.min(pace.due(now), now + 50));
      now = Math.max(now, pace.due(now, true));
    }
    assert(taken / 10 < 15e6, `${bytes}: ${taken / 10} bytes a minute`);
  }
});

Deno.test("the quota removes expired files and then the oldest, never one being written", () => {
  const day = 86_400_000, now = 100 * day;
  const file = (name: string, age: number, bytes: number, isRunning = false): TraceFile => ({
    name,
    bytes,
    modified: new Date(now - age * day),
    isRunning,
  });
  const files = [
    file("a", 40, 10, true),
    file("b", 31, 10),
    file("c", 5, 30),
    file("d", 4, 30),
    file("e", 1, 30),
  ];
  for (
    const [bytes, room, removed] of [
      [1000, 0, ["b"]],
      [100, 0, ["b"]],
      [99, 0, ["b", "c"]],
      [100, 25, ["b", "c"]],
      [10, 0, ["b", "c", "d", "e"]],
    ] as [number, number, string[]][]
  ) assertEquals(overQuota(files, { bytes, days: 30 }, now, room), removed, `${bytes}, ${room}`);
});

Deno.test("file names consist of a time, the desktop and a name, and no path is one", () => {
  const started = new Date("2026-11-22T18:08:00.123Z");
  for (
    const [name, base] of [
      [undefined, "2026-11-22T18-08-00-x11"],
      ["log in", "2026-11-22T18-08-00-x11-log-in"],
      ["../../etc/passwd", "2026-11-22T18-08-00-x11-etc-passwd"],
      ["ж<b>", "2026-11-22T18-08-00-x11-b"],
      ["a".repeat(100), `2026-11-22T18-08-00-x11-${"a".repeat(40)}`],
    ] as [string | undefined, string][]
  ) {
    assertEquals(baseName(started, "x11", name), base);
    assert(isTraceName(`${base}.html`) && isTraceName(`${base}-2.html`), base);
  }
  for (
    const name of ["x.html", "../2026-11-22T18-08-00-x11.html", "2026-11-22T18-08-00-x11/a.html", "a.txt"]
  ) {
    assert(!isTraceName(name), name);
  }
});

Deno.test("a person's input becomes clicks, drags, wheel turns and key counts", () => {
  const entries: PersonEntry[] = [], person = new PersonInput((entry) => entries.push(entry));
  const button = (down: boolean, x: number, y: number) => ({
    type: "button" as const,
    button: "left" as const,
    down,
    x,
    y,
  });
  person.take(button(true, 10, 10), 1, false);
  person.take(button(false, 11, 10), 2, false);
  person.take(button(true, 10, 10), 3, false);
  person.take(button(false, 90, 10), 4, true);
  for (const t of [10, 20, 1100]) person.take({ type: "key", key: "a", down: true, text: "a" }, t, false);
  for (const t of [1200, 1210]) {
    person.take({ type: "scroll", direction: "down", amount: 1, x: 5, y: 6 }, t, false);
  }
  person.flush();
  assertEquals(entries, [
    { kind: "person", t: 1, what: "click", button: "left", at: { x: 10, y: 10 } },
    {
      kind: "person",
      t: 3,
      by: "replay",
      what: "drag",
      button: "left",
      at: { x: 10, y: 10 },
      to: { x: 90, y: 10 },
    },
    { kind: "person", t: 10, what: "keys", count: 2, ms: 10 },
    { kind: "person", t: 1100, what: "keys", count: 1, ms: 0 },
    { kind: "person", t: 1200, what: "scroll", direction: "down", amount: 2, at: { x: 5, y: 6 } },
  ]);
  assert(!JSON.stringify(entries).includes('"a"'));
});

Deno.test("the viewer's calls are those of the control API", () => {
  for (const [name, call] of Object.entries(CALLS)) {
    const row = ENDPOINTS.find(({ id }) => id === name);
    assertEquals(call, [row?.method, row?.path], name);
  }
  const entry = (values: unknown) => ({ t: 0, kind: "action", name: "activateWindow", values });
  assertEquals(
    curlOf(entry({ title: "It's" }))!.slice(-23),
    `-d '{"title":"It'\\''s"}'`.slice(-23),
  );
  for (
    const [url, shown] of [
      ["http://127.0.0.1:4710", "http://127.0.0.1:4710"],
      ["https://desk.example.org/desk", "https://desk.example.org/desk"],
      ["http://[::1]:4000", "http://[::1]:4000"],
      ["http://a$(touch b)", "http://localhost:4000"],
      ["http://a}`touch b`", "http://localhost:4000"],
      [undefined, "http://localhost:4000"],
    ] as const
  ) {
    const words = curlOf(entry({}), url)!.split(" ").filter((word) => word.includes("DESKHAND_URL"));
    assertEquals(words, [`"\${DESKHAND_URL:-${shown}}/api/window/activate"`]);
  }
  assertEquals(curlOf({ t: 0, kind: "action", name: "clickPicture", values: {} }), undefined);
  assertEquals(curlOf({ t: 0, kind: "action", name: "find", values: {} }), undefined); // its image is not stored
  assertEquals(["activateWindow", "clickPicture"].map(callName), ["window/activate", "clickPicture"]);
});

Deno.test("a step that failed or reads is over at its end; an action lasts up to the next change", () => {
  const store = new Store();
  const entries = [
    { t: 0, kind: "action", name: "click", effect: "act", ms: 20 },
    { t: 300, kind: "window", title: "About" },
    { t: 500, kind: "action", name: "wait", effect: "read", ms: 100 },
    { t: 700, kind: "action", name: "click", effect: "act", ms: 10 },
    { t: 900, kind: "window", title: "" },
    { t: 2000, kind: "person", what: "click", ms: 0 },
    { t: 4000, kind: "action", name: "wait", effect: "read", ms: 900, error: "it did not come" },
    { t: 4950, kind: "action", name: "click", effect: "act", ms: 10, error: "it is gone" },
    { t: 5100, kind: "end", why: "stopped" },
    { t: 6000, kind: "action", name: "type", effect: "act", ms: 10 },
    { t: 6100, kind: "action", name: "click", effect: "act", ms: 1, error: "x must be from 0 to 1279" },
  ];
  for (const entry of entries) store.take(`a${JSON.stringify(entry)}`);
  const after = store.entries.map((entry) => store.momentsOf(entry).after);
  assertEquals(after, [700, 300, 600, 900, 900, 3000, 4900, 4960, 5100, 7010, 6101]);
  assertEquals(store.failure?.t, 4000);
});

Deno.test("differences between two screenshots are outlined, touching parts together", () => {
  const image = (...at: [number, number][]) => {
    const data = new Uint8ClampedArray(100 * 80 * 4);
    for (const [x, y] of at) data[(y * 100 + x) * 4] = 1;
    return { width: 100, height: 80, data } as unknown as ImageData;
  };
  assertEquals(changedBoxes(image(), image()), []);
  assertEquals(changedBoxes(image([1, 1]), image([1, 1], [99, 79])), [{ x: 96, y: 72, width: 4, height: 8 }]);
  assertEquals(changedBoxes(image(), image([1, 1], [12, 3], [60, 60])), [
    { x: 0, y: 0, width: 16, height: 8 },
    { x: 56, y: 56, width: 8, height: 8 },
  ]);
});

Deno.test("a title pattern matches whole titles, in any case", () => {
  for (
    const [pattern, title, fits] of [
      ["KeePass*", "keepassXC - Passwords", true],
      ["KeePass*", "My KeePass", false],
      ["*bank*", "Your Bank (private)", true],
      ["a.b", "axb", false],
      ["Notes", "Notes 2", false],
    ] as [string, string, boolean][]
  ) assertEquals(titlePattern(pattern).test(title), fits, `${pattern}: ${title}`);
});

Deno.test("a file's head allows only its own script, and shows a hostile title as text", async () => {
  const head = await traceHead("</title><script>alert(1)</script>");
  assert(head.includes("<title>&#60;/title&#62;&#60;script&#62;alert(1)&#60;/script&#62;</title>"));
  const [, policy] = /content="(default-src[^"]*)"/.exec(head)!,
    [, script] = /<script>([^]*?)<\/script>/.exec(head)!;
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(script)))
    .toBase64();
  assert(policy.includes(`script-src 'sha256-${hash}'`) && policy.startsWith("default-src 'none'"));
  assertEquals(head.match(/<script/g)?.length, 1);
  assert(head.length < 70_000, `${head.length} characters`);
});

// Lines of a trace: each is read back as written, and no text ends a comment or becomes markup.

/** Texts that would break out of a comment, an element or JSON. */
const HOSTILE = [
  "-->",
  "--!>",
  "><script>alert(1)</script>",
  "<!-- <!--a{} --> -->",
  "\0 nul",
  "\ud800 a lone surrogate",
  "\u2028 a line\nand another\r\n",
  "]]>",
  'a "quoted" \\ text',
  "‮gpj.exe",
];

Deno.test("an entry with any text is one comment, and is read back unchanged", () => {
  for (const text of HOSTILE) {
    const entry: TraceEntry = { kind: "mark", t: 1, text }, line = entryLine(entry);
    assert(line.endsWith("-->\n"), text);
    assertEquals([line.indexOf(">"), line.indexOf("\n")], [line.length - 2, line.length - 1], text);
    assertEquals(parseLine(line.trimEnd()), entry, text);
  }
});

Deno.test("a screenshot's line has its time and size", () => {
  for (const length of [0, 1, 2, 3, 1000]) {
    const line = pictureLine(12.5, length === 3, new Uint8Array(length)).trimEnd();
    assertEquals(parseLine(line), { kind: "picture", t: 12.5, key: length === 3, bytes: length });
  }
});

Deno.test("other lines, and truncated lines, are not entries", () => {
  const line = entryLine({ kind: "mark", t: 1, text: "hello" }).trimEnd();
  for (const other of ["", "<style>", line.slice(0, -1), line.slice(0, -4), "<!--a{-->", "<!--p x AAAA-->"]) {
    assertEquals(parseLine(other), undefined, other);
  }
});

// Values as a trace stores them: no typed text, no key that types, no copied content.

const PLAIN = { keepsTexts: false, isSensitive: false };

/** The names of fields that accept any text, with those of groups and lists. */
function textFields(name: string, schema: JsonSchema): string[] {
  if (schema.type === "array") return textFields(name, schema.items as JsonSchema);
  if (schema.type === "string") return Array.isArray(schema.enum) ? [] : [name];
  return Object.entries(schema.properties ?? {}).flatMap(([name, one]) => textFields(name, one));
}

Deno.test("each text field of each action is listed as stored or not stored", () => {
  const named = [...HIDDEN_TEXTS, ...KEY_FIELDS, ...SHOWN_TEXTS];
  const unnamed = Object.values<AnyAction>(ACTIONS).filter(({ name }) => !OWN.has(name)).flatMap((action) =>
    Object.entries(action.input as Record<string, { schema: JsonSchema }>).flatMap(([name, { schema }]) =>
      textFields(name, schema).filter((field) => !named.includes(field)).map((field) =>
        `${action.name}: ${field}`
      )
    )
  );
  assertEquals(unnamed.filter((field) => !/^loadRecording: /.test(field)), []);
});

Deno.test("texts are stored as their length", () => {
  const png = new Uint8Array(5);
  for (
    const [action, values, kept] of [
      [ACTIONS.type, { text: "geheim 😀" }, { text: "8 characters" }],
      [ACTIONS.setClipboard, { text: "x" }, { text: "1 character" }],
      [ACTIONS.setClipboard, { png }, { png: "5 bytes" }],
      [ACTIONS.setElementText, { name: "Password", text: "geheim" }, {
        name: "Password",
        text: "6 characters",
      }],
      [ACTIONS.press, { key: "g" }, { key: "1 character" }],
      [ACTIONS.press, { button: "left", x: 1, y: 2 }, { button: "left", x: 1, y: 2 }],
      [ACTIONS.key, { keys: "ctrl+s" }, { keys: "ctrl+s" }],
      [ACTIONS.key, { keys: "shift+a" }, { keys: "7 characters" }],
      [ACTIONS.click, { x: 1, y: 2, hold: ["ctrl"] }, { x: 1, y: 2, hold: ["ctrl"] }],
      [ACTIONS.wait, { pixel: { x: 1, y: 2, hex: 0x00ff01 } }, { pixel: { x: 1, y: 2, hex: "#00ff01" } }],
      [ACTIONS.activateWindow, { title: "‮live" }, { title: "\\u{202e}live" }],
      [ACTIONS.findText, { text: "Sign in" }, { text: "Sign in" }],
      [ACTIONS.wait, { text: { text: "Welcome" } }, { text: { text: "Welcome" } }],
      [ACTIONS.activateWindow, { unknown: "secret" }, { unknown: "6 characters" }],
    ] as [AnyAction, Record<string, unknown>, unknown][]
  ) assertEquals(keptValues(action, values, PLAIN).values, kept as Record<string, unknown>);
});

Deno.test("texts are stored if requested, but never those that a caller declares secret", () => {
  const keeps = { keepsTexts: true, isSensitive: false };
  assertEquals(keptValues(ACTIONS.type, { text: "abc" }, keeps).values, { text: "abc" });
  const secret = keptValues(ACTIONS.type, { text: "abc" }, { keepsTexts: true, isSensitive: true });
  assertEquals(secret.values, { text: "secret" });
  assertEquals(keptValues(ACTIONS.press, { key: "a" }, { ...keeps, isSensitive: true }).values, {
    key: "secret",
  });
});

Deno.test("keys that type are distinguished from keys that command", () => {
  for (const keys of ["a", "A", "shift+a", "altgr+q", "space", "+", "exclam", "U20AC", "5"]) {
    assert(isTyping(keys), keys);
  }
  for (const keys of ["ctrl+a", "Return", "Tab", "f5", "alt+f4", "shift+Tab", "ctrl++", "super+l"]) {
    assert(!isTyping(keys), keys);
  }
});

Deno.test("messages quote nothing that is hidden", () => {
  const hidden = ["geheim"];
  assertEquals(
    keptMessage('text must be short, not "geheim"', hidden),
    "text must be short, not what was given",
  );
  assertEquals(keptMessage('there is no "geheim" here', hidden), 'there is no "…" here');
  assertEquals(
    keptMessage("text contains U+0001 (g), which cannot be typed: why", hidden),
    "text contains a character, which cannot be typed: why",
  );
  assertEquals(
    keptMessage('text must be a string, not "geh', [], true),
    "text must be a string, not what was given",
  );
  assertEquals(keptMessage("Missing button", [], true), "Missing button");
});

Deno.test({
  name: "a trace's files are created and removed in the open folder when a link replaces its path",
  ignore: Deno.build.os !== "linux",
}, async () => {
  await temporary(async (outside) => {
    await temporary(async (around) => {
      const path = `${around}/traces`, base = "2026-11-22T18-08-00-x11", name = `${base}.html`;
      await Deno.mkdir(path);
      for (const folder of [path, outside]) await Deno.writeTextFile(`${folder}/${name}`, MARK);
      using folder = openTraceFolder(path);
      assertEquals(traceFiles(path).map(({ name }) => name), [name]);
      await Deno.rename(path, `${around}/moved`);
      await Deno.symlink(outside, path);
      assertThrows(() => createTraceFile(folder, base, 2), FileChangedError);
      keepQuota(folder, { bytes: 0, days: 0 }, 1);
      assertEquals(Array.from(Deno.readDirSync(outside), ({ name }) => name), [name]);
    });
  });
});

Deno.test("no part of a hidden window's title is stored, however long it is, even while it is minimized", async () => {
  const { operator } = controlApi(), [first] = await operator.desktop.windows!.list();
  const title = `account 4711 ${"of a bank ".repeat(40)}- Vault`;
  const vault = { ...first, title, state: "minimized", active: true } as const;
  operator.desktop.windows!.list = () => Promise.resolve([vault, { ...vault, id: "0x2" }]);
  const hidden = new ActiveWindow(operator, [titlePattern("*vault")]);
  hidden.hiddenRegions(await operator.desktop.windows!.list());
  const active: string[] = [];
  hidden.open((_, title) => void active.push(title));
  await until(() => active, ({ length }) => length > 0);
  hidden.close();
  const error = assertThrows(() => oneWindow([vault, { ...vault, id: "0x2" }], { title: "account" }));
  const seen = {
    verdict: "changed",
    reason: `the dialog ${quotedTitle(vault)} is in the way`,
    regions: [],
    windows: { opened: [vault], closed: [] },
  };
  const call = { values: {}, caller: {}, t: 0, ms: 1, error, seen: seen as never };
  const entry = callEntry({ action: ACTIONS.activateWindow, ...call }, false, hidden.veil);
  assertEquals([active, entry.seen?.opened, entry.seen?.reason], [
    ["(hidden)"],
    ["(hidden)"],
    "the dialog (hidden) is in the way",
  ]);
  assertEquals(entry.error?.includes("4711"), false, entry.error);
});
