/**
 * The messages of `/api/live`, a WebSocket.
 *
 * To the viewer, as text, JSON:
 *
 * - `{"type":"screen","x","y","width","height","readOnly"}` before the first picture and whenever the screen's size or
 *   place changes; `readOnly` says whether only looking is allowed;
 * - `{"type":"viewers","count"}`, the number of viewers, itself included, whenever it changes; one that is alone from the
 *   start gets none;
 * - `{"type":"trace","state"}` when a trace begins, pauses or ends, and to a viewer that comes while there is one;
 * - `{"type":"error","message"}` when an input of the viewer was refused.
 *
 * To the viewer, binary, a picture, as message.ts has it. Up to three are sent before the first of them must be
 * acknowledged; a viewer acknowledges each when it shows it.
 *
 * From the viewer, as text, JSON: `{"type":"ack"}`, or one of {@linkcode ViewerInput}.
 */

import { InputError } from "../../core/errors.ts";
import { BUTTON, DOWN, KEY, X, Y } from "../actions/fields.ts";
import { ACTIONS } from "../actions/mod.ts";
import { type Fields, parseFields, type Values } from "../actions/schema.ts";

/** The longest message of a viewer, in UTF-16 code units: a pasted text is the longest there is. */
const MESSAGE_LIMIT = 1024 * 1024;

/** A viewer's actions with their fields: those of actions, but that buttons and keys go down and up. */
const INPUTS = {
  move: ACTIONS.move.input,
  button: { button: BUTTON, down: DOWN, x: X, y: Y },
  scroll: ACTIONS.scroll.input,
  key: { key: KEY, down: DOWN },
  text: ACTIONS.type.input,
  release: {},
} satisfies Record<string, Fields>;

type Kind = keyof typeof INPUTS;
/** A message of a viewer that does something. */
export type ViewerInput = { [K in Kind]: { type: K } & Values<typeof INPUTS[K]> }[Kind];

/**
 * Reads a viewer's message.
 * @returns "ack", or what it asks for.
 * @throws InputError naming what is wrong.
 */
export function parseViewerMessage(data: string): "ack" | ViewerInput {
  if (data.length > MESSAGE_LIMIT) {
    throw new InputError(`a message, such as a text that is pasted, may have ${MESSAGE_LIMIT} characters`);
  }
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(data);
  } catch {
    throw new InputError("a message must be JSON");
  }
  const { type, ...fields } = value ?? {};
  if (type === "ack") return "ack";
  if (typeof type !== "string" || !Object.hasOwn(INPUTS, type)) throw new InputError("type is unknown");
  return { type, ...parseFields(INPUTS[type as Kind] as Fields, fields) } as ViewerInput;
}
