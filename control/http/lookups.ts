/**
 * Finding over HTTP. The body is what to find: the bytes of a PNG or BMP file, or a text as JSON. Options are
 * in the query or in the JSON.
 */

import type { Bytes } from "../../core/bytes.ts";
import { InputError, StateError } from "../../core/errors.ts";
import { join } from "../../core/path.ts";
import { RequestError } from "../../http/request.ts";
import type { AnyAction } from "../actions/action.ts";
import { OBSERVE, OBSERVE_WORD, SEEN } from "../actions/observe_fields.ts";
import { HEALED } from "../actions/elements.ts";
import { ANY_MATCH, MATCH, TEXT_MATCHES } from "../actions/find.ts";
import { ACTIONS } from "../actions/mod.ts";
import { CLIPBOARD_KINDS } from "../desktop/desktop.ts";
import { PICTURE_FILE_LIMIT } from "../find/find.ts";
import { isPicture, isPng } from "../image/bitmap.ts";
import {
  choice,
  type Fields,
  type JsonSchema,
  list,
  objectSchema,
  optional,
  parseCall,
  parseFields,
  parseQuery,
  plainText,
  text,
} from "../schema/schema.ts";
import { type Endpoint, type HttpCall, route } from "./endpoint.ts";
import { parseJsonBody, readBody } from "./request.ts";
import { headersOf, jsonText } from "./responses.ts";

const PATH = "/api/find";
/** Maximum size of the JSON of a text search, in bytes. */
const TEXT_LIMIT = 64 * 1024;

/** The two actions on something on the screen: finding it, and clicking on it. */
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
/** The fields of a text click, as JSON. */
const { window: WINDOW, heal: HEAL } = ACTIONS.clickText.input;
const TEXT_CLICK = { window: WINDOW, heal: HEAL };
const TEXT_FIELDS = {
  ...ACTIONS.findText.input,
  ...CLICK,
  ...TEXT_CLICK,
  observe: OBSERVE,
} satisfies Fields;

/** The values of requests whose body has been read. */
const READ = new WeakMap<Request, Record<string, unknown>>();

function endpointOf(action: AnyAction): Endpoint {
  return route("POST", PATH, action, {
    read: (request) => {
      const given = READ.get(request), observe = parseFields({ observe: OBSERVE }, given);
      return Promise.resolve({ ...parseCall(action.input, given), ...observe });
    },
  });
}

const ENDPOINTS = new Map(
  [PICTURE, TEXT].flatMap(({ find, click }) => [find, click]).map((action) => [action, endpointOf(action)]),
);

/** Reads the picture to find, with the values from the query and the body. */
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
    throw new RequestError(413, `the JSON body is larger than the ${TEXT_LIMIT} bytes allowed`);
  }
  const values = { ...parseQuery(TEXT_QUERY, query), ...parseJsonBody(body) as object };
  return { pair: TEXT, values };
}

/** Whether the first non-space character starts an object. */
function looksLikeJson(body: Bytes): boolean {
  return new TextDecoder().decode(body.subarray(0, 64)).trimStart().startsWith("{");
}

/** Whether the values are for the click rather than the search. @throws InputError if they mix the two. */
function checkedClick(values: Record<string, unknown>): boolean {
  const { click, count, heal, limit, gone, best } = values;
  if (click === undefined) {
    for (const [name, value] of Object.entries({ count, heal })) {
      if (value !== undefined) throw new InputError(`Missing click: ${name} works with click only`);
    }
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
    matches: list(ANY_MATCH, "The matches, the best first; none overlaps a better one").schema,
    best: MATCH.schema,
    nearest: TEXT_MATCHES.schema,
    healed: HEALED.schema,
    seen: SEEN.schema,
  },
  required: ["matches"],
};

/**
 * Makes a click answer scripts that request text (`Accept: text/plain`) with the line `healed: ...` if
 * another element replaced the missing one, and with nothing otherwise.
 */
function tellingText(endpoint: Endpoint): Endpoint {
  const { handle } = endpoint;
  endpoint.handle = async (call) => {
    const answer = await handle(call);
    if (call.request.headers.get("accept") !== "text/plain" || !answer.ok) return answer;
    const { healed } = await answer.json() as { healed?: string };
    return new Response(healed === undefined ? "" : `healed: ${healed}\n`, {
      headers: headersOf("text/plain; charset=utf-8"),
    });
  };
  return endpoint; // not a copy, which would build the document schemas
}

