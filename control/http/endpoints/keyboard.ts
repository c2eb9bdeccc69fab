/** Endpoints of the keyboard: combinations and text. */

import { endpoint } from "../endpoint.ts";
import { parseCombination } from "../../keys.ts";
import { text } from "../../schema.ts";

/** See the module's comment. */
export const KEYBOARD_ENDPOINTS = [
  endpoint({
    method: "POST",
    path: "/api/key",
    summary: "Press a combination of keys",
    readOnly: false,
    body: { keys: text("Such as ctrl+shift+t, f5 or a; + itself is plus") },
    handle: ({ body, services }) => services.operator.combination(parseCombination(body.keys)),
  }),
  endpoint({
    method: "POST",
    path: "/api/type",
    summary: "Type text, any Unicode",
    readOnly: false,
    body: { text: text("What to type; a line feed is Enter, a tab is Tab") },
    handle: ({ body, services, request }) => services.operator.type(body.text, request.signal),
  }),
];
