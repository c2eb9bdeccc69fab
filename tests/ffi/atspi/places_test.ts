/**
 * Positions of elements by desktop and toolkit; reading a window; reasons; presses; programs' own sockets.
 */

import { assertEquals, assertStringIncludes, equal } from "@std/assert";
import { withoutLayout } from "../../../control/desktop/elements.ts";
import { Calls } from "../../../ffi/atspi/calls.ts";
import { ask, ROOT_PATH } from "../../../ffi/atspi/objects.ts";
import { OwnSockets } from "../../../ffi/atspi/links.ts";
import { placeMap, toolkitOf } from "../../../ffi/atspi/places.ts";
import { has, roleIn, roleName, statesOf } from "../../../ffi/atspi/roles.ts";
import { mapsOf, whyAbsent } from "../../../ffi/atspi/bus.ts";
import { pressOf } from "../../../ffi/atspi/changes.ts";
import { WindowReader } from "../../../ffi/atspi/window_reader.ts";
import { parseAddresses } from "../../../ffi/linux/dbus/bus.ts";
import { made, MadeUpPrograms, windowOf } from "../../support/made_up_programs.ts";
import { need } from "../../support/need.ts";
import { SESSION_BUS, SessionBus } from "../../support/session_bus.ts";
import { temporary, until } from "../../support/shell.ts";
import { Client, Xvfb } from "../../support/xvfb.ts";

const region = (x: number, y: number, width: number, height: number) => ({ x, y, width, height });
const BUTTON = region(10, 20, 30, 40);

const SCREEN = { isRelative: false, scale: 1 }, RELATIVE = { isRelative: true, scale: 1 };

/** Cases: the known facts, the window, its element, and the button's position; undefined if unknown. */
const PLACES: [string, typeof SCREEN, typeof BUTTON, typeof BUTTON, typeof BUTTON | undefined][] = [
  ["screen pixels", SCREEN, region(5, 5, 400, 300), region(5, 5, 400, 300), BUTTON],
  [
    "screen pixels in a framed window",
    SCREEN,
    region(4, 0, 402, 321),
    region(5, 20, 400, 300),
    BUTTON,
  ],
  [
    "halved screen pixels",
    SCREEN,
    region(0, 0, 800, 600),
    region(0, 0, 400, 300),
    region(20, 40, 60, 80),
  ],
  [
    "a window that has just moved",
    SCREEN,
    region(500, 300, 402, 321),
    region(5, 20, 400, 300),
    region(506, 320, 30, 40),
  ],
  [
    "a window without a frame",
    RELATIVE,
    region(100, 50, 400, 300),
    region(0, 0, 400, 300),
    region(110, 70, 30, 40),
  ],
  [
    "a window with a frame",
    RELATIVE,
    region(100, 50, 402, 321),
    region(0, 0, 400, 300),
    region(111, 90, 30, 40),
  ],
  ["a shadow", RELATIVE, region(100, 50, 400, 300), region(26, 23, 400, 300), region(84, 47, 30, 40)],
  [
    "a scaled window",
    RELATIVE,
    region(100, 50, 800, 600),
    region(0, 0, 400, 300),
    region(120, 90, 60, 80),
  ],
  [
    "a desktop with scale 1.5",
    { isRelative: true, scale: 1.5 },
    region(90, 60, 600, 450),
    region(0, 0, 400, 300),
    region(105, 90, 45, 60),
  ],
  [
    "a program that does not scale on a scaled desktop",
    { isRelative: true, scale: 2 },
    region(90, 60, 400, 300),
    region(0, 0, 400, 300),
    region(100, 80, 30, 40),
  ],
  [
    "an element that is not the window's",
    RELATIVE,
    region(0, 0, 400, 300),
    region(0, 0, 900, 700),
    undefined,
  ],
  ["an element without a size", SCREEN, region(0, 0, 400, 300), region(0, 0, 0, 0), undefined],
];

for (const [what, facts, window, root, expected] of PLACES) {
  Deno.test(`converts ${what} to a screen position, or to none`, () => {
    assertEquals(placeMap({ ...facts, window, root })?.(BUTTON), expected);
  });
}

/** Toolkit, version, a name as its program reports it, and as a user reads it. */
const NAMES: [string, string, string, string][] = [
  ["gtk", "4.8.3", "GtkMenuButton", ""],
  ["gtk", "4.8.3", "4 4", "4"],
  ["gtk", "4.8.3", "Save", "Save"],
  ["gtk", "3.24.38", "New   ", "New"],
  ["gtk", "3.24.38", "GtkMenuButton", "GtkMenuButton"],
  ["Chromium", "156", "a\ufffcb", "ab"],
];

for (const [toolkit, version, name, expected] of NAMES) {
  Deno.test(`${toolkit} ${version} means ${JSON.stringify(expected)} by ${JSON.stringify(name)}`, () => {
    assertEquals(toolkitOf(toolkit, version).name(name), expected);
  });
}

