/** The models' own actions: for each action of every dialect, the input that the virtual desktop receives. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { ANTHROPIC } from "../../../control/agents/dialects/anthropic.ts";
import { GOOGLE } from "../../../control/agents/dialects/google.ts";
import { OPENAI } from "../../../control/agents/dialects/openai.ts";
import { pictureSize } from "../../../control/image/read_picture.ts";
import { controlApi } from "../../support/control.ts";
import { short, until } from "../../support/shell.ts";

/** Pointer and buttons at 10,20. */
const AT = "(10,20)",
  LEFT = ["+left", "-left"],
  RIGHT = ["+right", "-right"],
  MIDDLE = ["+middle", "-middle"];
/** The center of the virtual desktop, where the pointer starts. */
const MID = "(640,360)";
const coordinate = [10, 20], place = { x: 10, y: 20 };
/** A position in thousandths, and where it leads on 1280x720. */
const half = { x: 500, y: 250 }, HALF = "(640,180)";

type Row = [action: Record<string, unknown>, told: string[]];

const ANTHROPIC_ROWS: Row[] = [
  [{ action: "screenshot" }, []],
  [{ action: "cursor_position" }, []],
  [{ action: "mouse_move", coordinate }, [AT]],
  [{ action: "left_click" }, [MID, ...LEFT]],
  [{ action: "left_click", coordinate }, [AT, ...LEFT]],
  [{ action: "left_click", coordinate, text: "ctrl+shift" }, [
    AT,
    "+ctrl",
    "+shift",
    ...LEFT,
    "-shift",
    "-ctrl",
  ]],
  [{ action: "right_click", coordinate }, [AT, ...RIGHT]],
  [{ action: "middle_click", coordinate }, [AT, ...MIDDLE]],
  [{ action: "double_click", coordinate }, [AT, ...LEFT, ...LEFT]],
  [{ action: "triple_click", coordinate }, [AT, ...LEFT, ...LEFT, ...LEFT]],
  [{ action: "scroll", coordinate, scroll_direction: "down", scroll_amount: 5 }, [AT, "down 5"]],
  [{ action: "scroll", scroll_direction: "left", scroll_amount: 1, text: "shift" }, [
    MID,
    "+shift",
    "left 1",
    "-shift",
  ]],
  [{ action: "scroll", coordinate, scroll_direction: "down", scroll_amount: 0 }, [AT]],
  [{ action: "key", text: "ctrl+slash" }, ["+ctrl", "+/", "-/", "-ctrl"]],
  [{ action: "key", text: "Return" }, ["+enter", "-enter"]],
  [{ action: "key", text: "Down", repeat: 2 }, ["+down", "-down", "+down", "-down"]],
  [{ action: "hold_key", text: "shift", duration: 0.01 }, ["+shift", "-shift"]],
  [{ action: "type", text: "héllo 😀" }, ["héllo 😀"]],
  [{ action: "wait", duration: 0.01 }, []],
  [{ action: "zoom", region: [10, 20, 110, 70] }, []],
];

const OPENAI_ROWS: Row[] = [
  [{ type: "click", ...place, button: "left" }, [AT, ...LEFT]],
  [{ type: "click", ...place, button: "right", keys: ["CTRL"] }, [AT, "+ctrl", ...RIGHT, "-ctrl"]],
  [{ type: "click", ...place, button: "wheel" }, [AT, ...MIDDLE]],
  [{ type: "click", ...place, button: "back" }, [AT, "+back", "-back"]],
  [{ type: "click", ...place, button: "forward", keys: null }, [AT, "+forward", "-forward"]],
  [{ type: "double_click", ...place, keys: ["SHIFT"] }, [AT, "+shift", ...LEFT, ...LEFT, "-shift"]],
  [{ type: "move", ...place, keys: [] }, [AT]],
  [{ type: "scroll", ...place, scroll_x: 0, scroll_y: 300 }, [AT, "down 3"]],
  [{ type: "scroll", ...place, scroll_x: -30, scroll_y: -200, keys: ["CTRL"] }, [
    AT,
    "+ctrl",
    "up 2",
    "-ctrl",
    AT,
    "+ctrl",
    "left 1",
    "-ctrl",
  ]],
  [{ type: "keypress", keys: ["CTRL", "/"] }, ["+ctrl", "+/", "-/", "-ctrl"]],
  [{ type: "keypress", keys: ["CTRL", "+"] }, ["+ctrl", "++", "-+", "-ctrl"]],
  [{ type: "keypress", keys: ["ARROWUP"] }, ["+up", "-up"]],
  [{ type: "type", text: "a b" }, ["a b"]],
  [{ type: "wait" }, []],
  [{ type: "screenshot" }, []],
];

