/** Callers behind proxies: which address is believed. */

import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../core/errors.ts";
import { callerBehind, trustedProxies } from "../../http/request.ts";

const isTrusted = trustedProxies(["127.0.0.1", "::1", "10.0.0.0/8", "fd00::/8"]);

Deno.test("the caller is the last address that is no trusted proxy's", () => {
  const cases: [peer: string, forwarded: string | null, caller: string][] = [
    ["127.0.0.1", null, "127.0.0.1"],
    ["127.0.0.1", "192.0.2.7", "192.0.2.7"],
    ["::1", "2001:db8::7", "2001:db8::7"],
    ["::ffff:127.0.0.1", "192.0.2.7", "192.0.2.7"],
    ["127.0.0.1", "1.2.3.4, 192.0.2.7", "192.0.2.7"],
    ["127.0.0.1", "192.0.2.7, 10.1.2.3, fd00::3", "192.0.2.7"],
    ["127.0.0.1", "10.1.2.3,10.1.2.4", "10.1.2.3"],
    // What is no address ends the chain: the proxy before it is the caller.
    ["127.0.0.1", "unknown", "127.0.0.1"],
    ["127.0.0.1", "", "127.0.0.1"],
    ["127.0.0.1", "192.0.2.7, x, 10.1.2.3", "10.1.2.3"],
    ["127.0.0.1", "192.0.2.7:5555", "127.0.0.1"],
    // Callers that are no trusted proxy are not believed.
    ["192.0.2.1", "192.0.2.7", "192.0.2.1"],
    ["11.0.0.1", "127.0.0.1", "11.0.0.1"],
  ];
  for (const [peer, forwarded, caller] of cases) {
    assertEquals(callerBehind(peer, forwarded, isTrusted), caller, `${peer} ${forwarded}`);
  }
});

Deno.test("--trust-proxy takes addresses and networks, and nothing else", () => {
  for (const text of ["", "localhost", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "::1/129", "1.2.3", "*"]) {
    assertThrows(
      () => trustedProxies([text]),
      UsageError,
      "--trust-proxy takes an address such as 127.0.0.1",
    );
  }
});