Deno.test("roles and states have their AT-SPI numbers", () => {
  assertEquals([7, 11, 40, 43, 44, 61, 999].map(roleName), [
    "checkbox",
    "combobox",
    "password",
    "button",
    "radio",
    "text",
    "unknown",
  ]);
  const set = (...bits: number[]) =>
    bits.reduce(([low, high], bit) => bit < 32 ? [low | 1 << bit, high] : [low, high | 1 << bit - 32], [
      0,
      0,
    ]);
  assertEquals(roleIn("text", set(7)), "textbox");
  assertEquals([has(set(43), "readOnly"), has(set(43), "checked"), has([], "checked")], [true, false, false]);
  const usable = ["sensitive", "enabled"] as const;
  assertEquals(statesOf(set(8, 24, 4, 9), true, usable), ["checked", "collapsed"]);
  assertEquals(statesOf(set(), false, usable), ["disabled", "hidden"]);
  assertEquals(statesOf(set(24), true, ["sensitive"]), []); // GTK 4.8 never reports an element as enabled
});

// The calls of one window read, and the window that it reads.

/** AtspiRole numbers. */
const ROLES = { panel: 39, textbox: 79, static: 116 };

for (const cache of [undefined, "new"] as const) {
  Deno.test(`does not request positions of unlisted elements, cache: ${cache}`, SESSION_BUS, async () => {
    await using programs = await MadeUpPrograms.start(made("Page", {
      "/panel": { role: ROLES.panel, children: ["/inner"] },
      "/inner": { role: ROLES.panel, children: ["/button", "/named", "/field"] },
      "/button": { name: "Save", children: [] },
      "/named": { name: "Group", role: ROLES.panel, children: ["/repeated"] },
      "/repeated": { name: "Group", role: ROLES.static },
      "/field": { name: "Name", role: ROLES.textbox, text: 3, children: ["/same", "/other"] },
      "/same": { name: "xxx", role: ROLES.static },
      "/other": { name: "x", role: ROLES.static },
    }, { cache }));
    const { elements } = programs.reader.read(windowOf("Page"), false);
    const isPlaced = ({ name, role, place }: typeof elements[number]) => [name, role, place !== undefined];
    assertEquals(elements.map(isPlaced), [
      ["Page", "frame", true],
      ["", "panel", true], // it may fill the window
      ["", "panel", false],
      ["Save", "button", true],
      ["Group", "panel", true],
      ["Group", "static", false],
      ["Name", "textbox", true],
      ["xxx", "static", false], // the field's text
      ["x", "static", true],
    ]);
    assertEquals(withoutLayout(elements).filter(({ place }) => !place), []);
    // The second read requests positions next to the cache.
    assertEquals(programs.reader.read(windowOf("Page"), false).elements, elements);
    const all = programs.reader.read(windowOf("Page"), true).elements;
    assertEquals(all, elements, "a reading of hidden elements, too");
  });
}

Deno.test("reads a window that now has another window's id", SESSION_BUS, async () => {
  const { objects } = made("One", { "/a": { name: "A" } });
  const two = { role: 23, name: "Two", children: ["/b"] };
  const root = { children: ["/window", "/two"] };
  await using programs = await MadeUpPrograms.start({
    objects: { ...objects, "/org/a11y/atspi/accessible/root": root, "/two": two, "/b": { name: "B" } },
  });
  const namesOf = (title: string) =>
    programs.reader.read({ ...windowOf(title), id: "1" }, false).elements.map(({ name }) => name);
  assertEquals(namesOf("One"), ["One", "A"]);
  assertEquals(namesOf("One"), ["One", "A"]);
  assertEquals(namesOf("Two"), ["Two", "B"]);
});

// Reasons why programs show no elements, and how elements are pressed.

// Without the flag Chromium shows only its window; with it, nothing while accessibility is off.
const FLAG = "start it with --force-renderer-accessibility", SWITCH = '{"enabled":true}';

/** A mapped file, and the reasons while accessibility is on and off. */
const REASONS: [file: string, on: string, off: string][] = [
  ["/usr/lib/chromium/icudtl.dat", FLAG, SWITCH],
  ["/opt/code/v8_context_snapshot.bin\n/usr/lib/libQt5Gui.so.5", FLAG, SWITCH],
  ["/usr/lib/firefox-esr/libxul.so", "start it again", SWITCH],
  ["/usr/lib/libQt5Gui.so.5.15.8", "start it again", "then start it again"],
  [
    "/usr/lib/libQt5Gui.so.5\n/usr/lib/x86_64-linux-gnu/qt5/plugins/platforms/libqwayland-generic.so",
    ...["QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1"] as const,
  ],
  ["/usr/lib/libQt6Gui.so.6", "it uses Qt", SWITCH],
  ["/usr/lib/libgtk-x11-2.0.so.0", "GTK_MODULES=gail:atk-bridge", "GTK_MODULES=gail:atk-bridge"],
  ["/usr/lib/jvm/lib/server/libjvm.so", "java-atk-wrapper", "java-atk-wrapper"],
  ["/usr/lib/wine/x86_64-unix/ntdll.so", "Wine", "Wine"],
  ["/usr/bin/xterm", "is not on the accessibility bus", "is not on the accessibility bus"],
];

