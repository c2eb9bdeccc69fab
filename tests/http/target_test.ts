/** Targets and authorities of requests. */

import { assertEquals } from "@std/assert";
import { authorityOf, targetOf } from "../../http/target.ts";

Deno.test("path and query are read from any URL that a request can have", () => {
  const cases: [url: string, path: string, query: string][] = [
    ["http://a/b", "/b", ""],
    ["http://a", "/", ""],
    ["http://a/b?c=d", "/b", "c=d"],
    ["http://a/b?c?d#e", "/b", "c?d"],
    ["http://a/b#c?d", "/b", ""],
    ["http://a/../../etc/passwd", "/../../etc/passwd", ""],
    ["http://a/%2e%2e/x", "/%2e%2e/x", ""],
    ["http://a//b//c", "//b//c", ""],
    ["http://a b/c", "/c", ""],
    ["http://[::1]:80/c?", "/c", ""],
    ["http://a?b=/c", "/", "b=/c"],
    ["http://a?b://c/d", "/", "b://c/d"],
    ["http://a#b/c?d", "/", ""],
    ["http://a?", "/", ""],
    ["http:///a", "/a", ""],
    ["HTTP://a/b", "/b", ""],
    ["/c?d", "/c", "d"],
    ["/c?d=http://e/f", "/c", "d=http://e/f"],
    ["*", "*", ""],
    ["a:80", "a:80", ""],
  ];
  for (const [url, path, query] of cases) assertEquals(targetOf(url), { path, query }, url);
});

/** A request as Deno.serve gives it, whose URL may be invalid. */
function requestOf(url: string, host?: string, headers: Record<string, string> = {}): Request {
  const request = new Request("http://localhost/", { headers: host === undefined ? headers : { host } });
  return Object.defineProperty(request, "url", { value: url });
}

Deno.test("a request over HTTP/1 without Host has no authority", () => {
  const request = requestOf("http://localhost:1/a", undefined, { connection: "close" });
  assertEquals(authorityOf(request, false), undefined);
});

Deno.test("the authority is what Host and URL agree on; without Host it is the URL's, as HTTP/2 has it", () => {
  const cases: [url: string, host: string | undefined, plain: string | undefined, tls: string | undefined][] =
    [
      ["http://a:1/b", "a:1", "a:1", undefined],
      ["https://a:1/b", "a:1", undefined, "a:1"],
      ["http://A/b", "a", "a", undefined],
      ["http://a?b", "a", "a", undefined],
      ["http://evil.example/a", "localhost", undefined, undefined],
      ["http://localhost/a", "evil.example", undefined, undefined],
      ["http://localhost:80/a", "localhost", undefined, undefined],
      ["http://user@localhost/a", "localhost", undefined, undefined],
      ["ftp://a/b", "a", undefined, undefined],
      ["http://evil.com/127.0.0.1/a", "evil.com/127.0.0.1", undefined, undefined],
      ["http://localhost:1/a", undefined, "localhost:1", undefined], // HTTP/2
      ["https://localhost:1/a", undefined, undefined, "localhost:1"],
      ["http://localhost/a", "", undefined, undefined],
      ["*", "a", "a", "a"],
      ["a:1", "a:1", "a:1", "a:1"], // CONNECT
      ["*", undefined, undefined, undefined],
    ];
  for (const [url, host, plain, tls] of cases) {
    const request = requestOf(url, host);
    assertEquals([authorityOf(request, false), authorityOf(request, true)], [plain, tls], `${url} ${host}`);
  }
});
