/** The Host header, addresses, request targets, QR codes, and callers behind proxies. */

import { assertEquals, assertThrows } from "@std/assert";
import { isLoopbackAddress, isLoopbackName, networkOf, parseHost, urlHost } from "../../http/host.ts";
import { AttemptLimiter } from "../../http/secret.ts";
import { authorityOf, callerBehind, targetOf, trustedProxies } from "../../http/request.ts";
import { phoneUrlOf } from "../../http/listener.ts";
import { qrTerminal } from "../../http/qr.ts";
import { readTerminalQr } from "../support/terminal.ts";
import { UsageError } from "../../core/errors.ts";

Deno.test("a Host is a name or an address with an optional port", () => {
  assertEquals(parseHost("Example.COM.:80"), { name: "example.com", port: 80 });
  assertEquals(parseHost("a:65535"), { name: "a", port: 65535 });
  assertEquals(parseHost("a:65536"), undefined);
  assertEquals(parseHost("[2001:DB8::1]"), { name: "2001:db8::1", port: undefined });
  assertEquals(parseHost("127.1"), undefined);
});

Deno.test("loopback is 127.0.0.0/8, ::1 and localhost; mapped addresses only of a socket", () => {
  const cases: [host: string, address: boolean, name: boolean][] = [
    ["127.0.0.1", true, true],
    ["127.9.9.9", true, true],
    ["::1", true, true],
    ["0:0:0:0:0:0:0:1", true, true],
    ["::ffff:127.0.0.1", true, false],
    ["::ffff:7f00:1", true, false],
    ["localhost", false, true],
    ["128.0.0.1", false, false],
    ["::2", false, false],
    ["0.0.0.0", false, false],
    ["::ffff:128.0.0.1", false, false],
    ["127.0.0.1.example", false, false],
  ];
  for (const [host, address, name] of cases) {
    assertEquals([isLoopbackAddress(host), isLoopbackName(host)], [address, name], host);
  }
});

Deno.test("all addresses of an IPv6 /64 network count as one caller", () => {
  const networks: [address: string, network: string][] = [
    ["10.0.0.1", "10.0.0.1"],
    ["::ffff:10.0.0.1", "::ffff:10.0.0.1"],
    ["::1", "0:0:0:0"],
    ["2001:db8:1:2::", "2001:db8:1:2"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2:ffff::9", "2001:db8:1:2"],
    ["2001:db8::7", "2001:db8:0:0"],
    ["unix", "unix"],
  ];
  for (const [address, network] of networks) assertEquals(networkOf(address), network, address);
  const limiter = new AttemptLimiter(() => 0);
  for (let i = 1; i <= 10; i++) assertEquals(limiter.failed(`2001:db8::${i}`), undefined);
  assertEquals(limiter.failed("2001:db8::11"), 60);
  assertEquals(limiter.failed("2001:db8:0:1::1"), undefined);
});

Deno.test("brackets an IPv6 address in a URL", () => {
  assertEquals(["::1", "127.0.0.1", "desk.lan"].map(urlHost), ["[::1]", "127.0.0.1", "desk.lan"]);
});

// Request targets and authorities.

Deno.test("reads path and query of any URL that a request can have", () => {
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

/** A request as Deno.serve passes it on; its URL may be invalid. */
function requestOf(url: string, host?: string, headers: Record<string, string> = {}): Request {
  const request = new Request("http://localhost/", { headers: host === undefined ? headers : { host } });
  return Object.defineProperty(request, "url", { value: url });
}

Deno.test("an HTTP/1 request without Host has no authority", () => {
  const request = requestOf("http://localhost:1/a", undefined, { connection: "close" });
  assertEquals(authorityOf(request, false), undefined);
});

Deno.test("the authority is what Host and URL agree on, or the URL's alone, as in HTTP/2", () => {
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

// QR codes of links, decoded again.

const LINK = `http://192.168.100.5:4000/#token=${"aB3-_.~".repeat(7)}`;
const WIDE = { color: false, columns: 80 };

Deno.test("a QR code for a terminal decodes to its text, with and without colors", async () => {
  for (const color of [false, true]) {
    const code = await qrTerminal(LINK, { ...WIDE, color });
    assertEquals(await readTerminalQr(code!), LINK);
    assertEquals(code!.includes("\x1b["), color);
  }
});

Deno.test("prints no code on a terminal that is too narrow", async () => {
  const code = await qrTerminal(LINK, WIDE), columns = code!.split("\n")[0].length;
  assertEquals(await qrTerminal(LINK, { color: false, columns }), code);
  assertEquals(await qrTerminal(LINK, { color: false, columns: columns - 1 }), undefined);
});

Deno.test("returns a phone's URL only for an address beyond loopback", () => {
  const cases: [bound: string, url: string | undefined][] = [
    ["127.0.0.1", undefined],
    ["::1", undefined],
    ["192.168.1.5", "https://192.168.1.5:4000"],
    ["fd00::7", "https://[fd00::7]:4000"],
  ];
  for (const [bound, url] of cases) {
    assertEquals(phoneUrlOf({ scheme: "https", addresses: [bound], port: 4000 }), url, bound);
  }
});

// Callers behind proxies: the trusted address.

const isTrusted = trustedProxies(["127.0.0.1", "::1", "10.0.0.0/8", "fd00::/8"]);

Deno.test("the caller is the last address that is not a trusted proxy", () => {
  const cases: [peer: string, forwarded: string | null, caller: string][] = [
    ["127.0.0.1", null, "127.0.0.1"],
    ["127.0.0.1", "192.0.2.7", "192.0.2.7"],
    ["::1", "2001:db8::7", "2001:db8::7"],
    ["::ffff:127.0.0.1", "192.0.2.7", "192.0.2.7"],
    ["127.0.0.1", "1.2.3.4, 192.0.2.7", "192.0.2.7"],
    ["127.0.0.1", "192.0.2.7, 10.1.2.3, fd00::3", "192.0.2.7"],
    ["127.0.0.1", "10.1.2.3,10.1.2.4", "10.1.2.3"],
    // A value that is not an address ends the chain: the proxy before it is the caller.
    ["127.0.0.1", "unknown", "127.0.0.1"],
    ["127.0.0.1", "", "127.0.0.1"],
    ["127.0.0.1", "192.0.2.7, x, 10.1.2.3", "10.1.2.3"],
    ["127.0.0.1", "192.0.2.7:5555", "127.0.0.1"],
    // The header of an untrusted caller is ignored.
    ["192.0.2.1", "192.0.2.7", "192.0.2.1"],
    ["11.0.0.1", "127.0.0.1", "11.0.0.1"],
  ];
  for (const [peer, forwarded, caller] of cases) {
    assertEquals(callerBehind(peer, forwarded, isTrusted), caller, `${peer} ${forwarded}`);
  }
});

Deno.test("--trust-proxy accepts only addresses and networks", () => {
  for (const text of ["", "localhost", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "::1/129", "1.2.3", "*"]) {
    assertThrows(
      () => trustedProxies([text]),
      UsageError,
      "--trust-proxy takes an address such as 127.0.0.1",
    );
  }
});
