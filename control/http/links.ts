/** Link endpoints. A link lets a guest in with fewer rights, for a limited time. */

import { qrSvg } from "../../http/qr.ts";
import { InputError } from "../../core/errors.ts";
import {
  choice,
  group,
  list,
  number,
  objectSchema,
  optional,
  parseFields,
  parseQuery,
  plainText,
  text,
} from "../schema/schema.ts";
import { type Link, LINK_RIGHTS } from "./access/links.ts";
import { type Endpoint, type HttpCall, OK, OK_TEXT } from "./endpoint.ts";
import { readJson } from "./request.ts";
import { jsonText } from "./responses.ts";

const HOUR_MS = 3_600_000;
/** How long a link may be open, in hours: at least 72 s, at most 30 days, and the default. */
const HOURS = { least: 0.02, most: 720, usual: 2 };
/** Maximum length of a guest's name, in characters. */
const NAME_LIMIT = 60;

const INPUT = {
  rights: optional(
    choice(LINK_RIGHTS, "Whether the guest may act; default look"),
  ),
  hours: optional(
    number(HOURS.least, HOURS.most, `Hours until the link expires; default ${HOURS.usual}`),
  ),
  name: optional(plainText("The name of the guest, which other viewers see")),
  page: optional(
    text("The address of the page for the guest, for the QR code; default: the first of `links`"),
  ),
};
const LINK = {
  id: text("The id by which the link is revoked"),
  name: text("The guest's name; empty if there is none"),
  rights: choice(LINK_RIGHTS, "Rights of the guest: to look, or to act as well"),
  ends: text("When the link ends (RFC 3339)"),
};
const BY_ID = { id: text("The link") };
const CANNOT = { 403: "Guests with a link may not create, list or revoke links" };

/** Maximum length of a page address, in characters: a QR code holds a link of this length. */
const ADDRESS_LIMIT = 1000;

/**
 * The address of a page, without its fragment.
 * @throws InputError if it is not the address of a page.
 */
function pageAddress(page: string): string {
  const url = page.length <= ADDRESS_LIMIT ? URL.parse(page) : null;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new InputError("page must be an address such as https://host/");
  }
  url.hash = "";
  return url.href;
}

const told = ({ id, name, rights, ends }: Link) => ({ id, name, rights, ends: new Date(ends).toISOString() });

const MAKE: Endpoint = {
  method: "POST",
  path: "/api/links",
  id: "makeLink",
  summary: "Create a link that lets a guest look or act until it expires",
  effect: "read", // under --read-only, a link lets guests look
  owners: true,
  body: objectSchema(INPUT),
  answer: {
    "application/json": objectSchema({
      ...LINK,
      links: list(text("A link"), "A link for each address of this machine; the loopback address is last"),
      qr: text("QR code of the link, as SVG"),
    }),
  },
  statuses: { ...CANNOT, 503: "Too many links are open" },
  async handle({ request, services: { links, live, sound, urls } }) {
    const { rights = "look", hours = HOURS.usual, name = "", page } = parseFields(
      INPUT,
      await readJson(request),
    );
    const base = page === undefined ? undefined : pageAddress(page);
    const { link, token } = links.make({ rights, name: name.slice(0, NAME_LIMIT), ms: hours * HOUR_MS });
    link.signal.addEventListener("abort", () => {
      live.leave(link);
      sound.leave(link);
    });
    const all = urls.toReversed().map((url) => `${url}/#token=${token}`);
    const qr = await qrSvg(base ? `${base}#token=${token}` : all[0]);
    return jsonText(JSON.stringify({ ...told(link), links: all, qr }));
  },
};

const LIST: Endpoint = {
  method: "GET",
  path: "/api/links",
  id: "links",
  summary: "The open links, and who is viewing now",
  effect: "read",
  owners: true,
  answer: {
    "application/json": objectSchema({
      links: list(group(LINK, "A link"), "The open links, the oldest first"),
      viewers: list(
        group({
          name: text("The guest's name; empty for a caller with every right, and for a link without a name"),
          rights: choice(["look", "act", "all"], "The caller's rights: to look, to act as well, or all"),
        }, "A viewer"),
        "The viewers of the live picture",
      ),
    }),
  },
  statuses: CANNOT,
  handle: ({ services: { links, live } }) =>
    Promise.try(() => jsonText(JSON.stringify({ links: links.list().map(told), viewers: live.viewers }))),
};

const REVOKE: Endpoint = {
  method: "DELETE",
  path: "/api/links",
  id: "revokeLink",
  summary: "Revoke a link immediately",
  effect: "read",
  owners: true,
  query: BY_ID,
  answer: { "application/json": OK },
  statuses: { ...CANNOT, 404: "No open link has this id" },
  handle: ({ query, services: { links } }: HttpCall) =>
    Promise.try(() => {
      links.revoke(parseQuery(BY_ID, query).id);
      return jsonText(OK_TEXT);
    }),
};

export const LINK_ENDPOINTS: readonly Endpoint[] = [MAKE, LIST, REVOKE];
