/** Windows on a virtual desktop: choosing, changing, waiting. */

import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import type { WindowChange, WindowInfo } from "../../control/desktop/desktop.ts";
import { StateError } from "../../core/errors.ts";
import { encodePng } from "../../control/image/png.ts";
import { bmpOfPng } from "../../control/image/read_picture.ts";
import {
  differenceOf,
  isOther,
  matchingWindows,
  oneWindow,
  titledWindow,
  type WindowQuery,
} from "../../control/windows/list.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import { keptFrame } from "../support/clipboard_tools.ts";
import { controlApi } from "../support/control.ts";

const window = (id: string, title: string, name: string, pid: number, active = false): WindowInfo => ({
  id,
  title,
  class: name,
  pid,
  active,
  state: "normal",
  x: 0,
  y: 0,
  width: 10,
  height: 10,
});
const WINDOWS = [
  window("0x1a", "Notes - Draft", "Editor", 10, true),
  window("0x2b", "notes", "XTerm", 11),
  window("0x3c", "", "XTerm", 12),
];

const QUERIES: [query: WindowQuery, ids: string[]][] = [
  [{}, ["0x1a", "0x2b", "0x3c"]],
  [{ title: "NOTES" }, ["0x1a", "0x2b"]],
  [{ title: "notes", class: "xterm" }, ["0x2b"]],
  [{ class: "term" }, []],
  [{ id: "0x3C" }, ["0x3c"]],
  [{ pid: 12 }, ["0x3c"]],
  [{ active: false }, ["0x2b", "0x3c"]],
  [{ active: true, title: "term" }, []],
];
for (const [query, ids] of QUERIES) {
  Deno.test(`the query ${JSON.stringify(query)} means ${ids.join(", ") || "no window"}`, () => {
    assertEquals(matchingWindows(WINDOWS, query).map(({ id }) => id), ids);
  });
}

Deno.test("any takes the front one of several windows", () => {
  assertEquals(oneWindow(WINDOWS, { title: "notes" }, true).id, "0x1a");
});

async function list(request: ReturnType<typeof controlApi>["request"]): Promise<WindowInfo[]> {
  return (await (await request("GET", "/api/windows")).json()).windows;
}

Deno.test("windows are listed front first, and each change returns the window's new state", async () => {
  const { request } = controlApi();
  const shown = (await list(request)).map(({ title, active }) => [title, active]);
  assertEquals(shown, [["Notes", true], ["Clock", false], ["Form", false]]);
  const steps: [path: string, body: object, expected: Partial<WindowInfo>][] = [
    ["activate", { title: "clock" }, { title: "Clock", active: true, state: "normal" }],
    ["maximize", { title: "clock" }, { state: "maximized", x: 0, y: 0, width: 1280, height: 676 }],
    ["minimize", { title: "clock" }, { state: "minimized", active: false }],
    ["activate", { class: "clock", title: "clock" }, { state: "normal", active: true, width: 200 }],
    ["fullscreen", { id: "0x2" }, { state: "fullscreen", width: 1280 }],
    ["restore", { id: "0x2" }, { state: "normal", x: 980, y: 40 }],
    ["place", { id: "0x2", x: -20, height: 300 }, { x: -20, y: 40, width: 200, height: 300 }],
    ["place", { id: "0x2", x: -20, y: 40, width: 200, height: 300 }, { x: -20, y: 40 }],
  ];
  for (const [path, body, expected] of steps) {
    const response = await request("POST", `/api/window/${path}`, body);
    const answer = await response.json();
    assertEquals(response.status, 200, `${path}: ${JSON.stringify(answer)}`);
    for (const [name, value] of Object.entries(expected)) {
      assertEquals(answer[name], value, `${path} ${name}`);
    }
  }
  assertEquals(await (await request("POST", "/api/window/close", { title: "clock" })).json(), { ok: true });
  assertEquals((await list(request)).map(({ title }) => title), ["Notes", "Form"]);
});

Deno.test("a whole title comes before titles that contain it", () => {
  const window = {
    class: "",
    pid: 1,
    x: 0,
    y: 0,
    width: 9,
    height: 9,
    state: "normal" as const,
    active: false,
  };
  const windows = ["Save As", "Save", "Saved"].map((title, i) => ({ ...window, id: `0x${i}`, title }));
  assertEquals(oneWindow(windows, { title: "save" }).title, "Save");
  assertEquals(titledWindow(windows, "save").title, "Save");
  assertEquals(titledWindow(windows, "sav").title, "Save As");
  assertThrows(() => oneWindow([...windows, windows[1]], { title: "Save" }), StateError, "2 windows match");
});