const GOOGLE_ROWS: Row[] = [
  [{ name: "click_at", ...half }, [HALF, ...LEFT]],
  [{ name: "click_at", args: half }, [HALF, ...LEFT]],
  [{ name: "hover_at", ...half }, [HALF]],
  [{ name: "type_text_at", ...half, text: "x" }, [
    HALF,
    ...LEFT,
    "+ctrl",
    "+a",
    "-a",
    "-ctrl",
    "+delete",
    "-delete",
    "x",
    "+enter",
    "-enter",
  ]],
  [{ name: "type_text_at", ...half, text: "x", clear_before_typing: false, press_enter: false }, [
    HALF,
    ...LEFT,
    "x",
  ]],
  [{ name: "key_combination", keys: "control+c" }, ["+ctrl", "+c", "-c", "-ctrl"]],
  [{ name: "scroll_document", direction: "down" }, [MID, "down 8"]],
  [{ name: "scroll_at", ...half, direction: "up", magnitude: 200 }, [HALF, "up 2"]],
  [{ name: "wait_5_seconds" }, []],
  [{ name: "click", ...half, intent: "open it" }, [HALF, ...LEFT]],
  [{ name: "double_click", ...half }, [HALF, ...LEFT, ...LEFT]],
  [{ name: "triple_click", ...half }, [HALF, ...LEFT, ...LEFT, ...LEFT]],
  [{ name: "middle_click", ...half }, [HALF, ...MIDDLE]],
  [{ name: "right_click", ...half }, [HALF, ...RIGHT]],
  [{ name: "move", x: 1000, y: 1000 }, ["(1279,719)"]],
  [{ name: "type", text: "x", press_enter: true }, ["x", "+enter", "-enter"]],
  [{ name: "scroll", ...half, direction: "right", magnitude: 50 }, [HALF, "right 1"]],
  [{ name: "scroll", ...half, direction: "down" }, [HALF, "down 3"]],
  [{ name: "scroll", ...half, direction: "up", magnitude_in_pixels: 500 }, [HALF, "up 5"]],
  [{ name: "scroll", ...half, direction: "up", magnitude_in_wheel_clicks: 2 }, [HALF, "up 2"]],
  [{ name: "wait", seconds: 0.01 }, []],
  [{ name: "hotkey", keys: "alt+F4" }, ["+alt", "+f4", "-f4", "-alt"]],
  [{ name: "hotkey", keys: ["alt", "F4"], intent: "close it" }, ["+alt", "+f4", "-f4", "-alt"]],
  [{ name: "press_key", key: "PageDown" }, ["+pagedown", "-pagedown"]],
  [{ name: "take_screenshot" }, []],
];

for (
  const [dialect, rows] of Object.entries({
    anthropic: ANTHROPIC_ROWS,
    openai: OPENAI_ROWS,
    google: GOOGLE_ROWS,
  })
) {
  for (const [action, told] of rows) {
    Deno.test(`${dialect} ${JSON.stringify(action)} is executed as intended`, async () => {
      const { request, desktop, operator } = controlApi();
      const answer = await request("POST", "/api/act", { dialect, action });
      const { ok, error } = await answer.json();
      assertEquals([answer.status, ok, error], [200, true, undefined]);
      assertEquals(short(desktop.log), told);
      assertEquals(operator.held(), []);
    });
  }
}

/** Two actions that belong together, and the input that the desktop receives. */
const PAIRS: [string, Record<string, unknown>, Record<string, unknown>, string[]][] = [
  ["anthropic", { action: "left_mouse_down", coordinate }, { action: "left_mouse_up" }, [
    AT,
    "+left",
    "-left",
  ]],
  ["google", { name: "mouse_down", ...half }, { name: "mouse_up", x: 0, y: 0 }, [
    HALF,
    "+left",
    "(0,0)",
    "-left",
  ]],
  ["gemini", { name: "key_down", key: "shift" }, { name: "key_up", key: "shift" }, ["+shift", "-shift"]],
];

for (const [dialect, down, up, told] of PAIRS) {
  Deno.test(`${dialect} ${JSON.stringify(down)} stays down until ${JSON.stringify(up)}`, async () => {
    const { request, desktop, operator } = controlApi();
    await request("POST", "/api/act", { dialect, action: down });
    assertEquals(operator.held().length, 1);
    await request("POST", "/api/act", { dialect, action: up });
    assertEquals(short(desktop.log), told);
  });
}

for (
  const [dialect, action] of [
    ["anthropic", { action: "left_click_drag", start_coordinate: [0, 0], coordinate: [30, 40] }],
    ["openai", { type: "drag", path: [{ x: 0, y: 0 }, { x: 30, y: 40 }] }],
    ["google", { name: "drag_and_drop", x: 0, y: 0, destination_x: 500, destination_y: 500 }],
    ["google", { name: "drag_and_drop", start_x: 0, start_y: 0, end_x: 500, end_y: 500 }],
  ] as const
) {
  Deno.test(`${dialect} ${JSON.stringify(action)} drags from the first position to the last`, async () => {
    const { request, desktop } = controlApi();
    assertEquals((await request("POST", "/api/act", { dialect, action })).status, 200);
    const told = short(desktop.log), to = dialect === "google" ? "(640,360)" : "(30,40)";
    assertEquals([told.slice(1, 2), told.slice(-2)], [["+left"], [to, "-left"]]);
  });
}

