/** The Host header, and addresses. */

import { assertEquals } from "@std/assert";
import { isLoopbackAddress, isLoopbackName, networkOf, parseHost, urlHost } from "../../http/host.ts";
import { AttemptLimiter } from "../../http/secret.ts";

Deno.test("a Host is a name or an address, and a port that may be left out", () => {
  assertEquals(parseHost("Example.COM.:80"), { name: "example.com", port: 80 });
  assertEquals(parseHost("a:65535"), { name: "a", port: 65535 });
  assertEquals(parseHost("a:65536"), undefined);
  assertEquals(parseHost("[2001:DB8::1]"), { name: "2001:db8::1", port: undefined });
  assertEquals(parseHost("127.1"), undefined);
});

Deno.test("loopback is 127.0.0.0/8, ::1 and localhost; a mapped address is loopback for a socket, not as a name", () => {
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

Deno.test("all addresses of an IPv6 network of 64 bits count as one caller", () => {
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

Deno.test("an IPv6 address stands in brackets in a URL", () => {
  assertEquals(["::1", "127.0.0.1", "desk.lan"].map(urlHost), ["[::1]", "127.0.0.1", "desk.lan"]);
});
