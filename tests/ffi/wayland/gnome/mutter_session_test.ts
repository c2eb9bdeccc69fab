/** Mutter sessions without a stream or clipboard; Mutter's displays; windows that fill one. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { DesktopUnavailableError } from "../../../../core/errors.ts";
import { Bus } from "../../../../ffi/linux/dbus/bus.ts";
import { Variant } from "../../../../ffi/linux/dbus/values.ts";
import { ClipboardSession } from "../../../../ffi/wayland/gnome/clipboard.ts";
import { MutterSession } from "../../../../ffi/wayland/gnome/mutter_session.ts";
import { type DisplayState, filledRegion, outputsOf } from "../../../../ffi/wayland/gnome/windows.ts";
import { StreamScreen } from "../../../../ffi/wayland/streamed/stream_screen.ts";
import { arrange } from "../../../../ffi/wayland/wire/outputs.ts";
import { SESSION_BUS, SessionBus } from "../../../support/session_bus.ts";
import { until } from "../../../support/shell.ts";

const MUTTER = "org.gnome.Mutter";
const MOCK = "org.freedesktop.DBus.Mock";

/** A D-Bus method: object path, name, argument and reply types, and Python code. */
type Method = [path: string, name: string, input: string, output: string, code: string];

/** Starts a mock of a Mutter service. */
async function startService(session: SessionBus, bus: Bus, name: string, methods: Method[]) {
  const service = `${MUTTER}.${name}`, path = `/org/gnome/Mutter/${name}`;
  const mock = session.spawn("/usr/bin/python3", "-m", "dbusmock", "--session", service, path, service);
  await until(() => bus.owner(service));
  const root = { destination: service, path, interface: MOCK };
  const properties = { SessionId: new Variant("s", "7") };
  bus.call(root, "AddObject", "ssa{sv}a(ssss)", ["/session", `${service}.Session`, properties, []], "");
  for (const [path, ...method] of methods) {
    const interfaceName = path === "/session" ? `${service}.Session` : service;
    bus.call({ ...root, path }, "AddMethod", "sssss", [interfaceName, ...method], "");
  }
  return mock;
}

Deno.test(
  { name: "a session whose stream does not start counts as ended and is stopped", ...SESSION_BUS },
  async () => {
    await using session = await SessionBus.start();
    const bus = Bus.open([session.socket]);
    await using _remote = await startService(session, bus, "RemoteDesktop", [
      ["/org/gnome/Mutter/RemoteDesktop", "CreateSession", "", "o", "ret = '/session'"],
      ["/session", "Start", "", "", ""],
      ["/session", "Stop", "", "", ""],
    ]);
    await using _cast = await startService(session, bus, "ScreenCast", [
      ["/org/gnome/Mutter/ScreenCast", "CreateSession", "a{sv}", "o", "ret = '/session'"],
      ["/session", "RecordMonitor", "sa{sv}", "o", "ret = '/stream'"],
    ]);
    const owner = bus.owner(`${MUTTER}.RemoteDesktop`)!;
    const mutter = await MutterSession.open(bus, owner, ["A"], undefined, 100);
    await assertRejects(() => mutter.reader("A"), DesktopUnavailableError, "did not provide a screen stream");
    assert(mutter.isEnded, "the next use would take it again");
    mutter.close();
    const remote = { destination: `${MUTTER}.RemoteDesktop`, path: "/session", interface: MOCK };
    assertEquals(bus.call(remote, "GetMethodCalls", "s", ["Stop"], "a(tav)")[0].length, 1);
    bus.close();
  },
);

Deno.test(
  { name: "does not use a session again that rejects copied content", ...SESSION_BUS },
  async () => {
    await using session = await SessionBus.start();
    const bus = Bus.open([session.socket]);
    await using _remote = await startService(session, bus, "RemoteDesktop", [
      ["/org/gnome/Mutter/RemoteDesktop", "CreateSession", "", "o", "ret = '/session'"],
      ["/session", "EnableClipboard", "a{sv}", "", ""],
    ]);
    const clipboard = await ClipboardSession.open([session.socket]);
    assertEquals(clipboard.refresh(), false);
    await assertRejects(
      () => clipboard.offer(new Map([["text/plain", new Uint8Array(1)]])),
      DesktopUnavailableError,
    );
    assertEquals(clipboard.refresh(), true);
    clipboard.close();
    bus.close();
  },
);

// Displays as Mutter describes them.

type Names = [string, string, string, string];
const names = (connector: string): Names => [connector, "vendor", "product", "serial"];