const REFUSED: [path: string, body: object, status: number, error: RegExp][] = [
  ["activate", {}, 400, /^Missing id, title, class or pid \(or any: true, for the front one\)$/],
  ["activate", { title: "nothing" }, 404, /^no window matches title "nothing"$/],
  [
    "close",
    { title: "o" },
    409,
    /^3 windows match title "o": 0x1 "Notes", 0x2 "Clock", 0x3 "Form"; specify id$/,
  ],
  ["place", { title: "clock" }, 400, /^Missing x, y, width or height$/],
  ["place", { title: "clock", width: 0 }, 400, /^width must be a whole number from 1/],
  ["activate", { id: "17" }, 400, /^id must be an id such as 0x/],
  ["activate", { any: false }, 400, /^Missing id, /],
  ["activate", { titel: "clock" }, 400, /did you mean title\?$/],
];
for (const [path, body, status, error] of REFUSED) {
  Deno.test(`${path} of ${JSON.stringify(body)} is a ${status}`, async () => {
    const { request } = controlApi();
    const response = await request("POST", `/api/window/${path}`, body);
    assertEquals(response.status, status);
    assertMatch((await response.json()).error, error);
  });
}

Deno.test("a change that does not show in time is a 408, and a window that closes before it a 404", async () => {
  const desktop = new VirtualDesktop(), { request } = controlApi({ desktop });
  desktop.windows.change = () => Promise.resolve(); // a program that does not react
  const late = await request("POST", "/api/window/close", { title: "clock", timeout_ms: 30 });
  assertEquals([late.status, (await late.json()).error], [
    408,
    "the window is not closed after 30 ms; it is normal",
  ]);
  desktop.windows.change = ({ id }) => {
    desktop.windows.close(desktop.windows.all.find((window) => window.id === id)!);
    return Promise.resolve();
  };
  const gone = await request("POST", "/api/window/maximize", { title: "clock" });
  assertEquals(gone.status, 404);
});

Deno.test("a new state is answered with the bounds that follow it", async () => {
  const desktop = new VirtualDesktop(), { request } = controlApi({ desktop });
  const { list } = desktop.windows, before = await list.call(desktop.windows);
  let looks = 0;
  desktop.windows.list = async () => {
    const isLate = looks++ <= 1; // before the change, and at the first look after it
    return (await list.call(desktop.windows)).map((window, i) => {
      const { x, y, width, height } = before[i];
      return isLate ? { ...window, x, y, width, height } : window;
    });
  };
  const answer = await (await request("POST", "/api/window/maximize", { title: "notes" })).json();
  assertEquals([answer.state, answer.x, answer.width], ["maximized", 0, 1280]);
});

Deno.test({
  name: "on a busy machine, a new state is answered with bounds that follow it late",
  ignore: Deno.build.os !== "linux",
}, async () => {
  while (Deno.loadavg()[0] === 0); // works until the system has counted it
  const desktop = new VirtualDesktop(), { request } = controlApi({ desktop });
  const { list, change } = desktop.windows, before = await list.call(desktop.windows);
  let changedAt = Infinity;
  desktop.windows.change = async (...given) => {
    await change.apply(desktop.windows, given);
    changedAt = performance.now();
  };
  desktop.windows.list = async () => {
    const isLate = performance.now() < changedAt + 600;
    return (await list.call(desktop.windows)).map((window, i) => {
      const { x, y, width, height } = before[i];
      return isLate ? { ...window, x, y, width, height } : window;
    });
  };
  Object.defineProperty(navigator, "hardwareConcurrency", { value: 1e-9, configurable: true });
  try {
    const answer = await (await request("POST", "/api/window/maximize", { title: "notes" })).json();
    assertEquals([answer.state, answer.x, answer.width], ["maximized", 0, 1280]);
  } finally {
    Reflect.deleteProperty(navigator, "hardwareConcurrency"); // restores the prototype's
  }
});

Deno.test("bounds that a window manager does not allow end the wait with the actual ones", async () => {
  const desktop = new VirtualDesktop(), { request } = controlApi({ desktop });
  const change = desktop.windows.change.bind(desktop.windows);
  desktop.windows.change = (window: WindowInfo, wanted: WindowChange) =>
    change(window, wanted.to === "placed" ? { to: "placed", region: { ...wanted.region, x: 0 } } : wanted);
  const answer = await (await request("POST", "/api/window/place", { title: "clock", x: -50, width: 90 }))
    .json();
  assertEquals([answer.x, answer.width], [0, 90]);
  desktop.windows.change = () => Promise.resolve();
  const kept = await (await request("POST", "/api/window/place", { title: "clock", x: 5 })).json();
  assertEquals(kept.x, 0);
});

