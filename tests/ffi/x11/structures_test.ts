/**
 * Every offset that the source assumes in a C structure, checked with both processors' compilers. The X11
 * protocol defines the offsets of XCB replies and setup; they are checked as well.
 */

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { CURSOR, IMAGE, IMAGE_DATA, SEGMENT_INFO } from "../../../ffi/x11/capture.ts";
import { EVENT_SIZE, VISUAL_CLASS } from "../../../ffi/x11/connection.ts";
import { AREA } from "../../../ffi/x11/damaged_screen.ts";
import { INFO } from "../../../ffi/x11/raw_selection.ts";
import { MONITOR } from "../../../ffi/x11/screen.ts";
import { STATE } from "../../../ffi/x11/keymap.ts";
import {
  CLIENT_MAP,
  CONTROLS,
  DESCRIPTION,
  ENTRY,
  KEY,
  KEY_TYPE,
  MAP_CHANGES,
} from "../../../ffi/x11/xkb.ts";
import { DISPLAY } from "../../../ffi/x11/patience.ts";
import { DEVICE_STATE, KEY_STATE } from "../../../ffi/x11/keyboard_state.ts";
import { COOKIE, RAW_EVENT } from "../../../ffi/x11/watch_worker.ts";
import { INTERCEPTED, RECORD_RANGE } from "../../../ffi/x11/server_record.ts";
import { TEXT_PROPERTY } from "../../../ffi/x11/window_rows.ts";
import { DEPTH, SCREEN, SETUP } from "../../../ffi/x11/xcb_connection.ts";
import { CLIENT_ID } from "../../../ffi/x11/targets.ts";
import { CHAR_CODE_MAP, XDO_SIZE } from "../../../ffi/x11/pointer.ts";
import { temporary } from "../../support/shell.ts";
import { need } from "../../support/need.ts";

/** Numbers that the source assumes in a structure, each with the field name or C expression. */
interface Assumed {
  type: string;
  numbers: readonly (readonly [assumed: number, c: string])[];
}

/** Pairs each number of a source table with its C name; the type checker reports missing ones. */
function assumed<T extends Record<string, number>>(
  type: string,
  table: T,
  c: Record<keyof T, string>,
): Assumed {
  return { type, numbers: Object.entries(table).map(([key, number]) => [number, c[key as keyof T]]) };
}

/** Placeholder for a field name: the size of the whole structure. */
const SIZE = "sizeof";

