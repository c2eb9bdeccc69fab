/** Rights: the owner and the readers, a drop box, upload links. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createFilesGuard } from "../../files/guard.ts";
import type { FilesOptions } from "../../files/handler.ts";
import { AttemptLimiter } from "../../http/secret.ts";
import { type Ask, names, served } from "../support/uploads.ts";

const READER = "reader:one", OWNER = "owner:two";
const UPLOADS = { overwrite: false, limit: 1e6, hasPassword: true };

function guardOf(...passwords: string[]) {
  return createFilesGuard({
    passwords,
    hosts: new Set(),
    tls: false,
    cors: false,
    limiter: new AttemptLimiter(),
  });
}

/** The options of a server with both passwords, or without one for readers. */
function rights(readers: string[], more: Partial<FilesOptions> = {}): Partial<FilesOptions> {
  return {
    uploads: UPLOADS,
    guard: guardOf(...readers),
    ownerGuard: guardOf(OWNER),
    shareGuard: guardOf(),
    ...more,
  };
}

/** Sends a request as a user. */
async function as(ask: Ask, user: string | undefined, method: string, path: string, more: RequestInit = {}) {
  const headers = new Headers({ host: "127.0.0.1", ...more.headers as Record<string, string> });
  if (user !== undefined) headers.set("authorization", `Basic ${btoa(user)}`);
  const answer = await ask(path, { ...more, method, headers });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

function shares() {
  let kept: string | undefined;
  return {
    keeper: { read: () => kept, write: (text: string) => void (kept = text) },
    hasPassword: true,
    addresses: () => ["http://desk:4001"],
  };
}

Deno.test("each role may do what the passwords allow", async () => {
  // Method and path, then the statuses for a caller without a password, for the reader, and for the owner.
  const open: [string, string, number, number, number][] = [
    ["GET", "/a.txt", 200, 200, 200],
    ["PROPFIND", "/", 207, 207, 207],
    ["PUT", "/b.txt", 401, 401, 201],
    ["MKCOL", "/d", 401, 401, 201],
    ["DELETE", "/d", 401, 401, 204],
    ["GET", "/.share", 401, 401, 200],
  ];
  const closed = open.map((
    [method, path, none, reader, owner],
  ): typeof open[number] => [method, path, 401, none === 401 ? 401 : reader, owner]);
  for (const [cases, readers] of [[open, []], [closed, [READER, OWNER]]] as const) {
    await served(async (root, ask) => {
      await Deno.writeTextFile(`${root}/a.txt`, "a");
      for (const [method, path, ...statuses] of cases) {
        const more = {
          headers: { depth: method === "PROPFIND" ? "1" : "infinity" },
          ...method === "PUT" ? { body: "b" } : {},
        };
        const found: number[] = [];
        for (const user of [undefined, READER, OWNER]) {
          found.push((await as(ask, user, method, path, more)).status);
        }
        assertEquals([method, path, ...found], [method, path, ...statuses]);
      }
      assertEquals(names(root), [".deskhand-trash", "a.txt", "b.txt"]);
    }, rights([...readers], { dav: { deletes: true }, shares: shares() }));
  }
});

Deno.test("a wrong password is counted for each role", async () => {
  await served(async (_root, ask) => {
    for (let i = 0; i < 10; i++) assertEquals((await as(ask, "owner:no", "PUT", "/a")).status, 401);
    assertEquals((await as(ask, OWNER, "PUT", "/a", { body: "a" })).status, 429);
    assertEquals((await as(ask, READER, "GET", "/")).status, 200);
  }, rights([READER, OWNER]));
});

Deno.test("a class of thirty uses a drop box: nobody sees, replaces or mixes up another's work", async () => {
  await served(async (root, ask) => {
    const page = await as(ask, undefined, "GET", "/");
    assertEquals(page.status, 200);
    assertStringIncludes(page.text, "Files for the owner of this page");
    await Promise.all(Array.from({ length: 30 }, async (_, i) => {
      const put = (range: string, body: string) =>
        as(ask, undefined, "PUT", "/essay.txt", {
          body,
          headers: {
            "content-range": range,
            "upload-key": `student ${i}`,
            "content-length": `${body.length}`,
          },
        });
      const text = `work of student ${String(i).padStart(2, "0")}`;
      assertEquals((await put("bytes 0-9/18", text.slice(0, 10))).status, 202);
      const { status, text: said, headers } = await put("bytes 10-17/18", text.slice(10));
      assertEquals([status, said, headers.get("location")], [201, "The file has arrived.\n", null]);
    }));
    const all = names(root).map((name) => Deno.readTextFileSync(`${root}/${name}`)).sort();
    assertEquals(all, Array.from({ length: 30 }, (_, i) => `work of student ${String(i).padStart(2, "0")}`));
    assertEquals(names(root)[0], "essay (10).txt");
    assert(names(root).includes("essay.txt"));
    for (
      const [method, path] of [
        ["GET", "/essay.txt"],
        ["GET", "/?format=json"],
        ["GET", "/?archive=zip"],
        ["HEAD", "/essay.txt"],
        ["PROPFIND", "/"],
        ["PUT", "/sub/a.txt"],
        ["DELETE", "/essay.txt"],
        ["GET", "/?owner"],
      ]
    ) {
      const { status } = await as(ask, undefined, method, path, method === "PUT" ? { body: "a" } : {});
      assertEquals([method, path, status], [method, path, 401]);
    }
    const listed = await as(ask, OWNER, "GET", "/?format=json");
    assertEquals(JSON.parse(listed.text).entries.length, 30);
    assertEquals((await as(ask, OWNER, "GET", "/essay.txt")).text.slice(0, 15), "work of student");
  }, rights([], { dropBox: true, dav: { deletes: true } }));
});

Deno.test("without its own key an upload into a drop box is whole or nothing", async () => {
  await served(async (root, ask) => {
    const headers = { "content-range": "bytes 0-3/8", "content-length": "4" };
    assertEquals((await as(ask, undefined, "PUT", "/a.tar.gz", { body: "abcd", headers })).status, 202);
    const rest = { "content-range": "bytes 4-7/8", "content-length": "4" };
    assertEquals((await as(ask, undefined, "PUT", "/a.tar.gz", { body: "efgh", headers: rest })).status, 409);
    for (let i = 0; i < 2; i++) {
      assertEquals((await as(ask, undefined, "PUT", "/b.tar.gz", { body: "b" })).status, 201);
    }
    assertEquals(names(root).filter((name) => !name.startsWith(".")), ["b (2).tar.gz", "b.tar.gz"]);
    for (const path of ["/..", "/.deskhand-upload-1", "/"]) {
      assert((await as(ask, undefined, "PUT", path, { body: "b" })).status >= 400);
    }
  }, rights([], { dropBox: true }));
});

Deno.test("an upload link shows nothing, counts, and ends", async () => {
  await served(async (root, ask) => {
    await Deno.mkdir(`${root}/in`);
    await Deno.writeTextFile(`${root}/in/a.txt`, "old");
    const make = (body: object) =>
      as(ask, OWNER, "POST", "/.share", {
        body: JSON.stringify({ path: "/in/", collect: true, ...body }),
        headers: { accept: "application/json" },
      });
    const made = JSON.parse((await make({ count: 2 })).text);
    const path = made.urls[0].slice("http://desk:4001".length);
    assertMatch(path, /^\/\.share\/[\w-]{32}\/$/);
    const page = await as(ask, undefined, "GET", path);
    assertEquals([page.status, page.text.includes("a.txt"), page.headers.get("referrer-policy")], [
      200,
      false,
      "no-referrer",
    ]);
    assertEquals(
      (await as(ask, undefined, "GET", path.slice(0, -1))).headers.get("location")?.endsWith("/"),
      true,
    );
    assertEquals((await as(ask, undefined, "GET", `${path}a.txt`)).status, 404);
    assertEquals((await as(ask, undefined, "PUT", `${path}b/c.txt`, { body: "b" })).status, 404);
    assertEquals((await as(ask, undefined, "PUT", `${path}..%2fc.txt`, { body: "b" })).status, 400);
    assertEquals((await as(ask, undefined, "DELETE", `${path}a.txt`)).status, 405);
    assertEquals((await as(ask, undefined, "PUT", `${path}a.txt`, { body: "new" })).status, 201);
    assertEquals((await as(ask, undefined, "PUT", `${path}b.txt`, { body: "b" })).status, 201);
    assertEquals((await as(ask, undefined, "PUT", `${path}c.txt`, { body: "c" })).status, 404);
    assertEquals(names(`${root}/in`), ["a (2).txt", "a.txt", "b.txt"]);
    assertEquals(Deno.readTextFileSync(`${root}/in/a.txt`), "old");
    const secret = JSON.parse((await make({ password: "word" })).text).urls[0].slice(
      "http://desk:4001".length,
    );
    assertEquals((await as(ask, undefined, "PUT", `${secret}d.txt`, { body: "d" })).status, 401);
    assertEquals((await as(ask, "any:word", "PUT", `${secret}d.txt`, { body: "d" })).status, 201);
    assertEquals((await make({ path: "/in/a.txt" })).status, 400);
  }, rights([READER, OWNER], { shares: shares() }));
});

Deno.test("a file's modification time is preserved if the client sends it", async () => {
  await served(async (root, ask) => {
    const sent = (value: string) =>
      as(ask, OWNER, "PUT", `/${value}`, { body: "a", headers: { "x-oc-mtime": value } });
    for (const [value, expected] of [["1000000000.5", 1000000000500], ["-1", -1000]] as const) {
      assertEquals((await sent(value)).headers.get("x-oc-mtime"), "accepted");
      assertEquals(Deno.statSync(`${root}/${value}`).mtime!.getTime(), expected);
    }
    for (const value of ["x", "1e300", "0x10", "2026-11-28", "99999999999999999999"]) {
      const { status, text } = await sent(value);
      assertEquals([status, text.includes(`seconds since 1970, such as 1764350000, not "${value}"`)], [
        400,
        true,
      ]);
    }
    assertEquals(names(root).filter((name) => /^[x0-9-]/.test(name)), ["-1", "1000000000.5"]);
  }, rights([]));
});
