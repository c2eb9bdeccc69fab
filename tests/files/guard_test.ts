/** The guard of the file server, without a socket: host names, and how many passwords may be tried. */

import { assertEquals, assertMatch } from "@std/assert";
import { createFilesGuard } from "../../files/guard.ts";
import { AttemptLimiter } from "../../http/secret.ts";
import { PEER } from "../support/control.ts";

const RIGHT = "me:secret";

Deno.test("after ten wrong passwords a network is refused with 429 for a minute, the right one included", () => {
  let now = 0;
  const limiter = new AttemptLimiter(() => now);
  const guard = createFilesGuard({ basic: RIGHT, hosts: new Set(), tls: false, cors: false, limiter });
  const ask = (hostname: string, credentials?: string) => {
    const headers = new Headers({ host: "localhost" });
    if (credentials !== undefined) headers.set("authorization", `Basic ${btoa(credentials)}`);
    const peer = { ...PEER, remoteAddr: { ...PEER.remoteAddr, hostname } };
    return guard(new Request("http://localhost/", { headers }), peer);
  };
  const guesser = "2001:db8::1", neighbour = "2001:db8::2", owner = "2001:db8:0:1::1";
  for (let i = 0; i < 9; i++) assertEquals(ask(guesser, `me:${i}`)?.status, 401);
  assertEquals(ask(guesser, RIGHT), undefined); // the right one is none of the ten
  now = 20_000;
  assertEquals(ask(neighbour, "me:9")?.status, 401);
  for (const from of [guesser, neighbour]) {
    const refused = ask(from, RIGHT);
    assertEquals([refused?.status, refused?.headers?.["retry-after"]], [429, "40"], from);
  }
  assertEquals(ask(guesser)?.status, 401); // a request without a password is asked for one, as before
  assertEquals(ask(owner, RIGHT), undefined);
  now = 60_001;
  assertEquals(ask(guesser, RIGHT), undefined);
});

Deno.test("a refused host name is answered with the option that allows it", () => {
  const limiter = new AttemptLimiter();
  const guard = createFilesGuard({ hosts: new Set(["files.lan"]), tls: false, cors: false, limiter });
  const ask = (host: string) => guard(new Request(`http://${host}/`, { headers: { host } }), PEER);
  assertEquals(ask("files.lan"), undefined);
  assertEquals(ask("other.lan")?.status, 403);
  assertMatch(ask("other.lan")!.message, /--allow-host NAME/);
});
