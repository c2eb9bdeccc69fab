/** The clipboard over HTTP: text as JSON, pictures as the bytes of a PNG file. */

import { ACTIONS } from "../actions/mod.ts";
import { choice, optional, parseFields, parseQuery } from "../actions/schema.ts";
import { CLIPBOARD_KINDS } from "../desktop.ts";
import { isPng } from "../image/signatures.ts";
import { type Endpoint, route } from "./endpoint.ts";
import { parseJsonBody, readBody } from "./request_body.ts";

const PATH = "/api/clipboard";
/** The largest content that is taken, in bytes. */
const CONTENT_LIMIT = 16 * 1024 * 1024;

const TEXT = route("GET", PATH, ACTIONS.clipboard);
const PICTURE = route("GET", PATH, ACTIONS.clipboardPicture);
const FORMAT = { format: optional(choice(CLIPBOARD_KINDS, "text if left out")) };

/** Reading and writing. */
export const CLIPBOARD_ENDPOINTS: readonly Endpoint[] = [
  {
    ...TEXT,
    query: { ...FORMAT, ...TEXT.query },
    answer: { ...TEXT.answer, ...PICTURE.answer },
    statuses: { 404: "There is no picture on the clipboard" },
    handle(call) {
      const { format } = parseQuery({ ...FORMAT, ...TEXT.query }, call.query);
      return (format === "png" ? PICTURE : TEXT).handle(call);
    },
  },
  route("PUT", PATH, ACTIONS.setClipboard, {
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
