/** Text over HTTP: elements and letters, clicks, waiting, and refusals. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { dirname } from "@std/path";
import type { InputAction, Point } from "../../../control/desktop/desktop.ts";
import { elementSpans, type ElementText, merged } from "../../../control/read/find.ts";
import { readingWorker } from "../../../control/read/reader.ts";
import type { ReadLine } from "../../../control/read/reading.ts";
import { FrameMemory } from "../../../control/image/bitmap.ts";
import { OverdueError } from "../../../core/errors.ts";
import type { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { type ControlApi, controlApi } from "../../support/control.ts";
import { ElementsDesktop } from "../../support/elements.ts";
import { need } from "../../support/need.ts";
import { mustRun } from "../../support/shell.ts";

type Api = ControlApi<VirtualDesktop>;

const place = (x: number, y: number) => ({ x, y, width: 60, height: 20 });

/** A window with two Open buttons, a Save, a field named by a label, and a hidden field. */
function desktop(): ElementsDesktop {
  return new ElementsDesktop([
    { key: "1", role: "window", name: "Save", depth: 0, place: { x: 0, y: 0, width: 600, height: 400 } },
    { key: "2", name: "Open", place: place(20, 300) },
    { key: "3", name: "Save", place: place(100, 300) },
    { key: "4", name: "Open", place: place(180, 300) },
    { key: "5", role: "textbox", name: "File", value: "report.pdf", place: place(20, 200) },
    { key: "6", name: "Apply", place: place(300, 300), states: ["hidden"] },
    { key: "7", role: "combobox", name: "Format", value: "Landscape", place: place(20, 240) },
    { key: "8", name: "Outside", place: { x: 5000, y: 10, width: 50, height: 20 } },
  ]);
}

async function find(api: Api, body: unknown, query = "") {
  const answer = await api.request("POST", `/api/find${query}`, body);
  return { status: answer.status, ...await answer.json() };
}

/** The positions where a button went down. */
async function clicks(api: Api): Promise<number[][]> {
  const { actions } = await (await api.request("GET", "/api/history")).json();
  return actions.filter(({ type, down }: InputAction & { down?: boolean }) => type === "button" && down)
    .map(({ x, y }: Point) => [x, y]);
}

Deno.test("an element that has the text answers without reading, with its position and ref", async () => {
  const api = controlApi({ desktop: desktop() });
  const { status, matches: [match] } = await find(api, { text: "save" });
  assertEquals(status, 200);
  assertEquals(match, {
    ...place(100, 300),
    center: { x: 130, y: 310 },
    match: 1,
    text: "Save",
    source: "element",
    ref: match.ref,
    role: "button",
  });
  assertMatch(match.ref, /^e\d+$/);
  const { matches: [format] } = await find(api, { text: "Landscape", source: "element" });
  assertEquals(format.role, "combobox");
});

Deno.test("field names, and hidden or off-screen elements, are not text on the screen", async () => {
  const api = controlApi({ desktop: desktop() });
  for (const text of ["File", "Apply", "Outside", "Format"]) {
    assertEquals((await find(api, { text, source: "element" })).matches, [], text);
  }
});

Deno.test("a click needs one position: two alike are refused with both, nth and a region choose", async () => {
  const api = controlApi({ desktop: desktop() });
  const click = (more: object) => find(api, { text: "Open", click: "left", source: "element", ...more });
  assertEquals(await click({}), {
    status: 409,
    error: '"Open" appears 2 times: at 50,310, 210,310; give nth, or a region',
  });
  assertEquals(await clicks(api), []);
  assertEquals((await click({ nth: 2 })).matches[0].center, { x: 210, y: 310 });
  assertEquals((await click({ x: 10, y: 290, width: 100, height: 50 })).matches[0].center, { x: 50, y: 310 });
  assertEquals(await clicks(api), [[210, 310], [50, 310]]);
  assertEquals((await click({ nth: 3 })).error, '"Open" appears 2 times, but nth is 3');
  assertEquals(await click({ text: "Opens" }), {
    status: 404,
    error:
      'no text like "Opens" is on the screen; nearest: "Open" at 50,310 (match 0.8), "Open" at 210,310 (match 0.8)',
  });
});

