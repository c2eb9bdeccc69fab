/** The control API's access rules, one by one. */

import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { Links } from "../../../../control/http/access/links.ts";
import {
  type AccessConfig,
  decide,
  type Facts,
  factsOf,
  TOKEN_PROTOCOL,
} from "../../../../control/http/access/rules.ts";
import { BusyError, NotFoundError } from "../../../../core/errors.ts";
import { AttemptLimiter, secretComparer } from "../../../../http/secret.ts";
import { PEER } from "../../../support/control.ts";
import { until } from "../../../support/shell.ts";

const TOKEN = "0123456789abcdef-right";
const CONFIG: AccessConfig = {
  scheme: "http",
  isToken: secretComparer(TOKEN),
  requireToken: false,
  allowOrigins: new Set(["https://good.example"]),
  allowHosts: new Set(["desk.lan"]),
};
const PLAIN: Facts = {
  method: "GET",
  peer: "127.0.0.1",
  host: "127.0.0.1:4000",
  origin: undefined,
  referer: undefined,
  fetchSite: undefined,
  fetchMode: undefined,
  authorization: undefined,
  protocols: undefined,
  proxied: false,
  path: "/api/position",
  query: "",
};
const bearer = { authorization: `Bearer ${TOKEN}` };
const base64 = btoa(TOKEN).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

function status(facts: Partial<Facts>, config: Partial<AccessConfig> = {}): number {
  return decide({ ...PLAIN, ...facts }, { ...CONFIG, ...config }, new AttemptLimiter())?.status ?? 200;
}

const HOSTS: [host: string | undefined, status: number][] = [
  ["localhost", 200],
  ["localhost:4000", 200],
  ["LOCALHOST:4000", 200],
  ["localhost.", 200],
  ["localhost.:4000", 200],
  ["127.0.0.1", 200],
  ["127.1.2.3:80", 200],
  ["[::1]:4000", 200],
  ["[::1]", 200],
  ["[0:0:0:0:0:0:0:1]", 200],
  ["desk.lan:4000", 200],
  ["DESK.LAN.", 200],
  ["0.0.0.0:4000", 403],
  ["[::]:4000", 403],
  ["192.168.1.5:4000", 403],
  ["example.com", 403],
  ["localhost.example.com", 403],
  ["127.0.0.1.example.com", 403],
  ["[::ffff:8.8.8.8]", 403],
  ["[::ffff:127.0.0.1]:4000", 403],
  ["[::FFFF:7f00:1]", 403],
  ["[0:0:0:0:0:ffff:127.0.0.1]:4000", 403],
  ["[::127.0.0.1]", 403],
  [undefined, 400],
  ["", 400],
  ["a b", 400],
  ["localhost:99999", 400],
  ["localhost:", 200], // RFC 3986 section 3.2.3: a port may be empty
  ["localhost:4000:4000", 400],
  ["localhost,localhost", 400],
  ["a@127.0.0.1", 400],
  ["127.1", 400],
  ["0x7f000001", 400],
  ["2130706433", 400],
  ["127.0.0.01", 400],
  ["１２７.0.0.1", 400],
  ["evil.com/127.0.0.1", 400],
  ["[::1", 400],
  ["[::1%lo]", 400],
  ["::1", 400],
  ["..", 400],
  ["a..b", 400],
  ["-", 400],
  ["x".repeat(300), 400],
];

Deno.test("without a token the Host must be loopback or allowed, and a malformed one is always refused", () => {
  for (const [host, expected] of HOSTS) {
    assertEquals(status({ host }), expected, String(host));
    assertEquals(status({ host, ...bearer }), expected === 400 ? 400 : 200, `${host} with a token`);
    assertEquals(status({ host, method: "OPTIONS" }), expected === 400 ? 400 : 200, `OPTIONS for ${host}`);
  }
});

Deno.test("a refused host name is answered with the option that allows it", () => {
  const refusal = decide({ ...PLAIN, host: "other.lan" }, CONFIG, new AttemptLimiter());
  assertEquals(refusal?.status, 403);
  assertMatch(refusal!.message, /--allow-host NAME/);
});

const TOKENS: [facts: Partial<Facts>, status: number][] = [
  [bearer, 200],
  [{ authorization: `bearer ${TOKEN}` }, 200],
  [{ authorization: `BEARER   ${TOKEN}` }, 200],
  [
    { ...bearer, peer: "203.0.113.9", host: "example.com", origin: "http://evil.example", proxied: true },
    200,
  ],
  [{ authorization: "Bearer wrong-wrong-wrong-wrong" }, 401],
  [{ authorization: "Bearer " }, 401],
  [{ authorization: "" }, 401],
  [{ authorization: `Basic ${TOKEN}` }, 401],
  [{ authorization: TOKEN }, 401],
  [{ authorization: `Bearer ${TOKEN}, Bearer ${TOKEN}` }, 401],
  [{ query: `token=${TOKEN}` }, 401],
  [{ query: `x=1&token=` }, 401],
  [{ query: `x=1&token=${TOKEN}`, ...bearer }, 401],
  [{ query: "xtoken=1" }, 200],
  [{ protocols: `deskhand, ${TOKEN_PROTOCOL}${base64}`, origin: "http://evil.example" }, 200],
  [{ protocols: `deskhand, ${TOKEN_PROTOCOL}${base64}x` }, 401],
  [{ protocols: `deskhand, ${TOKEN_PROTOCOL}!` }, 401],
  [{ protocols: "deskhand" }, 200],
  [{ protocols: `${TOKEN_PROTOCOL}${base64}`, authorization: "Bearer wrong" }, 401],
];

