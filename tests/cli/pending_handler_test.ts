/** Requests that come while the desktop is being opened. */

import { assertEquals } from "@std/assert";
import { pendingHandler } from "../../cli/serve.ts";
import { PEER } from "../support/control.ts";

Deno.test("requests wait until the handler is complete, and are then answered in order", async () => {
  const { handler, complete } = pendingHandler();
  const request = (path: string) => handler(new Request(`http://127.0.0.1${path}`), PEER);
  const early = Promise.all([request("/1"), request("/2")]);
  const seen: string[] = [];
  complete(({ url }) => {
    seen.push(new URL(url).pathname);
    return Promise.resolve(new Response(url));
  });
  assertEquals((await early).map(({ status }) => status), [200, 200]);
  await request("/3");
  assertEquals(seen, ["/1", "/2", "/3"]);
});
