/**
 * The messages of `/api/live`, a WebSocket.
 *
 * To the viewer, as text, JSON:
 *
 * - `{"type":"screen","x","y","width","height","readOnly"}` before the first picture and whenever the screen's size
 * or place changes; `readOnly` says whether only looking is allowed;
 * - `{"type":"viewers","count"}`, the number of viewers, itself included, whenever it changes; a viewer that is alone
 * from the start gets no such message;
 * - `{"type":"trace","state"}` when a trace begins, pauses or ends, and to a viewer that comes during a trace;
 * - `{"type":"ping"}`, which it answers at once;
 * - `{"type":"error","message"}` when an input of the viewer was refused.
 *
 * To the viewer, binary, a picture, as message.ts has it. Up to three are sent before the first of them must be
 * acknowledged, over a slow network as many as pass in the time of one answer. A viewer acknowledges each picture
 * when it shows it.
 *
 * From the viewer, as text, JSON:
 *
 * - `{"type":"ack","held"}` for a picture that is shown; `held` says for how many milliseconds the viewer had it by
 * then;
 * - `{"type":"pong"}`, the answer to a ping;
 * - `{"type":"quality","quality"}`, one of {@linkcode QUALITIES}; the address may have the first one as `?quality=`;
 * - or one of {@linkcode ViewerInput}.
 */

import { InputError } from "../../../core/errors.ts";
import { describeValue } from "../../../core/printable.ts";
import { BUTTON, DOWN, KEY, X, Y } from "../../schema/fields.ts";
import { ACTIONS } from "../../actions/mod.ts";
import {
  choice,
  type Fields,
  milliseconds,
  optional,
  parseFields,
  type Values,
} from "../../schema/schema.ts";
import { QUALITIES } from "../../live/link.ts";

/** The longest message of a viewer, in UTF-16 code units: a pasted text is the longest there is. */
const MESSAGE_LIMIT = 1024 * 1024;

const { element: _, ...SCROLL } = ACTIONS.scroll.input;

/**
 * A viewer's actions with their fields: the usual actions, except that buttons and keys are pressed and released one by
 * one.
 */
const INPUTS = {
  move: { x: X, y: Y },
  button: { button: BUTTON, down: DOWN, x: X, y: Y },
  scroll: SCROLL,
  key: { key: KEY, down: DOWN },
  text: ACTIONS.type.input,
  release: {},
} satisfies Record<string, Fields>;

/** The quality of pictures. */
export const QUALITY = choice(
  QUALITIES,
  "The quality of the pictures; sharp: lossless, videos too; balanced: videos as JPEG; slow: suited to a slow network; automatic: slow if the network is",
);

/** Messages of a viewer that are no input, with their fields. */
const SHOWN = {
  ack: { held: optional(milliseconds("Time from the arrival of the picture until it was shown")) },
  pong: {},
  quality: { quality: QUALITY },
} satisfies Record<string, Fields>;

type Kind = keyof typeof INPUTS;
type ShownKind = keyof typeof SHOWN;
/** A message of a viewer that acts. */
export type ViewerInput = { [K in Kind]: { type: K } & Values<typeof INPUTS[K]> }[Kind];
/** A message of a viewer that is no input. */
export type ViewerShown = { [K in ShownKind]: { type: K } & Values<typeof SHOWN[K]> }[ShownKind];

/**
 * Reads a viewer's message.
 * @throws InputError naming what is wrong.
 */
export function parseViewerMessage(data: string): ViewerShown | ViewerInput {
  if (data.length > MESSAGE_LIMIT) {
    throw new InputError(`a message, such as pasted text, may have at most ${MESSAGE_LIMIT} characters`);
  }
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(data);
  } catch {
    throw new InputError("a message must be JSON");
  }
  const { type, ...fields } = value ?? {};
  const all: Record<string, Fields> = { ...INPUTS, ...SHOWN };
  if (typeof type !== "string" || !Object.hasOwn(all, type)) {
    throw new InputError(`type must be one of ${Object.keys(all).join(", ")}, not ${describeValue(type)}`);
  }
  return { type, ...parseFields(all[type], fields) } as ViewerShown | ViewerInput;
}