Deno.test("matches are the best first, up to the limit; the nearest if none matches", async () => {
  const api = controlApi({ desktop: desktop() });
  const all = await find(api, { text: "open", source: "element", limit: 10 });
  assertEquals(all.matches.map(({ x }: { x: number }) => x), [20, 180]);
  assertEquals(all.nearest, undefined);
  const none = await find(api, { text: "Safe", source: "element" });
  assertEquals([none.matches, none.nearest[0].text, none.nearest[0].match], [[], "Save", 0.75]);
  assertEquals((await find(api, { text: "Safe", source: "element", match: 0.7 })).matches.length, 1);
  assertEquals((await find(api, { text: "save", source: "element", case: true, match: 1 })).matches, []);
});

Deno.test("a click on a match reports its effect if the query or the body asks for it", async () => {
  const api = controlApi({ desktop: desktop() }), text = { text: "Save", click: "left", source: "element" };
  const other = { ...text, text: "report.pdf" };
  for (const [body, query] of [[{ ...text, observe: true }, ""], [other, "?observe=true"]] as const) {
    const { status, matches, seen } = await find(api, body, query);
    assertEquals([status, matches.length], [200, 1]);
    assertMatch(seen.verdict, /^(hit|unsure)$/); // a click leaves a mark
  }
  const { seen } = await find(api, text);
  assertEquals(seen, undefined);
});

Deno.test("waits until a text appears or disappears", async () => {
  const made = desktop(), api = controlApi({ desktop: made });
  const gone = find(api, { text: "Save", source: "element", gone: true, timeout_ms: 60_000 });
  made.made = made.made.filter(({ key }) => key !== "3");
  assertEquals(await gone, { status: 200, matches: [] });
  const wait = async (text: object) => {
    const answer = await api.request("POST", "/api/wait", { text, timeout_ms: 300 });
    return [answer.status, await answer.json()];
  };
  const [status, { ok, match }] = await wait({ text: "report.pdf", source: "element" });
  assertEquals([status, ok, match.role], [200, true, "textbox"]);
  assertEquals(await wait({ text: "rapport.pdx", source: "element" }), [408, {
    error: '"rapport.pdx" did not appear within 300 ms; nearest: "report.pdf" at 50,210 (match 0.7272)',
  }]);
  assertEquals(await wait({ text: "report.pdf", source: "element", gone: true }), [408, {
    error: '"report.pdf" is still there after 300 ms, at 50,210',
  }]);
});

Deno.test("errors are explained, and --read-only only lets callers look", async () => {
  const api = controlApi({ desktop: desktop() });
  const cases: [body: unknown, query: string, error: RegExp][] = [
    [{ text: "" }, "", /^text must/],
    [{ text: " " }, "", /^text must contain a letter, digit or symbol/],
    [{ text: "a".repeat(201) }, "", /at most 200 characters/],
    [{}, "", /^Missing text/],
    [{ text: "a", match: 0.4 }, "", /^match must be a number from 0.5 to 1/],
    [{ text: "a", nth: 0 }, "", /^nth must/],
    [{ text: "a", source: "both" }, "", /^source must be one of element, screen/],
    [{ text: "a", gone: true }, "", /^Missing timeout_ms/],
    [{ text: "a", count: 2 }, "", /^Missing click/],
    [{ text: "a", observe: true }, "", /^Missing click: observe/],
    [{ text: "a", click: "left", observe: "yes" }, "", /^observe must be true, false or "elements"/],
    [{ text: "a", click: "left" }, "?limit=2", /^click and limit/],
    [{ text: "a", click: "left", gone: true }, "", /^click and gone/],
    [{ text: "a", width: 99_999 }, "", /width/],
    ["nothing", "", /^the body must be the bytes of a PNG or BMP file, or JSON such as/],
    ['{"text":', "", /JSON/],
  ];
  for (const [body, query, error] of cases) {
    const answer = await find(api, body, query);
    assertEquals(answer.status, 400, JSON.stringify(body));
    assertMatch(answer.error, error);
  }
  const large = await find(api, { text: "a", more: "x".repeat(70_000) });
  assertEquals([large.status, large.error], [
    413,
    "the JSON body is larger than the 65536 bytes allowed",
  ]);
  const closed = controlApi({ desktop: desktop(), readOnly: true });
  assertEquals((await find(closed, { text: "Save" })).status, 200);
  assertEquals((await find(closed, { text: "Save", click: "left" })).status, 403);
  assertEquals((await find(closed, { text: "Save" }, "?click=left")).status, 403);
});