/** Finding, and clicking on the match: two actions, of which `--read-only` allows only the first. */
export const FIND_ENDPOINT: Endpoint = tellingText({
  ...ENDPOINTS.get(PICTURE.find)!,
  summary: "Find a picture or a text on the screen",
  query: QUERY,
  body: objectSchema(TEXT_FIELDS),
  bytes: ["image/png", "image/bmp"],
  answer: { "application/json": FOUND },
  statuses: {
    404: "With `click`, the screen does not show the picture or text; the message names the nearest text",
    408: "With `timeout_ms`, nothing matched in time",
    409:
      "With `click`, the text appears more than once, or deskhand may not click now; or a language is missing",
  },
  async handle(call: HttpCall) {
    if (checkedClick(parseQuery(QUERY, call.query))) call.services.runner.checkOpen(PICTURE.click); // before the body
    const { pair, values } = await asked(call.request, call.query);
    READ.set(call.request, values);
    const isClick = checkedClick(values);
    if (isClick && pair === PICTURE && values.window !== undefined) {
      throw new InputError("click and window cannot both be given for a picture");
    }
    if (values.observe && !isClick) throw new InputError("Missing click: observe works with click only");
    return await ENDPOINTS.get(isClick ? pair.click : pair.find)!.handle(call);
  },
});

// Comparison over HTTP: the body is the picture, and options are in the query.

const COMPARE_PATH = "/api/compare";
const { png: _png, ...COMPARE_INPUT } = ACTIONS.compare.input;
const COMPARE_QUERY = {
  ...COMPARE_INPUT,
  format: optional(choice(["json", "png"], "png is a picture of the differences; default json")),
} satisfies Fields;

function comparison(action: AnyAction): Endpoint {
  return route("POST", COMPARE_PATH, action, {
    async read(request, query) {
      const { format: _format, ...values } = parseQuery(COMPARE_QUERY, query, parseCall);
      return { ...values, ...parseFields({ png: ACTIONS.compare.input.png }, await pictureOf(request)) };
    },
  });
}

async function pictureOf(request: Request): Promise<{ png: Bytes }> {
  const png = await readBody(request, PICTURE_FILE_LIMIT);
  if (isPicture(png)) return { png };
  throw new InputError("the body must be the bytes of a PNG or BMP file");
}

const COMPARISONS = { json: comparison(ACTIONS.compare), png: comparison(ACTIONS.comparePicture) };

export const COMPARE_ENDPOINT: Endpoint = {
  ...COMPARISONS.json,
  query: COMPARE_QUERY,
  body: undefined,
  bytes: ["image/png", "image/bmp"],
  answer: { ...COMPARISONS.json.answer, ...COMPARISONS.png.answer },
  statuses: {
    404: "No window or element matches",
    409: "Several windows or elements match, or they are not on the screen",
  },
  handle: (call) => COMPARISONS[parseQuery(COMPARE_QUERY, call.query).format ?? "json"].handle(call),
};

/**
 * Makes the endpoint of actions that return the same data in several formats, selected by `format` in the
 * query.
 * @param actions Actions by format; the first one describes the endpoint.
 * @param format Describes the formats in the documents.
 */
function inFormats(path: string, actions: Record<string, AnyAction>, format: string): Endpoint {
  const formats = Object.keys(actions) as [string, ...string[]], [usual] = formats;
  const query: Fields = { ...actions[usual].input, format: optional(choice(formats, format)) };
  const endpoints = Object.entries(actions).map(([name, action]): [string, Endpoint] => [
    name,
    route("GET", path, action, {
      read: (_, given) => {
        const { format: _format, ...values } = parseQuery(query, given, parseCall);
        return Promise.resolve(values);
      },
    }),
  ]);
  const byFormat = new Map(endpoints);
  return {
    ...byFormat.get(usual)!,
    query,
    answer: Object.assign({}, ...endpoints.map(([, { answer }]) => answer)),
    handle: (call) => byFormat.get(String(parseQuery(query, call.query).format ?? usual))!.handle(call),
  };
}

export const TEXT_ENDPOINT: Endpoint = {
  ...inFormats(
    "/api/text",
    { json: ACTIONS.text, text: ACTIONS.textLines },
    "text returns only the lines; default json",
  ),
  statuses: { 409: "A language is missing; the message says where to put its file" },
};

// Elements over HTTP.

const ELEMENTS_PATH = "/api/elements";