Deno.test("wait ends when a window is open, active or gone", async () => {
  const desktop = new VirtualDesktop(), { request } = controlApi({ desktop });
  const wait = (window: object, timeout_ms = 5000) => request("POST", "/api/wait", { window, timeout_ms });
  const there = await (await wait({ title: "clock" })).json();
  assertEquals([there.ok, there.window.title], [true, "Clock"]);
  const active = wait({ title: "clock", active: true });
  await request("POST", "/api/window/activate", { title: "clock" });
  assertEquals((await (await active).json()).window.active, true);
  const gone = wait({ title: "clock", gone: true });
  await request("POST", "/api/window/close", { title: "clock" });
  const answer = await (await gone).json();
  assertEquals([answer.ok, answer.window], [true, undefined]);
  const never = await wait({ title: "clock" }, 30);
  assertEquals([never.status, (await never.json()).error], [
    408,
    'no window matches title "clock" within 30 ms',
  ]);
});

Deno.test("a window's screenshot is the part of the screen that it covers", async () => {
  const { request } = controlApi();
  const size = async (query: string) => {
    const response = await request("GET", `/api/screenshot?${query}`);
    if (response.status !== 200) return [response.status, (await response.json()).error];
    const view = new DataView((await response.bytes()).buffer);
    return [view.getInt32(18, true), view.getInt32(22, true)];
  };
  assertEquals(await size("window=0x2"), [200, 120]);
  await request("POST", "/api/window/place", { id: "0x2", x: -150, y: 700 });
  assertEquals(await size("window=0x2"), [50, 20]);
  await request("POST", "/api/window/place", { id: "0x2", x: 1280 });
  assertEquals(await size("window=0x2"), [409, "window 0x2 is off the screen"]);
  await request("POST", "/api/window/minimize", { id: "0x2" });
  assertEquals(await size("window=0x2"), [409, "window 0x2 is minimized"]);
  assertEquals((await size("window=0x2&x=1"))[0], 400);
  assertEquals((await size("window=0x77"))[0], 404);
});

Deno.test("under --read-only windows are listed and nothing changes them", async () => {
  const { request } = controlApi({ readOnly: true });
  assertEquals((await list(request)).length, 3);
  const closed = await request("POST", "/api/window/close", { title: "clock" });
  assertEquals(closed.status, 403);
  assert((await list(request)).length === 3);
});

// The difference between two window lists: a table.

/** Windows as `id:pid`; a star marks the active one, and one without a program has no pid. */
function windows(...texts: string[]): WindowInfo[] {
  return texts.map((text) => {
    const [id, pid] = text.replace("*", "").split(":");
    const place = { x: 0, y: 0, width: 10, height: 10 }, active = text.endsWith("*");
    return {
      id,
      title: "",
      class: "",
      ...(pid ? { pid: Number(pid) } : {}),
      ...place,
      state: "normal",
      active,
    };
  });
}

/**
 * A case: the windows before and after, the ids of opened and of closed windows, and the new active window's
 * id.
 */
const CASES: [
  name: string,
  before: string[],
  after: string[],
  opened: string,
  closed: string,
  active?: string,
][] = [
  ["the same windows", ["a:1*", "b:2"], ["b:2", "a:1*"], "", ""],
  ["one more window", ["a:1*"], ["b:2", "a:1*"], "b", ""],
  ["one fewer window", ["a:1*", "b:2"], ["a:1*"], "", "b"],
  ["another active one", ["a:1*", "b:2"], ["a:1", "b:2*"], "", "", "b"],
  ["no longer an active one", ["a:1*"], ["a:1"], "", "", "none"],
  ["another program's window with the id of a closed one", ["a:1"], ["a:2"], "a", "a"],
  ["the same when it is active", ["a:1*"], ["a:2*"], "a", "a", "a"],
  ["a window that reports its program late", ["a*"], ["a:1*"], "", ""],
];

for (const [name, before, after, opened, closed, active] of CASES) {
  Deno.test(`the difference between windows: ${name}`, () => {
    const lists = [windows(...before), windows(...after)] as const, difference = differenceOf(...lists);
    const ids = (list: WindowInfo[]) => list.map(({ id }) => id).join();
    assertEquals([ids(difference.opened), ids(difference.closed)], [opened, closed]);
    assertEquals(difference.active === null ? "none" : difference.active?.id, active);
    assertEquals(isOther(...lists), opened + closed !== "" || active !== undefined);
  });
}