Deno.test("a missing language is an error that says where its file belongs", async () => {
  const api = controlApi();
  const { status, error } = await find(api, { text: "Datei", language: "zzz" });
  assertEquals(status, 409);
  assertMatch(
    error,
    /^cannot read text: language "zzz" is missing; put zzz\.traineddata into .*languages, or install/,
  );
  assertMatch(
    (await find(api, { text: "a", language: "../x" })).error,
    /names have letters, digits, _ and - alone/,
  );
  assertMatch((await find(api, { text: "a", language: "/etc/x.traineddata" })).error, /names have letters/);
});

Deno.test("the letters of a screen are read if no element has the text", async () => {
  const api = controlApi(); // the title is not an element
  const { matches: [match] } = await find(api, { text: "clock", match: 0.8 });
  assertEquals(match.source, "screen");
  const windows = await (await api.request("GET", "/api/windows")).json();
  const clock = windows.windows.find(({ title }: { title: string }) => title === "Clock");
  assertEquals(match.center.x > clock.x && match.center.x < clock.x + 100, true);
  const text = await api.request("GET", "/api/text?format=text");
  assertMatch(await text.text(), /^cl[o0]ck?k$/im);
});

Deno.test("a text that moves while it is read is not clicked where it was, but read again", async () => {
  const api = controlApi(), { windows, screen } = api.desktop, take = screen.take.bind(screen);
  const clock = (await windows.list()).find(({ title }) => title === "Clock")!;
  const area = { x: clock.x - 50, y: clock.y - 20, width: 330, height: 260 }, large = 20_000;
  const search = { text: "clock", match: 0.8, source: "screen", ...area };
  const { matches: [before] } = await find(api, search);
  let jumps = 1, looks = 0;
  screen.take = (region, cursor) => {
    const frame = take(region, cursor);
    // The reading uses the second capture of the area.
    if (region.width * region.height > large && ++looks % 2 === 0 && jumps-- > 0) {
      void windows.change(clock, { to: "placed", region: { y: clock.y + 60 + 20 * jumps } });
    }
    return frame;
  };
  const clicked = await find(api, { ...search, click: "left" });
  assertEquals([clicked.status, clicked.matches[0].y], [200, before.y + 60]);
  const at = clicked.matches[0].center;
  assertEquals(await clicks(api), [[at.x, at.y]]);
  [jumps, looks] = [9, 0];
  const restless = await find(api, { ...search, click: "left" });
  assertEquals(restless.status, 409);
  assertMatch(restless.error, /^changed: /);
  assertEquals((await clicks(api)).length, 1);
});

// Text that is read and elements' text become one text, without duplicates.

function line(y: number, ...words: [text: string, x: number][]): ReadLine {
  const placed = words.map(([text, x]) => ({ text, x, y, width: 8 * text.length, height: 12 }));
  return { x: 0, y, width: 300, height: 12, words: placed };
}