const STRUCTURES: readonly Assumed[] = [
  assumed("XImage", { data: IMAGE_DATA }, { data: "data" }),
  assumed("XImage", IMAGE, {
    byteOrder: "byte_order",
    stride: "bytes_per_line",
    bitsPerPixel: "bits_per_pixel",
    redMask: "red_mask",
    greenMask: "green_mask",
    blueMask: "blue_mask",
  }),
  assumed("XEvent", { size: EVENT_SIZE, type: 0 }, { size: SIZE, type: "type" }),
  assumed("XGenericEventCookie", COOKIE, { extension: "extension", evtype: "evtype", data: "data" }),
  assumed("xDamageNotifyEvent", AREA, {
    x: "area.x",
    y: "area.y",
    width: "area.width",
    height: "area.height",
  }),
  assumed("Visual", { offset: VISUAL_CLASS.offset }, { offset: "class" }),
  assumed("typeof(*(_XPrivDisplay) 0)", DISPLAY, { bufmax: "private14" }),
  assumed("XIRawEvent", RAW_EVENT, { time: "time", source: "sourceid", detail: "detail" }),
  // As filled in by watch_worker.ts.
  assumed("XIEventMask", { size: 16, device: 0, length: 4, mask: 8 }, {
    size: SIZE,
    device: "deviceid",
    length: "mask_len",
    mask: "mask",
  }),
  assumed("struct pollfd", { size: 8, fd: 0, events: 4, revents: 6 }, {
    size: SIZE,
    fd: "fd",
    events: "events",
    revents: "revents",
  }),
  assumed("XIDeviceInfo", INFO, { size: SIZE, id: "deviceid", name: "name", use: "use" }),
  assumed("XRRMonitorInfo", MONITOR, {
    size: SIZE,
    name: "name",
    primary: "primary",
    x: "x",
    y: "y",
    width: "width",
    height: "height",
  }),
  assumed("XFixesCursorImage", CURSOR, {
    x: "x",
    y: "y",
    width: "width",
    height: "height",
    hotX: "xhot",
    hotY: "yhot",
    pixels: "pixels",
  }),
  assumed("XShmSegmentInfo", SEGMENT_INFO, { size: SIZE, shmid: "shmid", shmaddr: "shmaddr" }),
  assumed("XkbStateRec", STATE, {
    size: SIZE,
    group: "group",
    lockedGroup: "locked_group",
    baseMods: "base_mods",
    latchedMods: "latched_mods",
    lockedMods: "locked_mods",
  }),
  assumed("XkbDescRec", { controls: CONTROLS.inDescription }, { controls: "ctrls" }),
  assumed("XkbControlsRec", { enabled: CONTROLS.enabled }, { enabled: "enabled_ctrls" }),
  assumed("XkbDescRec", DESCRIPTION, { first: "min_key_code", last: "max_key_code", map: "map" }),
  assumed("XkbClientMapRec", CLIENT_MAP, {
    typeCount: "num_types",
    types: "types",
    symbolCount: "num_syms",
    symbols: "syms",
    keys: "key_sym_map",
    modifiers: "modmap",
  }),
  assumed("XkbKeyTypeRec", KEY_TYPE, {
    size: SIZE,
    mask: "mods.mask",
    entryCount: "map_count",
    entries: "map",
  }),
  assumed("XkbKTMapEntryRec", ENTRY, { size: SIZE, active: "active", level: "level", mask: "mods.mask" }),
  assumed("XkbSymMapRec", KEY, {
    size: SIZE,
    types: "kt_index",
    groupInfo: "group_info",
    width: "width",
    offset: "offset",
  }),
  assumed("XkbMapChangesRec", MAP_CHANGES, {
    size: SIZE,
    changed: "changed",
    firstKey: "first_key_sym",
    keyCount: "num_key_syms",
  }),
  assumed("XRecordRange", RECORD_RANGE, {
    size: SIZE,
    firstRequest: "core_requests.first",
    lastRequest: "core_requests.last",
    firstDeviceEvent: "device_events.first",
    lastDeviceEvent: "device_events.last",
  }),
  assumed("XRecordInterceptData", INTERCEPTED, { category: "category", data: "data" }),
  assumed("XDeviceState", DEVICE_STATE, { classes: "num_classes", data: "data" }),
  assumed("XKeyState", KEY_STATE, {
    class: "class",
    length: "length",
    keys: "keys",
    bytes: "sizeof(((XKeyState *) 0)->keys)",
  }),
  assumed("XTextProperty", TEXT_PROPERTY, {
    size: SIZE,
    encoding: "encoding",
    format: "format",
    items: "nitems",
  }),
  assumed("XResClientIdSpec", CLIENT_ID, {
    specSize: SIZE,
    maskAt: "mask",
    pidMask: "sizeof(char[XRES_CLIENT_ID_PID_MASK])",
  }),
  assumed("charcodemap_t", CHAR_CODE_MAP, { size: SIZE, code: "code", group: "group" }),
  assumed("xdo_t", { display: 0 }, { display: "xdpy" }),
  assumed("xcb_setup_t", SETUP, {
    size: SIZE,
    vendorLength: "vendor_len",
    formats: "pixmap_formats_len",
    formatSize: "sizeof(xcb_format_t)",
  }),
  assumed("xcb_screen_t", { ...SCREEN, root: 0 }, { size: SIZE, depths: "allowed_depths_len", root: "root" }),
  assumed("xcb_depth_t", DEPTH, {
    size: SIZE,
    visuals: "visuals_len",
    visualSize: "sizeof(xcb_visualtype_t)",
  }),
  // Numbers that Xlib passes in 64-bit arrays.
  ...["KeySym", "Window", "Atom", "Time", "unsigned long", "void *"].map((type) =>
    assumed(type, { size: 8 }, { size: SIZE })
  ),
  assumed("wchar_t", { size: 4 }, { size: SIZE }),
];