for (const [file, on, off] of REASONS) {
  Deno.test(`says what helps for a program with ${JSON.stringify(file)} that shows nothing`, () => {
    const maps = `7f12-7f34 r--p 0000 08:01 42    ${file}\n7f34-7f35 rw-p 0000 00:00 0\n`;
    assertStringIncludes(whyAbsent(maps, true), on);
    assertStringIncludes(whyAbsent(maps, false), off);
  });
}

Deno.test("names the switch, while it is off, for an unknown program", () => {
  assertEquals(whyAbsent("", true), "its program is not on the accessibility bus");
  assertStringIncludes(whyAbsent("", false), SWITCH);
});

Deno.test("a process has mapped its executable; a missing one has mapped nothing", () => {
  assertStringIncludes(mapsOf(Deno.pid), Deno.execPath());
  assertEquals([mapsOf(undefined), mapsOf(2 ** 30)], ["", ""]);
});

/** Names of an element's actions, and the index of the one that presses it. */
const PRESSES: [names: string[], number: number | undefined][] = [
  [["click"], 0],
  [["Press", "SetFocus"], 0],
  [["SetFocus", "Press"], 1],
  [["activate", "click"], 1],
  [["window.close", "window.minimize"], undefined],
  [["clipboard.copy"], undefined],
  [[], undefined],
];

for (const [names, number] of PRESSES) {
  Deno.test(`of the actions ${names.join(", ") || "none"}, ${number ?? "none"} presses`, () => {
    assertEquals(pressOf(names), number);
  });
}

// Programs' own sockets: a program with its own is read over that.

/** Number of connections to a socket: those with state 3 in /proc/net/unix (proc(5)). */
function connections(path: string): number {
  const rows = Deno.readTextFileSync("/proc/net/unix").split("\n").map((row) => row.trim().split(/\s+/));
  return rows.filter((row) => row[5] === "03" && row[7] === path).length;
}

Deno.test({
  name: "reads a GTK 3 window over its program's own socket, which is closed when unused",
  ignore: SESSION_BUS.ignore || need("Xvfb", "zenity").ignore,
}, async () => {
  await using server = await Xvfb.start();
  await using bus = await SessionBus.start(server.env);
  const dest = ["--session", "--dest", "org.a11y.Bus", "--object-path", "/org/a11y/bus"];
  const answer = await bus.run("gdbus", "call", ...dest, "--method", "org.a11y.Bus.GetAddress");
  const sockets = parseAddresses(/'(.*)'/.exec(answer)![1]);
  const form = ["--forms", "--title", "Ask", "--add-entry", "Name"];
  await using zenity = new Client("zenity", form, { ...server.env, ...bus.env, NO_AT_BRIDGE: "0" });
  const calls = new Calls(sockets), reader = new WindowReader(calls, "screen");
  try {
    const read = () => reader.read({ ...windowOf("Ask"), pid: zenity.pid }, false);
    const { elements } = await until(read, ({ elements }) => elements.some(({ name }) => name === "OK"));
    let address: unknown;
    calls.add(
      ask({ app: elements[0].key.split(" ")[0], path: ROOT_PATH }, ...ADDRESS, (own) => address = own),
    );
    calls.run(5000);
    const [path] = parseAddresses(String(address));
    const names = elements.map(({ name }) => name);
    const isReadThere = () =>
      equal(read().elements.map(({ name }) => name), names) && connections(path) === 1;
    await until(isReadThere);
    await until(() => connections(path) === 0);
    await until(isReadThere);
    await zenity[Symbol.asyncDispose](); // while the connection is open
    const { elements: none } = await until(read, ({ silent }) => silent !== undefined);
    assertEquals([none, calls.isLost], [[], false]);
  } finally {
    calls.close();
  }
});

const ADDRESS = ["Application", "GetApplicationBusAddress"] as const;

/** Number of calls to a silent program whose address names several sockets. */
async function attempts(sockets: number): Promise<number> {
  let count = 0;
  await temporary(async (folder) => {
    using listener = Deno.listen({ transport: "unix", path: `${folder}/own` });
    const own = new OwnSockets({ decode: () => undefined, take() {} });
    own.offer("silent", Array(sockets).fill(`unix:path=${folder}/own`).join(";"), Deno.pid);
    own.open("silent"); // synchronously, so that the calls wait in the listener's queue
    assertEquals(own.of("silent"), undefined);
    const last = await Deno.connect({ transport: "unix", path: `${folder}/own` });
    await last.write(Uint8Array.of(1));
    for (let isLast = false; !isLast; count++) {
      using call = await listener.accept();
      const first = new Uint8Array(1);
      isLast = await call.read(first) === 1 && first[0] === 1;
    }
    last.close();
  });
  return count - 1;
}

Deno.test("waits for a silent program once, however many sockets it names", async () => {
  assertEquals(await attempts(1), 1);
  assertEquals(await attempts(20), 1);
  assertEquals(await attempts(10_000), 0); // no address is that long
});
