/** Web pages that may use the answers: those of the same origin, or all with `cors`. */

import { assertEquals } from "@std/assert";
import { createFilesGuard } from "../../files/guard.ts";
import { AttemptLimiter } from "../../http/secret.ts";
import { LATER, served, statusOf } from "../support/files.ts";

/** Requests of every kind of answer, and its status. */
const REQUESTS: [path: string, init: RequestInit, status: number][] = [
  ["/a.txt", {}, 200],
  ["/a.txt", { headers: { range: "bytes=0-1" } }, 206],
  ["/a.txt", { headers: { range: "bytes=0-0,2-2" } }, 206],
  ["/a.txt", { headers: { range: "bytes=9-" } }, 416],
  ["/a.txt", { headers: { "if-none-match": "*" } }, 304],
  ["/a.txt", { headers: { "if-match": '"x"' } }, 412],
  ["/a.txt?download", {}, 200],
  ["/page.html", {}, 200],
  ["/", {}, 200],
  ["/?format=json", {}, 200],
  ["/", { headers: { "if-none-match": "*" } }, 304],
  ["/sub", {}, 301],
  ["/nothing", {}, 404],
  ["/%", {}, 400],
  ["/a.txt", { method: "POST" }, 405],
];

async function prepare(root: string) {
  await Deno.writeTextFile(`${root}/a.txt`, "hello");
  await Deno.writeTextFile(`${root}/page.html`, "<p>hello</p>");
  await Deno.mkdir(`${root}/sub`);
}

for (const [cors, policy, origin] of [[false, "same-origin", null], [true, "cross-origin", "*"]] as const) {
  Deno.test(`every answer says that ${cors ? "all pages" : "no other page"} may use it`, async () => {
    await served(async (root, ask) => {
      await prepare(root);
      for (const round of [1, 2, 3]) { // the third answer comes from the cache
        for (const [path, init, status] of REQUESTS) {
          const { headers, status: got, body } = await ask(path, init);
          await body?.cancel();
          const what = `${init.method ?? "GET"} ${path} ${status}, round ${round}`;
          assertEquals(got, status, what);
          assertEquals(headers.get("cross-origin-resource-policy"), policy, what);
          assertEquals(headers.get("access-control-allow-origin"), origin, what);
          assertEquals(headers.get("x-frame-options"), "SAMEORIGIN", what);
          assertEquals(
            /frame-ancestors ([^;]*)$/.exec(headers.get("content-security-policy")!)?.[1],
            "'self'",
            what,
          );
          const exposed = headers.get("access-control-expose-headers")?.split(", ") ?? [];
          for (
            const name of ["Content-Range", "Accept-Ranges", "Content-Length", "ETag", "Content-Disposition"]
          ) {
            assertEquals(exposed.includes(name), cors, what);
          }
        }
      }
    }, { cors, clock: LATER });
  });
}

Deno.test("a preflight is answered without a password where all pages may read, and refused elsewhere", async () => {
  for (const [cors, status] of [[true, 204], [false, 401]] as const) {
    const guard = createFilesGuard({
      basic: "me:secret",
      hosts: new Set(),
      tls: false,
      cors,
      limiter: new AttemptLimiter(),
    });
    await served(async (root, ask) => {
      await prepare(root);
      const host = { host: "127.0.0.1" };
      const asked = {
        ...host,
        "access-control-request-method": "GET",
        "access-control-request-headers": "range",
      };
      const answer = await ask("/a.txt", { method: "OPTIONS", headers: asked });
      await answer.body?.cancel();
      assertEquals(answer.status, status);
      assertEquals(/\bRange\b/.test(answer.headers.get("access-control-allow-headers") ?? ""), cors);
      assertEquals(answer.headers.get("access-control-allow-origin"), cors ? "*" : null);
      assertEquals(
        await statusOf(ask("/a.txt", { headers: host })),
        401,
        "the file itself needs the password",
      );
      assertEquals(
        await statusOf(ask("/a.txt", { method: "OPTIONS", headers: { host: "evil.example" } })),
        400,
        "Host is checked as ever",
      );
    }, { cors, guard });
  }
});