Deno.test("a right token opens everything and a wrong one is refused, wherever a request can have it", () => {
  for (const [facts, expected] of TOKENS) assertEquals(status(facts), expected, JSON.stringify(facts));
});

Deno.test("a caller that needs the token is refused without it", () => {
  const cases: [Partial<Facts>, Partial<AccessConfig>, number][] = [
    [{}, { requireToken: true }, 401],
    [{ peer: "192.168.1.7" }, {}, 401],
    [{ peer: "192.168.1.7", host: "localhost" }, {}, 401],
    [{ peer: "fe80::1" }, {}, 401],
    [{ peer: "::ffff:192.168.1.7" }, {}, 401],
    [{ peer: "::ffff:127.0.0.1" }, {}, 200],
    [{ peer: "::1" }, {}, 200],
    [{ proxied: true }, {}, 401],
  ];
  for (const [facts, config, expected] of cases) {
    assertEquals(status(facts, config), expected, JSON.stringify(facts));
  }
});

const PAGES: [facts: Partial<Facts>, status: number][] = [
  [{ origin: "http://127.0.0.1:4000" }, 200],
  [{ origin: "HTTP://127.0.0.1:4000" }, 200],
  [{ origin: "http://localhost", host: "localhost:80" }, 200],
  [{ origin: "http://localhost:4000" }, 401],
  [{ origin: "https://127.0.0.1:4000" }, 401],
  [{ origin: "http://127.0.0.1:4001" }, 401],
  [{ origin: "http://127.0.0.1:4000.evil.example" }, 401],
  [{ origin: "null" }, 401],
  [{ origin: "" }, 401],
  [{ origin: "http://evil.example" }, 401],
  [{ origin: "http://127.0.0.1:4000, http://evil.example" }, 401],
  [{ origin: "https://good.example" }, 200],
  [{ origin: "https://good.example", fetchSite: "cross-site", fetchMode: "cors" }, 200],
  [{ origin: "https://good.example.evil.example" }, 401],
  [{ referer: "http://127.0.0.1:4000/page" }, 200],
  [{ referer: "http://evil.example/" }, 401],
  [{ referer: "http://127.0.0.1:4000@evil.example/" }, 401],
  [{ referer: "" }, 401],
  [{ fetchSite: "same-origin", fetchMode: "cors" }, 200],
  [{ fetchSite: "same-site", fetchMode: "cors" }, 401],
  [{ fetchSite: "cross-site", fetchMode: "no-cors" }, 401],
  [{ fetchSite: "cross-site", fetchMode: "navigate" }, 401],
  [{ fetchSite: "none", fetchMode: "navigate" }, 200],
  [{ fetchSite: "none", fetchMode: "navigate", method: "HEAD" }, 200],
  [{ fetchSite: "none", fetchMode: "navigate", method: "POST" }, 401],
  [{ fetchSite: "none", fetchMode: "cors" }, 401],
  [{ fetchSite: "absurd" }, 401],
  [{ fetchMode: "cors" }, 200], // Node's fetch sends only this
];

Deno.test("a web page without the token is refused, unless it is the API's own or its origin is allowed", () => {
  for (const [facts, expected] of PAGES) assertEquals(status(facts), expected, JSON.stringify(facts));
  assertEquals(
    status({ origin: "http://evil.example", fetchSite: "cross-site" }, { allowOrigins: new Set(["*"]) }),
    200,
  );
});

Deno.test("a refusal is waivable if only the token is missing, and not for a wrong token or Host", () => {
  const waivable = (facts: Partial<Facts>) =>
    decide({ ...PLAIN, ...facts }, CONFIG, new AttemptLimiter())?.waivable;
  assertEquals(waivable({ peer: "192.168.1.7" }), true);
  assertEquals(waivable({ host: "example.com" }), true);
  assertEquals(waivable({ fetchSite: "cross-site" }), true);
  assertEquals(waivable({ authorization: "Bearer wrong" }), undefined);
  assertEquals(waivable({ host: "a b" }), undefined);
});