Deno.test("every action of every dialect is in these tables", () => {
  const names = (rows: Row[], field: string) => new Set(rows.map(([action]) => action[field]));
  const others = new Set(["left_click_drag", "left_mouse_down", "left_mouse_up", "drag", "drag_and_drop"]
    .concat(["mouse_down", "mouse_up", "key_down", "key_up"]));
  for (
    const [dialect, rows] of [[ANTHROPIC, ANTHROPIC_ROWS], [OPENAI, OPENAI_ROWS], [
      GOOGLE,
      GOOGLE_ROWS,
    ]] as const
  ) {
    const tried = names(rows, dialect.names);
    assertEquals(Object.keys(dialect.actions).filter((name) => !tried.has(name) && !others.has(name)), []);
  }
});

Deno.test("a screenshot has the requested view size, and positions refer to it", async () => {
  const { request, desktop } = controlApi();
  const view = { width: 640, height: 400 };
  const act = async (action: unknown) =>
    await (await request("POST", "/api/act", { dialect: "anthropic", action, view })).json();
  const { width, height } = pictureSize(Uint8Array.fromBase64((await act({ action: "screenshot" })).image));
  assertEquals([width, height], [640, 400]);
  assertEquals(
    (await act({ action: "left_click", coordinate: [639, 399] })).text,
    "clicked left at 639,399 of 640x400",
  );
  assertEquals(short(desktop.log)[0], "(1279,719)");
  assertEquals((await act({ action: "cursor_position" })).text, "X=639,Y=399");
  assertStringIncludes(
    (await act({ action: "left_click", coordinate: [640, 0] })).error,
    "x must be from 0 to 639",
  );
});

/** Requests that are refused, their status, and a part of the message. */
const REFUSED: [Record<string, unknown>, number, string][] = [
  [{ dialect: "other", action: {} }, 400, "dialect must be one of anthropic, openai, google, gemini"],
  [{ dialect: "anthropic" }, 400, "Missing action"],
  [{ dialect: "anthropic", action: { action: "fly" } }, 400, "action.action must be one of screenshot"],
  [
    { dialect: "anthropic", action: { action: "constructor" } },
    400,
    "action.action must be one of screenshot",
  ],
  [{ dialect: "anthropic", action: { action: "mouse_move" } }, 400, "Missing action.coordinate"],
  [
    { dialect: "anthropic", action: { action: "hold_key", text: "w", duration: 301 } },
    400,
    "action.duration must be at most 300 seconds, not 301",
  ],
  [
    { dialect: "openai", action: { type: "screenshot" }, actions: [] },
    400,
    "actions must have 1 to 100",
  ],
  [
    { dialect: "openai", action: { type: "screenshot" }, actions: [{ type: "screenshot" }] },
    400,
    "action and actions cannot both be given",
  ],
  [{ dialect: "openai", action: { type: "click", y: 1 } }, 400, "Missing action.x"],
  [
    { dialect: "openai", action: { type: "keypress", keys: "a" } },
    400,
    "action.keys must be an array of strings",
  ],
  [{ dialect: "google", action: { name: "move", x: 1001, y: 0 } }, 400, "action.x must be from 0 to 1000"],
  [{ dialect: "google", action: { name: "navigate", url: "x" } }, 400, "action.name must be one of click_at"],
  [
    { dialect: "openai", action: { type: "screenshot" }, view: { width: 2000, height: 10 } },
    400,
    "view must not",
  ],
];

for (const [body, status, message] of REFUSED) {
  Deno.test(`${JSON.stringify(body)} is refused with ${status}`, async () => {
    const { request, desktop } = controlApi();
    const answer = await request("POST", "/api/act", body);
    assertEquals(answer.status, status);
    assertStringIncludes((await answer.json()).error, message);
    assertEquals(desktop.log, []);
  });
}

Deno.test("under --read-only models look and do not act", async () => {
  const { request, desktop } = controlApi({ readOnly: true });
  const act = async (action: unknown) =>
    (await request("POST", "/api/act", { dialect: "anthropic", action })).status;
  assertEquals([await act({ action: "screenshot" }), await act({ action: "cursor_position" })], [200, 200]);
  assertEquals([await act({ action: "left_click" }), await act({ action: "left_mouse_down" })], [403, 403]);
  assertEquals(desktop.log, []);
});

Deno.test("keys and buttons that a model holds are released when agents are stopped", async () => {
  const { request, operator } = controlApi();
  await request("POST", "/api/act", { dialect: "anthropic", action: { action: "left_mouse_down" } });
  assertEquals(operator.held(), [["button", "left"]]);
  await request("POST", "/api/agents", { allowed: false });
  await until(() => operator.held().length === 0);
  const refused = await request("POST", "/api/act", {
    dialect: "anthropic",
    action: { action: "left_click" },
  });
  assertEquals(refused.status, 409);
});
