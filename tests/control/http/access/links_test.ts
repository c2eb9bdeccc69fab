/** Links: their tokens, rights and ends, without a server. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { Links } from "../../../../control/http/access/links.ts";
import { BusyError, NotFoundError } from "../../../../core/errors.ts";
import { until } from "../../../support/until.ts";

const HOUR = 3_600_000;
const request = () => new Request("http://127.0.0.1:4000/api/position");

Deno.test("a link is open until its time is over, and says then that it has ended", async () => {
  const links = new Links();
  const { link, token } = links.make({ rights: "look", name: "Ada", ms: 50 });
  const other = links.make({ rights: "act", name: "", ms: HOUR });
  assert(token.length >= 43 && token !== other.token);
  assertEquals([links.isOpen(other.token), links.isOpen(`${other.token}x`)], [true, false]);
  await until(() => link.signal.aborted);
  assertEquals([links.isOpen(token), links.isOpen(other.token)], [false, true]);
  assertEquals(links.admit(request(), [token])?.message, "this link has ended");
  assertEquals(links.list().map(({ id }) => id), [other.link.id]);
  links.revoke(other.link.id);
});

Deno.test("a link is revoked by its id, once", () => {
  const links = new Links(), { link, token } = links.make({ rights: "look", name: "", ms: HOUR });
  links.revoke(link.id);
  assertEquals([links.isOpen(token), link.signal.aborted, links.list()], [false, true, []]);
  for (const id of [link.id, "7", ""]) assertThrows(() => links.revoke(id), NotFoundError, "no open link");
});

Deno.test("of the tokens of a request the one with the fewest rights counts", () => {
  const links = new Links(), act = links.make({ rights: "act", name: "", ms: HOUR });
  const look = links.make({ rights: "look", name: "", ms: HOUR });
  const rights = (...tokens: string[]) => {
    const caller = request();
    assertEquals(links.admit(caller, tokens), undefined);
    return links.of(caller)?.rights;
  };
  assertEquals(rights(act.token), "act");
  assertEquals(rights(act.token, look.token), "look");
  assertEquals(rights(look.token, act.token), "look");
  assertEquals(rights("the main token", act.token), "act");
  assertEquals([rights(), rights("the main token")], [undefined, undefined]);
  for (const { id } of links.list()) links.revoke(id);
});

Deno.test("a hundred links may be open", () => {
  const links = new Links(), make = () => links.make({ rights: "look", name: "", ms: HOUR });
  for (let count = 0; count < 100; count++) make();
  assertThrows(make, BusyError, "revoke one");
  for (const { id } of links.list()) links.revoke(id);
  make();
  // Those that are over are forgotten one day; until then their callers read that the link has ended.
  for (const { id } of links.list()) links.revoke(id);
});
