/** The fields of searches for pictures, and of their matches. */

import { InputError } from "../../core/errors.ts";
import type { PictureMatch } from "../find/find.ts";
import { LEAST_MATCH } from "../find/options.ts";
import { isPicture } from "../image/signatures.ts";
import { REGION, X, Y } from "./fields.ts";
import { type Field, group, integer, number, optional, renamed } from "./schema.ts";

/** A PNG or BMP file: as bytes, or in base64 where it comes as JSON. */
const PICTURE: Field<Uint8Array<ArrayBuffer>, true> = {
  required: true,
  schema: {
    type: "string",
    contentEncoding: "base64",
    contentMediaType: "image/png",
    description: "A PNG or BMP file, in base64",
  },
  parse(value, name) {
    const bytes = typeof value === "string" ? fromBase64(value) : value;
    if (bytes instanceof Uint8Array && isPicture(bytes)) return bytes as Uint8Array<ArrayBuffer>;
    throw new InputError(`${name} must be a PNG or BMP file${typeof value === "string" ? " in base64" : ""}`);
  },
};

/** Fields of a picture to look for, and of the region. */
export const PICTURE_QUERY = {
  png: PICTURE,
  tolerance: optional(
    integer(0, 255, "How far each of red, green, blue of a pixel may be off; 0 if left out"),
  ),
  match: optional(
    number(
      LEAST_MATCH,
      1,
      "The share of pixels that must agree, both of all pixels and of the picture's details; 1 if left out",
    ),
  ),
  ...REGION,
};

/** The longest time of a search, in milliseconds. */
export const TIMEOUT_MS = renamed(
  "wait_ms",
  optional(integer(1, 600_000, "Milliseconds to look for the picture or text; one look if left out")),
);

/** The place of a found picture. */
export const MATCH: Field<PictureMatch, true> = group({
  x: X,
  y: Y,
  width: integer(1, 1_000_000, "The size in pixels"),
  height: integer(1, 1_000_000, "The size in pixels"),
  center: group({ x: X, y: Y }, "The pixel in the middle of the place"),
  match: number(0, 1, "The share of pixels that agree"),
}, "A place");

function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    return undefined;
  }
}