Deno.test("more than ten wrong tokens a minute from an address are a 429; the right one is never slowed", () => {
  let now = 0;
  const limiter = new AttemptLimiter(() => now);
  const ask = (peer: string, authorization: string) =>
    decide({ ...PLAIN, peer, authorization }, CONFIG, limiter);
  for (let i = 0; i < 10; i++) assertEquals(ask("10.0.0.1", "Bearer no")?.status, 401);
  assertEquals(ask("10.0.0.1", "Bearer no")?.status, 429);
  assertEquals(ask("10.0.0.1", "Bearer no")?.headers?.["retry-after"], "60");
  assertEquals(ask("10.0.0.2", "Bearer no")?.status, 401);
  assertEquals(ask("10.0.0.1", bearer.authorization), undefined);
  now = 60_001;
  assertEquals(ask("10.0.0.1", "Bearer no")?.status, 401);
  for (let i = 0; i < 30_000; i++) limiter.failed(`peer ${i}`); // bounded, regardless of the number of addresses
});

Deno.test("facts are read from the headers, and the HTTP/2 host from the URL", () => {
  const facts = (headers: Record<string, string>, tls = false) => {
    const request = new Request(`${tls ? "https" : "http"}://pc.example:4000/api?a=1`, { headers });
    return factsOf(request, PEER, tls);
  };
  assertEquals(facts({ host: "pc.example:4000", origin: "null", "sec-fetch-site": "none", cookie: "a" }), {
    ...PLAIN,
    host: "pc.example:4000",
    origin: "null",
    fetchSite: "none",
    path: "/api",
    query: "a=1",
  });
  for (
    const name of ["Forwarded", "X-Forwarded-For", "X-Forwarded-Any", "X-Real-IP", "Via", "CF-Connecting-IP"]
  ) {
    assertEquals(facts({ [name]: "x" }).proxied, true, name);
  }
  assertEquals(facts({ "x-forward": "x", "not-via": "x" }).proxied, false);
  assertEquals([facts({}).host, facts({}, true).host], ["pc.example:4000", "pc.example:4000"]);
  assertEquals(facts({ connection: "close" }).host, undefined); // HTTP/1
  // A target that is a whole URL, of another host.
  assertEquals([facts({ host: "a" }).host, facts({ host: "a" }, true).host], [undefined, undefined]);
});

Deno.test("a cross-origin page gets 403 at /mcp, and 200 with the token", () => {
  const page = { path: "/mcp", method: "POST", origin: "http://evil.example" };
  assertEquals(status(page), 403);
  assertEquals(status({ ...page, peer: "203.0.113.9" }), 403);
  assertEquals(status({ ...page, ...bearer }), 200);
  assertEquals(status({ ...page, origin: "http://127.0.0.1:4000" }), 200);
  assertEquals(status({ ...page, path: "/api/click" }), 401);
});

// Links: their tokens, rights and ends, without a server.

const HOUR = 3_600_000;
const request = () => new Request("http://127.0.0.1:4000/api/position");

Deno.test("a link is open until it expires, and then says that it has ended", async () => {
  const links = new Links();
  const { link, token } = links.make({ rights: "look", name: "Ada", ms: 50 });
  const other = links.make({ rights: "act", name: "", ms: HOUR });
  assert(token.length >= 43 && token !== other.token);
  assertEquals([links.isOpen(other.token), links.isOpen(`${other.token}x`)], [true, false]);
  await until(() => link.signal.aborted);
  assertEquals([links.isOpen(token), links.isOpen(other.token)], [false, true]);
  assertEquals(links.admit(request(), [token])?.message, "this link has expired or was revoked");
  assertEquals(links.list().map(({ id }) => id), [other.link.id]);
  links.revoke(other.link.id);
});

for (const clock of ["now", "steady"] as const) {
  Deno.test(`a link ends by the first of two clocks: ${clock} goes on alone`, () => {
    const times = { now: 1e12, steady: 0 };
    const links = new Links({ now: () => times.now, steady: () => times.steady });
    const { link, token } = links.make({ rights: "act", name: "", ms: HOUR });
    const other = links.make({ rights: "act", name: "", ms: 3 * HOUR });
    assertEquals([links.isOpen(token), links.admit(request(), [token])], [true, undefined]);
    times[clock] += HOUR;
    assertEquals(links.admit(request(), [token])?.message, "this link has expired or was revoked");
    assertEquals([links.isOpen(token), link.signal.aborted], [false, true]);
    assertEquals(links.list().map(({ id }) => id), [other.link.id]);
    assertThrows(() => links.revoke(link.id), NotFoundError);
    links.revoke(other.link.id);
  });
}

Deno.test("a link is revoked by its id, once", () => {
  const links = new Links(), { link, token } = links.make({ rights: "look", name: "", ms: HOUR });
  links.revoke(link.id);
  assertEquals([links.isOpen(token), link.signal.aborted, links.list()], [false, true, []]);
  for (const id of [link.id, "7", ""]) assertThrows(() => links.revoke(id), NotFoundError, "no open link");
});

Deno.test("of several tokens in a request the one with the fewest rights counts", () => {
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
  // Expired links are eventually forgotten; until then, their callers read that the link has ended.
  for (const { id } of links.list()) links.revoke(id);
});