/** A monitor with two modes, the second of which is current. */
function monitor(connector: string, width: number, height: number): DisplayState[1][number] {
  const mode = (id: string, width: number, height: number, more: [string, unknown][]) =>
    [id, width, height, 60, 1, [1, 2], new Map(more)] as DisplayState[1][number][1][number];
  return [
    names(connector),
    [mode("a", 640, 480, []), mode("b", width, height, [["is-current", true]])],
    new Map(),
  ];
}

function logical(
  connectors: string[],
  [x, y]: [number, number],
  scale: number,
  transform: number,
  isPrimary: boolean,
): DisplayState[2][number] {
  return [x, y, scale, transform, isPrimary, connectors.map(names), new Map()];
}

const MONITORS = [monitor("eDP-1", 2560, 1440), monitor("DP-1", 1920, 1080), monitor("DP-2", 1920, 1080)];

Deno.test("positions are logical if Mutter scales displays", () => {
  const shown = [logical(["eDP-1"], [0, 0], 1.25, 0, true), logical(["DP-1"], [2048, 0], 1, 1, false)];
  assertEquals(outputsOf([1, MONITORS, shown, new Map([["layout-mode", 1]])]), [
    {
      name: "eDP-1",
      mode: { width: 2560, height: 1440 },
      transform: 0,
      logical: { x: 0, y: 0, width: 2048, height: 1152 },
      isPrimary: true,
    },
    { // rotated by 90°: its pictures are upright
      name: "DP-1",
      mode: { width: 1080, height: 1920 },
      transform: 0,
      logical: { x: 2048, y: 0, width: 1080, height: 1920 },
      isPrimary: false,
    },
  ]);
});

Deno.test("logical pixels are the picture's if programs scale themselves", () => {
  const state: DisplayState = [
    1,
    MONITORS,
    [logical(["eDP-1"], [0, 0], 2, 0, true)],
    new Map([["layout-mode", 2]]),
  ];
  assertEquals(outputsOf(state)[0].logical, { x: 0, y: 0, width: 2560, height: 1440 });
});

Deno.test("the primary display is Mutter's, whatever its position", () => {
  for (const primary of ["eDP-1", "DP-1"]) {
    const right = logical(["eDP-1"], [1920, 0], 1, 0, primary === "eDP-1");
    const left = logical(["DP-1"], [0, 0], 1, 0, primary === "DP-1");
    const arrangement = arrange(outputsOf([1, MONITORS, [right, left], new Map()]));
    const screen = new StreamScreen(() => arrangement, () => Promise.reject(new Error("no stream")));
    assertEquals(
      screen.layout().displays.map(({ name, x, primary }) => [name, x, primary]),
      [["DP-1", 0, primary === "DP-1"], ["eDP-1", 1920, primary === "eDP-1"]],
    );
  }
});

Deno.test("mirrored monitors count as one display; inactive ones are omitted", () => {
  const state: DisplayState = [1, MONITORS, [logical(["DP-1", "DP-2"], [0, 0], 1, 0, true)], new Map()];
  assertEquals(outputsOf(state).map(({ name }) => name), ["DP-1"]);
});

Deno.test("without a display the desktop is unavailable", () => {
  assertThrows(() => outputsOf([1, MONITORS, [], new Map()]), DesktopUnavailableError, "no active display");
});

// GNOME windows that fill a display, recognized by their size alone.

const display = (x: number, y: number, width: number, height: number) => ({ x, y, width, height });
const ONE = [display(0, 0, 1280, 720)], TWO = [...ONE, display(1280, 0, 1920, 1080)];

/** A window's size, the displays, and the window's position; undefined if unknown. */
const CASES: [
  size: [number, number],
  displays: typeof ONE,
  expected: [number, number, string] | undefined,
][] = [
  [[1280, 720], ONE, [0, 0, "fullscreen"]],
  [[1280, 693], ONE, [0, 27, "maximized"]],
  [[1280, 700], ONE, [0, 20, "maximized"]],
  [[1280, 701], ONE, undefined],
  [[1280, 600], ONE, undefined],
  [[1279, 693], ONE, undefined],
  [[1920, 1080], TWO, [1280, 0, "fullscreen"]],
  [[1920, 1053], TWO, [1280, 27, "maximized"]],
  [[1280, 720], [...ONE, display(1280, 0, 1280, 720)], undefined],
];

for (const [[width, height], displays, expected] of CASES) {
  Deno.test(`a window of ${width}x${height} on ${displays.length} displays is ${expected ?? "anywhere"}`, () => {
    const filled = filledRegion({ width, height }, displays);
    assertEquals(filled && [filled.region.x, filled.region.y, filled.state], expected);
  });
}
