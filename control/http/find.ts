/** Finding pictures over HTTP: the bytes of a PNG or BMP file as the body, and the rest as a query. */

import { InputError } from "../../core/errors.ts";
import type { AnyAction } from "../actions/action.ts";
import { ACTIONS } from "../actions/mod.ts";
import { type Fields, optional, parseFields, parseQuery } from "../actions/schema.ts";
import { PICTURE_FILE_LIMIT } from "../find/options.ts";
import { isPicture } from "../image/signatures.ts";
import { type Endpoint, route } from "./endpoint.ts";
import { readBody } from "./request_body.ts";

const PATH = "/api/find";

const { png: _, ...FIND_QUERY } = ACTIONS.find.input;
const { click: CLICK_BUTTON, count: COUNT } = ACTIONS.clickPicture.input;
const QUERY = { ...FIND_QUERY, click: optional(CLICK_BUTTON), count: COUNT } satisfies Fields;

/** One of the two actions, from the same query and body. */
function withFile(action: AnyAction): Endpoint {
  return route("POST", PATH, action, {
    async read(request, query) {
      const values = parseQuery(QUERY, query), png = await readBody(request, PICTURE_FILE_LIMIT);
      if (!isPicture(png)) throw new InputError("the body must be the bytes of a PNG or BMP file");
      return parseFields(action.input, { ...values, png });
    },
  });
}

const FIND = withFile(ACTIONS.find), CLICK = withFile(ACTIONS.clickPicture);

/** Finding, and clicking on what is found: two actions, of which `--read-only` leaves the first open. */
export const FIND_ENDPOINT: Endpoint = {
  ...FIND,
  query: QUERY,
  body: undefined,
  bytes: ["image/png", "image/bmp"],
  statuses: {
    404: "With `click`: the picture is not on the screen",
    408: "With `timeout_ms`: the time was over first",
    409: "With `click`: does not fit what is going on, such as a replay",
  },
  handle(call) {
    const { click, count, limit, gone, best } = parseQuery(QUERY, call.query);
    if (click === undefined) {
      if (count !== undefined) throw new InputError("Missing click: count is of clicks");
      return FIND.handle(call);
    }
    for (const [name, value] of Object.entries({ limit, gone, best })) {
      if (value !== undefined) throw new InputError(`click and ${name} cannot both be given`);
    }
    call.services.runner.checkOpen(CLICK); // before its body is read
    return CLICK.handle(call);
  },
};