// A virtual desktop's clipboard over HTTP.

Deno.test("text comes back as written, including empty text", async () => {
  const { request } = controlApi();
  const read = async (query = "") => await (await request("GET", `/api/clipboard${query}`)).json();
  assertEquals(await read(), { types: [] });
  for (const text of ["héllo €5 漢字 😀\r\n\t", "", "a".repeat(1_000_000)]) {
    assertEquals((await request("PUT", "/api/clipboard", { text })).status, 200);
    assertEquals(await read(), { text, types: ["text"] });
  }
  assertEquals(await read("?selection=primary"), { types: [] });
  assertEquals((await request("PUT", "/api/clipboard", { text: "p", selection: "primary" })).status, 200);
  assertEquals((await read("?selection=primary")).text, "p");
});

Deno.test("an image comes back byte for byte, and its first bytes distinguish it from text", async () => {
  const { request } = controlApi();
  const png = await encodePng(
    await keptFrame(new VirtualDesktop().screen, { x: 0, y: 0, width: 9, height: 7 }, false),
  );
  const put = await request("PUT", "/api/clipboard", undefined, { body: png });
  assertEquals(put.status, 200);
  assertEquals(await (await request("GET", "/api/clipboard")).json(), { types: ["png"] });
  const picture = await request("GET", "/api/clipboard?format=png");
  assertEquals(picture.headers.get("content-type"), "image/png");
  assertEquals(await picture.bytes(), png);
  await request("PUT", "/api/clipboard", { text: "x" });
  const none = await request("GET", "/api/clipboard?format=png");
  assertEquals([none.status, (await none.json()).error], [404, "there is no picture on the clipboard"]);
});

Deno.test("an image that a program offers only as a bitmap is answered as PNG", async () => {
  const desktop = new VirtualDesktop(), { request } = controlApi({ desktop });
  const png = await encodePng(await keptFrame(desktop.screen, { x: 0, y: 0, width: 9, height: 7 }, false));
  const bmp = bmpOfPng(png), read = (bmp: Uint8Array<ArrayBuffer>) => () => Promise.resolve({ bmp });
  Object.assign(desktop.clipboard, { read: read(bmp) });
  const picture = await request("GET", "/api/clipboard?format=png");
  assertEquals(picture.headers.get("content-type"), "image/png");
  assertEquals(bmpOfPng(await picture.bytes()), bmp);
  Object.assign(desktop.clipboard, { read: read(bmp.subarray(0, 60)) });
  const damaged = await request("GET", "/api/clipboard?format=png");
  assertEquals(damaged.status, 409);
});

const WRONG: [body: unknown, status: number, error: RegExp][] = [
  [{}, 400, /^Missing text$/],
  [{ text: 5 }, 400, /^text must be a string, not 5$/],
  [{ text: "a", selection: "secondary" }, 400, /^selection must be one of clipboard, primary/],
  ["{", 400, /not valid JSON/],
  ["a".repeat(16 * 1024 * 1024 + 1), 413, /larger than the 16777216 bytes/],
];
for (const [body, status, error] of WRONG) {
  Deno.test(`the clipboard refuses ${JSON.stringify(body).slice(0, 40)} with ${status}`, async () => {
    const { request } = controlApi();
    const response = await request("PUT", "/api/clipboard", body);
    assertEquals(response.status, status);
    assertMatch((await response.json()).error, error);
  });
}

Deno.test("a desktop without a clipboard, or without a selection, says so with 409", async () => {
  const desktop = new VirtualDesktop(), { request } = controlApi({ desktop });
  Object.assign(desktop.clipboard, { selections: ["clipboard"] });
  assertEquals((await request("GET", "/api/clipboard?selection=primary")).status, 409);
  Object.assign(desktop, { clipboard: undefined, windows: undefined });
  const missing = await request("GET", "/api/clipboard");
  assertEquals([missing.status, (await missing.json()).error], [
    409,
    "the clipboard of the virtual desktop is not available",
  ]);
  assertEquals((await request("GET", "/api/windows")).status, 409);
});

Deno.test("under --read-only the clipboard is closed both ways", async () => {
  const { request } = controlApi({ readOnly: true });
  assertEquals((await request("GET", "/api/clipboard")).status, 403);
  assertEquals((await request("PUT", "/api/clipboard", { text: "x" })).status, 403);
});
