/** Endpoints of the pointer: where it is, moving, clicking, scrolling, dragging, holding. */

import { BUTTONS, DIRECTIONS, type Point } from "../../desktop.ts";
import { InputError } from "../../../core/errors.ts";
import { repeatedJson } from "../responses.ts";
import { endpoint } from "../endpoint.ts";
import { canonicalKey } from "../../keys.ts";
import { choice, coordinate, group, integer, optional, text } from "../../schema.ts";
import { SCROLL_LIMIT } from "../../operator.ts";

const X = coordinate("Pixels from the left of the desktop");
const Y = coordinate("Pixels from the top of the desktop");
const BUTTON = choice(BUTTONS, "Which button");
const KEY = text("A key by name, such as shift, f5 or a");
const positionAnswer = repeatedJson();

/** See the module's comment. */
export const POINTER_ENDPOINTS = [
  endpoint({
    method: "GET",
    path: "/api/position",
    summary: "Where the pointer is",
    readOnly: true,
    answer: {
      "application/json": {
        type: "object",
        properties: { x: { type: "integer" }, y: { type: "integer" } },
        required: ["x", "y"],
      },
    },
    handle: ({ services }) =>
      services.operator.sharedPosition().then(({ x, y }) => positionAnswer(`{"x":${x},"y":${y}}`)),
  }),
  endpoint({
    method: "POST",
    path: "/api/move",
    summary: "Move the pointer",
    readOnly: false,
    body: { x: X, y: Y },
    handle: ({ body, services }) => services.operator.move(body),
  }),
  endpoint({
    method: "POST",
    path: "/api/click",
    summary: "Click at a place",
    readOnly: false,
    body: { x: X, y: Y, button: BUTTON, count: optional(integer(1, 3, "2 is a double click")) },
    handle: ({ body, services }) => services.operator.click(body, body.button, body.count),
  }),
  endpoint({
    method: "POST",
    path: "/api/scroll",
    summary: "Turn the wheel",
    readOnly: false,
    body: {
      direction: choice(DIRECTIONS, "Which way"),
      amount: integer(1, SCROLL_LIMIT, "Notches of the wheel"),
      x: optional(X),
      y: optional(Y),
    },
    handle: ({ body, services }) =>
      services.operator.scroll(body.direction, body.amount, optionalPoint(body.x, body.y)),
  }),
  endpoint({
    method: "POST",
    path: "/api/press",
    summary: "Press a button or key and keep it down",
    readOnly: false,
    body: { button: optional(BUTTON), key: optional(KEY) },
    handle({ body, services }) {
      const what = buttonOrKey(body);
      if (!what) throw new InputError("Missing button or key");
      return services.operator.press(what);
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/release",
    summary: "Let go of a button or key, of everything held if none is named",
    readOnly: false,
    body: { button: optional(BUTTON), key: optional(KEY) },
    handle: ({ body, services }) => services.operator.release(buttonOrKey(body) ?? {}),
  }),
  endpoint({
    method: "POST",
    path: "/api/drag",
    summary: "Drag from one place to another",
    readOnly: false,
    body: {
      from: group({ x: X, y: Y }, "Where the button goes down"),
      to: group({ x: X, y: Y }, "Where it comes up"),
      button: optional(BUTTON),
    },
    handle: ({ body, services, request }) =>
      services.operator.drag(body.from, body.to, body.button, request.signal),
  }),
];

function optionalPoint(x: number | undefined, y: number | undefined): Point | undefined {
  if (x === undefined && y === undefined) return undefined;
  if (x === undefined || y === undefined) {
    throw new InputError(`Missing ${x === undefined ? "x" : "y"}`);
  }
  return { x, y };
}

function buttonOrKey(body: { button?: typeof BUTTONS[number]; key?: string }) {
  if (body.button !== undefined && body.key !== undefined) {
    throw new InputError("button and key cannot both be given: send two requests");
  }
  if (body.button !== undefined) return { button: body.button };
  if (body.key === undefined) return undefined;
  const key = canonicalKey(body.key);
  if (key === undefined) {
    throw new InputError("key must be a name such as enter, ctrl or f5, or one character");
  }
  return { key };
}