const HEADERS = [
  ...["stddef.h", "wchar.h", "stdio.h", "poll.h", "xdo.h", "xcb/xcb.h"],
  ...["X11/Xlib.h", "X11/Xutil.h", "X11/XKBlib.h"],
  ...["X11/Xmd.h", "X11/Xproto.h"],
  ...[
    "XShm.h",
    "XInput.h",
    "XInput2.h",
    "Xrandr.h",
    "Xfixes.h",
    "damagewire.h",
    "damageproto.h",
    "record.h",
    "XRes.h",
  ]
    .map((
      name,
    ) => `X11/extensions/${name}`),
];

/** An expression that the compiler evaluates; nothing is linked or run. */
function expressionOf(type: string, c: string): string {
  if (c === SIZE) return `sizeof(${type})`;
  return c.startsWith("sizeof") ? c : `offsetof(${type}, ${c})`;
}

/** The source's assumptions, one per line. */
const LINES = STRUCTURES.flatMap(({ type, numbers }) =>
  numbers.map(([number, c]) => ({ expression: expressionOf(type, c), number }))
);

/** Makes a compiler write the values of expressions to its assembly. */
async function valuesOf(compiler: string, expressions: string[]): Promise<number[]> {
  let assembly = "";
  await temporary(async (folder) => {
    const lines = expressions.map((c, i) => `__asm__ volatile("\\n-> ${i} %0" : : "i" (${c}));`);
    const source = `${HEADERS.map((name) => `#include <${name}>`).join("\n")}
      void values(void) { ${lines.join("\n")} }`;
    await Deno.writeTextFile(`${folder}/values.c`, source);
    const { code, stderr } = await new Deno.Command(compiler, {
      // The X11 headers are the same for every processor; the C library's come with the compiler.
      args: ["-S", "-idirafter", "/usr/include", "-o", `${folder}/values.s`, `${folder}/values.c`],
    }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    assembly = await Deno.readTextFile(`${folder}/values.s`);
  });
  const found = new Map(
    Array.from(assembly.matchAll(/^\s*-> (\d+) [#$]?(\d+)/gm), ([, i, value]) => [Number(i), Number(value)]),
  );
  return expressions.map((_, i) => found.get(i)!);
}

for (const [processor, compiler] of [["x86-64", "gcc"], ["arm64", "aarch64-linux-gnu-gcc"]]) {
  const runs = processor === "arm64" || Deno.build.arch === "x86_64";
  Deno.test({
    name: `every assumed offset in a C structure is correct on ${processor}`,
    ignore: !runs || need(compiler).ignore,
  }, async () => {
    const values = await valuesOf(compiler, [...LINES.map(({ expression }) => expression), "sizeof(xdo_t)"]);
    assert(values.pop()! <= XDO_SIZE, "xdo_t has room");
    assertEquals(
      LINES.map(({ expression }, i) => `${expression} is ${values[i]}`),
      LINES.map(({ expression, number }) => `${expression} is ${number}`),
    );
  });
}

Deno.test("no offset table is missing here", async () => {
  const folder = fromFileUrl(new URL("../../../ffi/x11/", import.meta.url));
  const own = await Deno.readTextFile(new URL(import.meta.url));
  for (const name of ["", "handled/"].flatMap((room) => filesOf(folder, room))) {
    const source = await Deno.readTextFile(folder + name);
    // An offset table: `.getInt32(INFO.id)`, `.setUint8(at + MAP.code, …)`.
    for (const [, table] of source.matchAll(/\b[gs]et\w+\((?:\w+ \+ )?([A-Z][A-Z_]+)\.\w+/g)) {
      assert(own.includes(table), `${name}: ${table}`);
    }
  }
});

function filesOf(folder: string, room: string): string[] {
  return [...Deno.readDirSync(folder + room)].filter(({ isFile }) => isFile).map(({ name }) => room + name);
}