const element = (text: string, x: number, y: number, width: number, height: number): ElementText => ({
  text,
  ref: "e1",
  role: "button",
  x,
  y,
  width,
  height,
});

Deno.test("an element's text replaces what was read of it", () => {
  const [other] = merged([line(0, ["5ave", 10], ["Cance1", 80])], [element("Save", 4, -4, 60, 20)]);
  assertEquals([other.text, other.source], ["5ave Cance1", "screen"]); // what was read is not in the element's text
  const good = merged([line(0, ["Save", 10], ["as..", 48], ["Cancel", 130])], [
    element("Save as…", 4, -4, 90, 20),
  ]);
  assertEquals(good.map(({ text, source }) => [text, source]), [["Cancel", "screen"], [
    "Save as…",
    "element",
  ]]);
});

Deno.test("an element of which nothing was read is added, and an element around others is not", () => {
  const icon = element("Close", 200, 0, 20, 20),
    row = element("Open", 0, 0, 300, 14),
    button = element("Open", 8, 0, 40, 14);
  const texts = merged([line(0, ["Open", 10])], [icon, row, button]);
  assertEquals(texts.map(({ text, x }) => [text, x]), [["Open", 8], ["Close", 200]]);
});

Deno.test("a paragraph of several lines is one text; a field that shows part of its text stays as read", () => {
  const lines = [line(0, ["All", 10], ["changes", 42]), line(16, ["are", 10], ["lost.", 42])];
  assertEquals(merged(lines, [element("All changes are lost.", 0, 0, 200, 30)]).map(({ text }) => text), [
    "All changes are lost.",
  ]);
  const long = `All changes ${"and many other words ".repeat(20)}`;
  assertEquals(merged(lines, [element(long, 0, 0, 200, 30)]).length, 2);
});

Deno.test(
  { ...need("mkfifo"), name: "a reader that hangs is an error, and later readings work" },
  async () => {
    const path = `${Deno.makeTempDirSync()}/eng.traineddata`, { operator } = controlApi();
    await mustRun("mkfifo", [path]); // like a file of a disk that is gone: reading it hangs
    using readers = new DisposableStack();
    const worker = readers.adopt(readingWorker(), (worker) => worker.close());
    const screen = await operator.share(operator.region({}), false, new FrameMemory());
    const read = (path?: string) =>
      worker.call({ screen, languages: [["eng", path]], left: new SharedArrayBuffer(4) });
    try {
      await assertRejects(
        () => read(path),
        OverdueError,
        "the text reader does not answer: it took more than ",
      );
      const { lines } = await read();
      assert(lines.some(({ words }) => words.some(({ text }) => text === "Orders")));
    } finally {
      // Ends the threads that read the pipe.
      const writer = await Deno.open(path, { read: true, write: true });
      writer.close();
      await Deno.remove(dirname(path), { recursive: true });
    }
  },
);

Deno.test("a short text in a page of long ones takes no time to find", () => {
  const place = { ref: "e1", role: "paragraph", x: 0, y: 0, width: 9, height: 9 };
  const texts = Array.from({ length: 5000 }, (_, i) => ({ ...place, text: `line ${i}, `.repeat(200) }));
  const wanted = { text: "a text that no line of the page contains", match: 0.9, keepsCase: false };
  assertEquals(elementSpans([...texts, { ...place, text: "Save" }], wanted), []);
});

Deno.test("an element is found by its whole text", () => {
  const texts = [
    element("Save", 0, 0, 40, 20),
    element("Save as…", 50, 0, 80, 20),
    element("Saved", 0, 40, 40, 20),
  ];
  const spans = elementSpans(texts, { text: "save", match: 0.9, keepsCase: false });
  assertEquals(spans.map(({ text, match }) => [text, match]), [["Save", 1], ["Save as…", 0.6777], [
    "Saved",
    0.8,
  ]]);
});
