/** The fields of searches for texts, and of their matches. */

import { InputError } from "../../core/errors.ts";
import type { TextMatch, TextRequest } from "../read/find.ts";
import type { TextLine } from "../read/whole_text.ts";
import type { PictureMatch } from "../find/find.ts";
import { MATCH } from "./find_fields.ts";
import { REGION, X, Y } from "./fields.ts";
import {
  choice,
  converted,
  type Field,
  flag,
  group,
  integer,
  list,
  number,
  optional,
  plainText,
  text,
  type Values,
} from "./schema.ts";

/** The least agreement of a text that can be asked for. */
const LEAST = 0.5;
/** The longest text of a search, in characters. */
const LONGEST = 200;
const SOURCE = choice(
  ["element", "screen"],
  "element: the element's program gave the text; screen: the text was read from the picture",
);

/** Names of languages, with `+` between them. */
export const LANGUAGE = optional(text("Languages such as eng+deu; those of --languages if left out"));

/** The source of texts: elements, or the pixels. */
export const ONLY_SOURCE = optional({
  ...SOURCE,
  schema: { ...SOURCE.schema, description: "Looks only in this source" },
});

/** A text to look for, and where. */
export const TEXT_QUERY = {
  text: converted(text("The text; case and spaces do not count"), (value, name) => {
    if (/[\p{L}\p{N}\p{P}\p{S}]/u.test(value) && value.length <= LONGEST) return value;
    throw new InputError(`${name} must have a letter, a digit or a sign, and at most ${LONGEST} characters`);
  }),
  match: optional(
    number(
      LEAST,
      1,
      "The least match of a found text; 0.9 if left out, which allows letters of similar shape such as l and 1",
    ),
  ),
  case: optional(flag("True if upper and lower case must fit")),
  nth: optional(integer(1, 10_000, "The number of the match to take among those that fit, from 1")),
  language: LANGUAGE,
  source: ONLY_SOURCE,
  ...REGION,
};

/** The fields of every place. */
const PLACE = {
  x: X,
  y: Y,
  width: integer(1, 1_000_000, "The size in pixels"),
  height: integer(1, 1_000_000, "The size in pixels"),
};
const OF_ELEMENT = {
  ref: optional(text("The ref of the element")),
  role: optional(plainText("Role of the element")),
};

/** The place of a found text. */
export const TEXT_MATCH: Field<TextMatch, true> = group({
  ...PLACE,
  center: group({ x: X, y: Y }, "The pixel in the middle of the place"),
  match: number(0, 1, "The match of the text: 1 if every letter agrees"),
  text: plainText("The text as the screen shows it"),
  source: SOURCE,
  line: optional(plainText("The line of text that has the match")),
  ...OF_ELEMENT,
}, "A place of a text");

/** A place of a picture, which has no text, or of a text. */
export const ANY_MATCH: Field<PictureMatch & Partial<TextMatch>, true> = {
  ...TEXT_MATCH,
  schema: { ...TEXT_MATCH.schema, required: MATCH.schema.required, description: "A place" },
};

/** Places of a text. */
export const TEXT_MATCHES = list(
  TEXT_MATCH,
  "The matches, the best first; among equals, texts that stand alone come first, then elements, then reading order decides",
);

/** A line of text. */
export const TEXT_LINE: Field<TextLine, true> = group({
  ...PLACE,
  text: plainText("The text as the screen shows it"),
  source: SOURCE,
  words: optional(
    list(group({ ...PLACE, text: plainText("The word") }, "A word"), "The words of the line"),
  ),
  ...OF_ELEMENT,
}, "A line of text, or the text of an element");

/** Makes a search for a text out of the fields of a request. */
export function textRequest(
  { x, y, width, height, ...query }: Values<typeof TEXT_QUERY>,
  signal: AbortSignal,
): TextRequest {
  return { ...query, region: { x, y, width, height }, signal };
}
