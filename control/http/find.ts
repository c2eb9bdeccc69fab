/**
 * Finding over HTTP. The body is the thing to find: the bytes of a PNG or BMP file, or a text in JSON. Options stand
 * in the query, or in the JSON.
 */

import type { Bytes } from "../../core/bytes.ts";
import { InputError } from "../../core/errors.ts";
import { RequestError } from "../../http/request_error.ts";
import type { AnyAction } from "../actions/action.ts";
import { ACTIONS } from "../actions/mod.ts";
import { MATCH } from "../actions/find_fields.ts";
import { OBSERVE, OBSERVE_WORD, SEEN } from "../actions/observe_fields.ts";
import { ANY_MATCH, TEXT_MATCHES } from "../actions/text_fields.ts";
import {
  type Fields,
  type JsonSchema,
  list,
  objectSchema,
  optional,
  parseFields,
  parseQuery,
} from "../actions/schema.ts";
import { PICTURE_FILE_LIMIT } from "../find/options.ts";
import { isPicture } from "../image/signatures.ts";
import { type Endpoint, type HttpCall, route } from "./endpoint.ts";
import { parseJsonBody, readBody } from "./request_body.ts";

const PATH = "/api/find";
/** The largest JSON of a search for a text, in bytes. */
const TEXT_LIMIT = 64 * 1024;

/** The two actions on a thing on the screen: finding it, and clicking on it. */
interface Pair {
  find: AnyAction;
  click: AnyAction;
}
const PICTURE: Pair = { find: ACTIONS.find, click: ACTIONS.clickPicture };
const TEXT: Pair = { find: ACTIONS.findText, click: ACTIONS.clickText };

const { png: _, ...PICTURE_QUERY } = ACTIONS.find.input;
const { click: CLICK_BUTTON, count: COUNT } = ACTIONS.clickPicture.input;
const CLICK = { click: optional(CLICK_BUTTON), count: COUNT };
const QUERY = { ...PICTURE_QUERY, ...CLICK, observe: OBSERVE_WORD } satisfies Fields;
const { text: __, ...TEXT_QUERY } = { ...ACTIONS.findText.input, ...CLICK, observe: OBSERVE_WORD };
const TEXT_FIELDS = { ...ACTIONS.findText.input, ...CLICK, observe: OBSERVE } satisfies Fields;

/** The values of requests whose body was read. */
const READ = new WeakMap<Request, Record<string, unknown>>();

function endpointOf(action: AnyAction): Endpoint {
  return route("POST", PATH, action, {
    read: (request) => {
      const given = READ.get(request), observe = parseFields({ observe: OBSERVE }, given);
      return Promise.resolve({ ...parseFields(action.input, given), ...observe });
    },
  });
}

const ENDPOINTS = new Map(
  [PICTURE, TEXT].flatMap(({ find, click }) => [find, click]).map((action) => [action, endpointOf(action)]),
);

/** The picture that is searched for, and its values from the query and the body. */
async function asked(
  request: Request,
  query: string,
): Promise<{ pair: Pair; values: Record<string, unknown> }> {
  const body: Bytes = await readBody(request, PICTURE_FILE_LIMIT);
  if (isPicture(body)) return { pair: PICTURE, values: { ...parseQuery(QUERY, query), png: body } };
  if (!looksLikeJson(body)) {
    throw new InputError('the body must be the bytes of a PNG or BMP file, or JSON such as {"text":"Save"}');
  }
  if (body.length > TEXT_LIMIT) {
    throw new RequestError(413, `the JSON of a text is larger than the ${TEXT_LIMIT} bytes allowed`);
  }
  const values = { ...parseQuery(TEXT_QUERY, query), ...parseJsonBody(body) as object };
  return { pair: TEXT, values };
}

/** Tells whether the first sign that is no space begins an object. */
function looksLikeJson(body: Bytes): boolean {
  return new TextDecoder().decode(body.subarray(0, 64)).trimStart().startsWith("{");
}

/** Says which of two actions the values are for. @throws InputError if they are for neither. */
function checkedClick(values: Record<string, unknown>): boolean {
  const { click, count, limit, gone, best } = values;
  if (click === undefined) {
    if (count !== undefined) throw new InputError("Missing click: count is of clicks");
    return false;
  }
  for (const [name, value] of Object.entries({ limit, gone, best })) {
    if (value !== undefined) throw new InputError(`click and ${name} cannot both be given`);
  }
  return true;
}

const FOUND: JsonSchema = {
  type: "object",
  properties: {
    matches: list(ANY_MATCH, "The found places, the best first; none overlaps a better one").schema,
    best: MATCH.schema,
    nearest: TEXT_MATCHES.schema,
    seen: SEEN.schema,
  },
  required: ["matches"],
};

/** Finding, and clicking on the match: two actions, of which `--read-only` allows the first. */
export const FIND_ENDPOINT: Endpoint = {
  ...ENDPOINTS.get(PICTURE.find)!,
  summary: "Find a picture or a text on the screen",
  query: QUERY,
  body: objectSchema(TEXT_FIELDS),
  bytes: ["image/png", "image/bmp"],
  answer: { "application/json": FOUND },
  statuses: {
    404: "With `click`, the screen does not show the picture or text; the message names the nearest text",
    408: "With `timeout_ms`, the time was over before a match",
    409:
      "With `click`, the text is there more than once, or deskhand may not click now; or a language is missing",
  },
  async handle(call: HttpCall) {
    if (checkedClick(parseQuery(QUERY, call.query))) call.services.runner.checkOpen(PICTURE.click); // before the body
    const { pair, values } = await asked(call.request, call.query);
    READ.set(call.request, values);
    const isClick = checkedClick(values);
    if (values.observe && !isClick) throw new InputError("Missing click: observe is of clicks");
    return await ENDPOINTS.get(isClick ? pair.click : pair.find)!.handle(call);
  },
};