const STATUSES = {
  404: "No element or window matches, or the element is gone; the message names the closest matches",
  409: "Several elements match, or the action fails; the message says why",
};

const ELEMENTS_ENDPOINT: Endpoint = {
  ...inFormats(
    ELEMENTS_PATH,
    { json: ACTIONS.elements, text: ACTIONS.elementLines, tree: ACTIONS.elementTree },
    "text is short, for people and models; tree has neither refs nor places, for tests; default json",
  ),
  statuses: STATUSES,
};

export const ELEMENT_ENDPOINTS: readonly Endpoint[] = [
  ELEMENTS_ENDPOINT,
  route("POST", ELEMENTS_PATH, ACTIONS.switchElements, {
    statuses: { 409: "Accessibility cannot be switched on this desktop, or the session has none" },
  }),
  tellingText(route("POST", "/api/element/click", ACTIONS.clickOnElement, { statuses: STATUSES })),
  route("POST", "/api/element/set", ACTIONS.setElementText, { statuses: STATUSES }),
  route("POST", "/api/element/focus", ACTIONS.focusOnElement, { statuses: STATUSES }),
  route("POST", "/api/element/scroll", ACTIONS.scrollToElement, { statuses: STATUSES }),
];

// The clipboard over HTTP: text as JSON, pictures as the bytes of a PNG file.

const CLIPBOARD_PATH = "/api/clipboard";
/** Maximum size of the content, in bytes. */
const CONTENT_LIMIT = 16 * 1024 * 1024;

const CLIPBOARD_TEXT = route("GET", CLIPBOARD_PATH, ACTIONS.clipboard);
const CLIPBOARD_PICTURE = route("GET", CLIPBOARD_PATH, ACTIONS.clipboardPicture);
const FORMAT = { format: optional(choice(CLIPBOARD_KINDS, "default text")) };

/** Reading and writing the clipboard. */
export const CLIPBOARD_ENDPOINTS: readonly Endpoint[] = [
  {
    ...CLIPBOARD_TEXT,
    query: { ...FORMAT, ...CLIPBOARD_TEXT.query },
    answer: { ...CLIPBOARD_TEXT.answer, ...CLIPBOARD_PICTURE.answer },
    statuses: { 404: "There is no picture on the clipboard" },
    handle(call) {
      const { format } = parseQuery({ ...FORMAT, ...CLIPBOARD_TEXT.query }, call.query);
      return (format === "png" ? CLIPBOARD_PICTURE : CLIPBOARD_TEXT).handle(call);
    },
  },
  route("PUT", CLIPBOARD_PATH, ACTIONS.setClipboard, {
    async read(request, query) {
      const bytes = await readBody(request, CONTENT_LIMIT);
      const { input } = ACTIONS.setClipboard;
      if (isPng(bytes)) {
        return parseFields(input, { ...parseQuery({ selection: input.selection }, query), png: bytes });
      }
      return parseFields({ text: input.text, selection: input.selection }, parseJsonBody(bytes));
    },
  }),
];

// The endpoint that accepts uploads to the served folder, if they are allowed.

const INPUT = { name: plainText("The name of the file") };

/** Stores a file. */
export const FOLDER_ENDPOINT: Endpoint = {
  method: "PUT",
  path: "/api/file",
  id: "putFile",
  summary: "Put a file into the served folder",
  effect: "act",
  query: INPUT,
  bytes: ["application/octet-stream"],
  answer: {
    "application/json": objectSchema({ path: text("The path of the file on the desktop's machine") }),
  },
  statuses: {
    201: "The whole file has arrived",
    202: "Part of the file is missing; Upload-Offset says from which byte",
    409: "Uploads are off, or the folder has a file with this name",
    413: "The file is larger than --upload-limit",
    507: "The disk is full",
  },
  async handle({ request, query, services: { folder } }) {
    const { name } = parseQuery(INPUT, query);
    if (!folder) {
      throw new StateError("uploads are off: start deskhand with --files FOLDER --allow-upload");
    }
    const taken = await folder.take(name, request);
    const said = (await taken.text()).trim(), isTaken = taken.status < 300;
    const json = jsonText(JSON.stringify(isTaken ? { path: join(folder.path, name) } : { error: said }));
    const offset = taken.headers.get("upload-offset");
    if (offset !== null) json.headers.set("upload-offset", offset);
    return new Response(json.body, { status: taken.status, headers: json.headers });
  },
};
