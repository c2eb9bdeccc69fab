/**
 * What a viewer and `/api/live` say to each other over a WebSocket.
 *
 * To the viewer, as text, JSON: `{"type":"screen","x","y","width","height","readOnly"}` before the first picture and
 * whenever its size or place changes, with whether all but looking is refused; `{"type":"error","message"}` when
 * something that the viewer asked for was refused.
 *
 * To the viewer, binary, a picture: the number of tiles (unsigned 32 bits, little-endian), then for each its x, y,
 * width and height in pixels (unsigned 16 bits each), then the pixels of all tiles in that order as raw deflate
 * (RFC 1951) of red, green, blue, alpha bytes. The next picture is sent when this one was acknowledged.
 *
 * From the viewer, as text, JSON: `{"type":"ack"}`, or one of {@linkcode ViewerInput}.
 */

import { BUTTONS, DIRECTIONS } from "../desktop.ts";
import { type Field, type Fields, parseFields, type Values } from "../schema.ts";
import { choice, coordinate, flag, integer, text } from "../schema.ts";
import { InputError } from "../../core/errors.ts";
import { nodeModule } from "../../core/lazy_node.ts";
import type { TiledScreen } from "./tiles.ts";

const X = coordinate("Pixels from the left"), Y = coordinate("Pixels from the top");

/** The longest message of a viewer, in UTF-16 code units: a pasted text is the longest there is. */
const MESSAGE_LIMIT = 1024 * 1024;

/** What a viewer may do, with its fields. */
export const INPUTS = {
  move: { x: X, y: Y },
  button: { button: choice(BUTTONS, "Which"), down: flag("Pressed"), x: X, y: Y },
  wheel: { direction: choice(DIRECTIONS, "Which way"), amount: integer(1, 100, "Notches"), x: X, y: Y },
  key: { key: text("A key's name, or a character"), down: flag("Pressed") },
  text: { text: text("What to type") },
  release: {},
} as const satisfies Record<string, Fields>;

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
  const type = value?.type;
  if (type === "ack") return "ack";
  if (typeof type !== "string" || !Object.hasOwn(INPUTS, type)) throw new InputError("type is unknown");
  const fields: Record<string, Field<unknown>> = INPUTS[type as Kind];
  return { type, ...parseFields(fields, value) } as ViewerInput;
}

/**
 * Writes a picture of tiles.
 * @param tiles Numbers of tiles.
 */
export async function encodeTiles(
  screen: TiledScreen,
  tiles: readonly number[],
): Promise<Uint8Array<ArrayBuffer>> {
  const content = screen.content(tiles);
  const header = new DataView(new ArrayBuffer(4 + tiles.length * 8));
  header.setUint32(0, tiles.length, true);
  tiles.forEach((tile, i) => {
    const { x, y, width, height } = screen.region(tile);
    [x, y, width, height].forEach((value, part) => header.setUint16(4 + i * 8 + part * 2, value, true));
  });
  const { promisify } = nodeModule("node:util"), { constants, deflateRaw } = nodeModule("node:zlib");
  const packed = await promisify(deflateRaw)(content, { level: constants.Z_BEST_SPEED });
  const message = new Uint8Array(header.byteLength + packed.length);
  message.set(new Uint8Array(header.buffer));
  message.set(packed, header.byteLength);
  return message;
}
