/** WebDAV: rights, properties, expiring locks, the trash, and requests as Windows and macOS send them. */

import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { FolderHandle } from "../../core/folder_handle.ts";
import { Dav } from "../../files/dav/dav.ts";
import { Locks, parseIf, secondsOf } from "../../files/dav/locks.ts";
import { Copies, move, Trash } from "../../files/dav/transfer.ts";
import { parsed } from "../../files/dav/xml.ts";
import { createFilesHandler, type FilesOptions } from "../../files/handler.ts";
import { notFound } from "../../files/file_errors.ts";
import { type Resolved, Root, TRASH } from "../../files/resolve.ts";
import { type Peer, RequestError } from "../../http/request.ts";
import { PEER } from "../support/control.ts";
import { rawStatus, sendRaw } from "../support/notify_socket.ts";
import { type Ask, listening, names, put, served, statusOf } from "../support/uploads.ts";
import { need, needRoot } from "../support/need.ts";
import { mustRun, temporary, until } from "../support/shell.ts";

const UPLOADS = { overwrite: false, limit: 1_000_000, hasPassword: false, forDav: true };
const READ: Partial<FilesOptions> = { dav: {} };
const WRITE: Partial<FilesOptions> = { dav: {}, uploads: UPLOADS };
const ALL: Partial<FilesOptions> = { dav: { deletes: true }, uploads: { ...UPLOADS, overwrite: true } };

/** Sends a request, and returns the answer's status and text. */
async function sent(ask: Ask, method: string, path: string, headers: HeadersInit = {}, body?: string) {
  const answer = await ask(path, { method, headers, body });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** The body of a LOCK. */
function lockinfo(scope = "exclusive"): string {
  return `<?xml version="1.0"?><D:lockinfo xmlns:D="DAV:"><D:lockscope><D:${scope}/></D:lockscope>` +
    "<D:locktype><D:write/></D:locktype><D:owner><D:href>DESK\\me</D:href></D:owner></D:lockinfo>";
}

async function lock(ask: Ask, path: string, headers: HeadersInit = {}): Promise<string> {
  const answer = await sent(ask, "LOCK", path, headers, lockinfo());
  return answer.headers.get("lock-token") ?? `no token, but ${answer.status}`;
}

Deno.test("each option's rights allow its methods, and Allow and OPTIONS list them", async () => {
  const cases: [Partial<FilesOptions>, string, string | null][] = [
    [{}, "GET, HEAD", null],
    [READ, "GET, HEAD, OPTIONS, PROPFIND", "1"],
    [WRITE, "GET, HEAD, PUT, OPTIONS, PROPFIND, PROPPATCH, MKCOL, COPY, LOCK, UNLOCK", "1, 2"],
    [ALL, "GET, HEAD, PUT, OPTIONS, PROPFIND, PROPPATCH, MKCOL, COPY, LOCK, UNLOCK, DELETE, MOVE", "1, 2"],
  ];
  for (const [options, allow, dav] of cases) {
    await served(async (root, ask) => {
      await Deno.writeTextFile(`${root}/a.txt`, "a");
      const { status, headers } = await sent(ask, "OPTIONS", "/a.txt");
      assertEquals([status, headers.get("allow"), headers.get("dav")], [dav ? 200 : 405, allow, dav]);
      for (const method of ["PUT", "MKCOL", "COPY", "LOCK", "UNLOCK", "DELETE", "MOVE", "PROPPATCH"]) {
        if (allow.includes(method)) continue;
        const answer = await sent(ask, method, "/a.txt", { destination: "/b.txt" });
        assertEquals([method, answer.status, answer.headers.get("allow")], [method, 405, allow]);
        assertStringIncludes(answer.text, "<h1>405 Method Not Allowed</h1>");
        const needed = ["DELETE", "MOVE"].includes(method) ? "--allow-delete" : "--allow-upload";
        if (!["UNLOCK", "PROPPATCH"].includes(method)) assertStringIncludes(answer.text, needed);
      }
      assertEquals(names(root), ["a.txt"]);
      assertEquals(await (await ask("/a.txt")).text(), "a");
    }, options);
  }
});

Deno.test("remote callers and cross-origin pages change nothing without the owner's password", async () => {
  await served(async (root, ask) => {
    await Deno.writeTextFile(`${root}/a.txt`, "a");
    for (const [name, value] of [["origin", "http://evil.example"], ["x-forwarded-for", "10.0.0.9"]]) {
      for (const method of ["MKCOL", "COPY", "LOCK", "UNLOCK", "DELETE", "MOVE", "PROPPATCH"]) {
        const { status } = await sent(
          ask,
          method,
          "/a.txt",
          { [name]: value, destination: "/b.txt" },
        );
        assertEquals([method, status], [method, 403]);
      }
    }
    assertEquals(names(root), ["a.txt"]);
  }, ALL);
});

Deno.test("properties are those of the file system, and agree with GET", async () => {
  await served(async (root, ask) => {
    await Deno.mkdir(`${root}/d & d`);
    await Deno.writeTextFile(`${root}/d & d/ü.txt`, "hello");
    await Deno.utime(`${root}/d & d/ü.txt`, 1e9, 1e9);
    const { status, headers, text } = await sent(ask, "PROPFIND", "/d%20%26%20d", { depth: "1" });
    assertEquals([status, headers.get("content-type")], [207, "application/xml; charset=utf-8"]);
    assertEquals([...text.matchAll(/<D:href>([^<]+)/g)].map(([, href]) => href), [
      "/d%20%26%20d/",
      "/d%20%26%20d/%C3%BC.txt",
    ]);
    assertStringIncludes(text, "<D:displayname>d &amp; d</D:displayname>");
    if (Deno.build.os !== "windows") {
      await Deno.writeTextFile(`${root}/two\r\nlines`, "");
      assertStringIncludes(
        (await sent(ask, "PROPFIND", "/two%0D%0Alines", { depth: "0" })).text,
        ">two&#13;\nlines<",
      );
    }
    const file = await ask("/d%20%26%20d/%C3%BC.txt", { method: "HEAD" });
    for (
      const [name, value] of [
        ["getcontentlength", "5"],
        ["getlastmodified", file.headers.get("last-modified")],
        ["getetag", file.headers.get("etag")!.replaceAll('"', "&quot;")],
      ]
    ) assertStringIncludes(text, `<D:${name}>${value}</D:${name}>`);
    const asked =
      `<propfind xmlns="DAV:"><prop><getetag/><quota-available-bytes/><x xmlns="urn:o"/></prop></propfind>`;
    const some = (await sent(ask, "PROPFIND", "/", { depth: "0" }, asked)).text;
    assertMatch(some, /<D:quota-available-bytes>\d+</);
    assertStringIncludes(some, `<D:getetag/><x xmlns="urn:o"/></D:prop><D:status>HTTP/1.1 404 Not Found`);
    const named = await sent(
      ask,
      "PROPFIND",
      "/",
      { depth: "0" },
      `<a:propfind xmlns:a="DAV:"><a:propname/></a:propfind>`,
    );
    assertStringIncludes(named.text, "<D:creationdate/>");
  }, READ);
});

Deno.test("a folder is not read recursively, and a body must be WebDAV XML", async () => {
  await served(async (root, ask) => {
    await Deno.writeTextFile(`${root}/a.txt`, "a");
    for (const headers of [{ depth: "infinity" }, {}]) {
      const { status, text } = await sent(ask, "PROPFIND", "/", headers as HeadersInit);
      assertEquals([status, text.includes("<D:propfind-finite-depth/>")], [403, true]);
    }
    assertEquals((await sent(ask, "PROPFIND", "/a.txt", { depth: "infinity" })).status, 207);
    const cases: [string, number][] = [
      ["<propfind", 400],
      ["<propfind xmlns='DAV:'><prop/><allprop/></propfind>", 400],
      ["<propfind xmlns='DAV:'/>", 400],
      ["<a:propfind xmlns='DAV:'><prop/></a:propfind>", 400],
      ["<propfind xmlns='DAV:' xmlns:b=''><prop/></propfind>", 400],
      [
        `<!DOCTYPE p [<!ENTITY e SYSTEM "file:///etc/passwd">]><propfind xmlns="DAV:"><prop>&e;</prop></propfind>`,
        400,
      ],
      ["<propfind xmlns='DAV:'>" + "<a>".repeat(100) + "</a>".repeat(100) + "</propfind>", 400],
      ["<propfind xmlns='DAV:'>" + " ".repeat(70_000) + "</propfind>", 413],
      ["hello", 400],
    ];
    for (const [body, status] of cases) {
      assertEquals([body.slice(0, 50), (await sent(ask, "PROPFIND", "/", { depth: "0" }, body)).status], [
        body.slice(0, 50),
        status,
      ]);
    }
    for (
      const [path, status] of [["/gone", 404], ["/a.txt/b", 404], ["/..%2f", 400], [
        `/${TRASH}`,
        404,
      ]] as const
    ) {
      assertEquals((await sent(ask, "PROPFIND", path, { depth: "0" })).status, status);
    }
  }, READ);
});

Deno.test("a body that does not arrive within 10 s ends its request", async () => {
  await listening(async (root, url) => {
    Deno.writeTextFileSync(`${root}/a.txt`, "a");
    const requests = ["PROPFIND /", "PROPPATCH /a.txt", "LOCK /a.txt", "MKCOL /b"].map((line) =>
      sendRaw(
        url,
        `${line} HTTP/1.1\r\nHost: localhost\r\nDepth: 0\r\nContent-Length: 1000\r\n\r\n`,
        "10 s.\n",
      )
    );
    assertEquals((await Promise.all(requests)).map(rawStatus), [408, 408, 408, 408]);
    assertEquals(names(root), ["a.txt"]);
  }, WRITE);
});

Deno.test("secrets, hidden files, outside links and the trash are no members and cannot be reached", async () => {
  await served(async (root, ask) => {
    await Deno.writeTextFile(`${root}/.hidden`, "h");
    await Deno.mkdir(`${root}/state`);
    await Deno.writeTextFile(`${root}/state/token`, "secret");
    await Deno.symlink(`${root}/../secret.txt`, `${root}/out`);
    await Deno.mkdir(`${root}/${TRASH}`);
    const { text } = await sent(ask, "PROPFIND", "/", { depth: "1" });
    assertEquals([...text.matchAll(/<D:href>([^<]+)/g)].map(([, href]) => href), ["/"]);
    // A new name in a folder that is not served gets the answer for a missing folder.
    const isInside = (path: string) => path.lastIndexOf("/") > 0;
    for (const path of ["/.hidden", "/state", "/state/token", "/out", `/${TRASH}/x`]) {
      for (const method of ["PROPFIND", "DELETE", "MOVE", "COPY", "LOCK"]) {
        const headers = { destination: "/copied", depth: method === "PROPFIND" ? "0" : "infinity" };
        const { status } = await sent(ask, method, path, headers, method === "LOCK" ? lockinfo() : undefined);
        assertEquals([method, path, status], [method, path, isInside(path) && method === "LOCK" ? 409 : 404]);
      }
      await Deno.writeTextFile(`${root}/a.txt`, "a");
      const { status } = await sent(ask, "MOVE", "/a.txt", { destination: path });
      assertEquals([path, status], [path, isInside(path) ? 409 : 404]);
    }
    assertEquals(names(root), [TRASH, ".hidden", "a.txt", "out", "state"]);
  }, (root) => ({ ...ALL, noHidden: true, secrets: { folder: `${root}/state`, files: [] } }));
});

Deno.test("a folder that holds deskhand's own files is neither deleted, moved nor replaced", async () => {
  await served(async (root, ask) => {
    await Deno.mkdir(`${root}/home/state`, { recursive: true });
    await Deno.writeTextFile(`${root}/a.txt`, "a");
    for (
      const [method, path, destination] of [["DELETE", "/home", ""], ["MOVE", "/home", "/h2"], [
        "COPY",
        "/a.txt",
        "/home",
      ], ["DELETE", "/", ""]]
    ) {
      const { status } = await sent(ask, method, path, destination ? { destination } : {});
      assertEquals([method, path, status], [method, path, 403]);
    }
    assertEquals(names(`${root}/home`), ["state"]);
  }, (root) => ({ ...ALL, secrets: { folder: `${root}/home/state`, files: [] } }));
});

Deno.test("COPY and MOVE are atomic, and replace only what may be replaced", async () => {
  await served(async (root, ask) => {
    await Deno.mkdir(`${root}/d/e`, { recursive: true });
    await Deno.writeTextFile(`${root}/d/e/a.txt`, "a");
    await Deno.symlink("..", `${root}/d/e/up`);
    await Deno.writeTextFile(`${root}/b.txt`, "b");
    const cases: [string, string, string, Record<string, string>, number][] = [
      ["COPY", "/d", "/d2", {}, 201],
      ["COPY", "/d", "/d3/", { depth: "0" }, 201],
      ["COPY", "/d", "/d", {}, 403],
      ["COPY", "/d", "/d/e/f", {}, 403],
      ["MOVE", "/d/e", "/d", {}, 403],
      ["COPY", "/d/e/a.txt", "/b.txt", { overwrite: "F" }, 412],
      ["COPY", "/d/e/a.txt", "/b.txt", {}, 204],
      ["COPY", "/d/e/a.txt", "/none/b.txt", {}, 409],
      ["COPY", "/d/e/a.txt", "http://other.example/b.txt", {}, 502],
      ["COPY", "/none", "/b2.txt", {}, 404],
      ["COPY", "/d", "/d4", { depth: "1" }, 400],
      ["MOVE", "/d2", "https://127.0.0.1/d5/", {}, 201],
      ["MOVE", "/b.txt", "/d5", {}, 204],
      ["MOVE", "/d5", "/d6%23", {}, 201],
      ["COPY", "/d6%23", "/d7#x", {}, 400],
    ];
    for (const [method, path, destination, headers, status] of cases) {
      const answer = await sent(ask, method, path, { destination, ...headers });
      assertEquals([method, path, destination, answer.status], [method, path, destination, status]);
    }
    assertEquals(names(root), [TRASH, "d", "d3", "d6#"]);
    assertEquals([names(`${root}/d3`), Deno.readTextFileSync(`${root}/d6#`)], [[], "a"]);
  }, ALL);
  await served(async (root, ask) => {
    await Deno.writeTextFile(`${root}/a.txt`, "a");
    await Deno.writeTextFile(`${root}/b.txt`, "b");
    await Deno.writeTextFile(`${root}/empty`, "");
    await Deno.writeFile(`${root}/large`, new Uint8Array(UPLOADS.limit + 1));
    assertEquals((await sent(ask, "COPY", "/a.txt", { destination: "/b.txt" })).status, 403);
    assertEquals((await sent(ask, "COPY", "/a.txt", { destination: "/empty" })).status, 204);
    assertEquals((await sent(ask, "COPY", "/large", { destination: "/l2" })).status, 413);
    assertEquals(names(root), ["a.txt", "b.txt", "empty", "large"]);
    assertEquals(Deno.readTextFileSync(`${root}/empty`), "a");
  }, WRITE);
});

Deno.test("COPY of a folder says that it cannot read a file in it, not that the folder is missing", async () => {
  class Closed extends Root {
    override open(file: Resolved) {
      return file.real.endsWith("closed.txt") ? Promise.reject(notFound()) : super.open(file);
    }
  }
  await temporary(async (folder) => {
    const real = await Deno.realPath(folder), root = new Closed(real);
    await Deno.mkdir(`${real}/d/e`, { recursive: true });
    for (const name of ["d/e/closed.txt", "d/a.txt"]) await Deno.writeTextFile(`${real}/${name}`, "a");
    using to = FolderHandle.open(await root.find(real));
    const copied = async (name: string) => {
      const lexicalPath = `${real}/${name}`, resolved = await root.find(lexicalPath);
      const copy = new Copies(root, 1000).copy(
        { resolved, lexicalPath },
        to,
        true,
        new AbortController().signal,
      );
      return await assertRejects(() => copy, RequestError);
    };
    const { status, message } = await copied("d");
    assertEquals([status, message], [403, "Nothing was copied: deskhand cannot read /e/closed.txt."]);
    assertEquals([(await copied("d/e/closed.txt")).status, names(real)], [404, ["d"]]);
  });
});

Deno.test("MOVE between two hard links to one file leaves one of them", async () => {
  await served(async (root, ask) => {
    await Deno.mkdir(`${root}/d`);
    await Deno.writeTextFile(`${root}/a`, "a");
    for (const name of ["b", "d/a"]) await Deno.link(`${root}/a`, `${root}/${name}`);
    for (const [from, to] of [["/a", "/b"], ["/b", "/d/a"]]) {
      assertEquals((await sent(ask, "MOVE", from, { destination: to })).status, 204);
    }
    assertEquals([names(root), names(`${root}/d`), Deno.readTextFileSync(`${root}/d/a`)], [
      ["d"],
      ["a"],
      "a",
    ]);
  }, ALL);
});

Deno.test({
  ...[need("mkfs.exfat", "mount.exfat-fuse", "/dev/fuse"), needRoot("losetup", "--find")].find(({ ignore }) =>
    ignore
  ),
  name: "MOVE changes the case of a name where the file system ignores it, and removes nothing",
}, async () => {
  await temporary(async (folder) => {
    const image = `${folder}/image`, root = `${folder}/root`;
    await Deno.writeTextFile(image, "");
    await Deno.truncate(image, 8_000_000);
    await Deno.mkdir(root);
    await mustRun("mkfs.exfat", [image]);
    const device = (await mustRun("losetup", ["--find", "--show", image])).trim();
    try {
      await mustRun("mount.exfat-fuse", [device, root]);
      try {
        const handler = createFilesHandler({ root, ...WRITE, dav: { deletes: true, noTrash: true } });
        const ask: Ask = (path, init) =>
          Promise.resolve(handler(new Request(`http://127.0.0.1${path}`, init), PEER));
        await Deno.mkdir(`${root}/photos`);
        await Deno.writeTextFile(`${root}/photos/é.txt`, "kept");
        const cases = [
          ["MOVE", "/photos", "/Photos", 201],
          ["MOVE", "/PHOTOS", "/Photos", 201],
          ["MOVE", "/Photos/%C3%A9.txt", "/Photos/%C3%89.TXT", 201],
          ["COPY", "/Photos", "/PHOTOS", 403],
        ] as const;
        for (const [method, path, destination, status] of cases) {
          const answer = await sent(ask, method, path, { destination, overwrite: "F" });
          assertEquals([method, destination, answer.status], [method, destination, status]);
        }
        assertEquals(await statusOf(put(ask, "/Photos/a%3Fb", "hello")), 400);
        assertEquals([names(root), names(`${root}/Photos`)], [["Photos"], ["É.TXT"]]);
        assertEquals(Deno.readTextFileSync(`${root}/photos/é.txt`), "kept");
      } finally {
        await mustRun("umount", [root]);
      }
    } finally {
      await mustRun("losetup", ["--detach", device]);
    }
  });
});

Deno.test("COPY does not replace what came while it was copying", async () => {
  await temporary(async (folder) => {
    const real = await Deno.realPath(folder);
    await Deno.mkdir(`${real}/d`);
    await Deno.writeTextFile(`${real}/a.txt`, "a");
    await Deno.symlink("d", `${real}/link`);
    const dav = new Dav(new Root(real), { changes: { ...UPLOADS, overwrite: true }, deletes: true });
    const { copies } = dav.folder, copy = copies.copy.bind(copies);
    const peer = { remoteAddr: { hostname: "127.0.0.1", port: 1, transport: "tcp" } } as Peer;
    const ask = (path: string, destination: string) =>
      dav.answer(new Request(`http://127.0.0.1${path}`, { method: "COPY", headers: { destination } }), peer);
    copies.copy = async (...given) => {
      const hidden = await copy(...given);
      await Deno.writeTextFile(`${real}/b`, "another");
      return hidden;
    };
    for (const path of ["/a.txt", "/d", "/link"]) {
      await Deno.remove(`${real}/b`).catch(() => {});
      await assertRejects(() => ask(path, "/b"), RequestError, "Another program has changed");
      assertEquals(Deno.readTextFileSync(`${real}/b`), "another");
    }
    copies.copy = copy;
    assertEquals((await ask("/link", "/b")).status, 204); // a file gives way to the folder behind the link
    assertEquals(names(real), [TRASH, "a.txt", "b", "d", "link"]);
  });
});

Deno.test("a fragment is not part of a path: what precedes it is not deleted", async () => {
  await served(async (root, ask) => {
    await Deno.mkdir(`${root}/d`);
    assertEquals((await sent(ask, "DELETE", "/d/#ment")).status, 400);
    assertEquals(names(root), ["d"]);
  }, ALL);
});

Deno.test("a lock excludes others, also below a locked folder, until it expires or is released", async () => {
  await served(async (root, ask) => {
    await Deno.mkdir(`${root}/d`);
    await Deno.writeTextFile(`${root}/d/a.txt`, "a");
    const token = await lock(ask, "/d", { timeout: "Second-600" });
    assertMatch(token, /^<urn:uuid:[0-9a-f-]{36}>$/);
    const refused: [string, string, Record<string, string>][] = [
      ["PUT", "/d/a.txt", {}],
      ["PUT", "/d/new.txt", {}],
      ["DELETE", "/d/a.txt", {}],
      ["DELETE", "/d", {}],
      ["MKCOL", "/d/e", {}],
      ["MOVE", "/d/a.txt", { destination: "/b.txt" }],
      ["COPY", "/d/a.txt", { destination: "/d/b.txt" }],
      ["PROPPATCH", "/d/a.txt", {}],
    ];
    const patch =
      `<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><a xmlns="urn:x">1</a></D:prop></D:set></D:propertyupdate>`;
    for (const [method, path, headers] of refused) {
      const body = method === "PUT" ? "new" : method === "PROPPATCH" ? patch : undefined;
      const { status, text } = await sent(ask, method, path, headers, body);
      assertEquals([method, path, status], [method, path, 423]);
      assertStringIncludes(text, "<D:lock-token-submitted><D:href>/d/</D:href>");
    }
    assertEquals((await sent(ask, "LOCK", "/d/a.txt", {}, lockinfo())).status, 423);
    assertEquals((await sent(ask, "COPY", "/d/a.txt", { destination: "/free.txt" })).status, 201);
    assertEquals(await statusOf(put(ask, "/d/a.txt", "mine", { if: `</d> (${token})` })), 200);
    assertEquals(await statusOf(put(ask, "/d/a.txt", "mine", { if: "(<urn:uuid:other>)" })), 412);
    assertEquals(await statusOf(put(ask, "/d/a.txt", "mine", { if: "(Not <DAV:no-lock>)" })), 423);
    assertEquals((await sent(ask, "LOCK", "/d", { if: `(${token})`, timeout: "Second-5" })).status, 200);
    assertEquals((await sent(ask, "UNLOCK", "/d", { "lock-token": "<urn:uuid:other>" })).status, 409);
    assertEquals((await sent(ask, "UNLOCK", "/d", { "lock-token": token })).status, 204);
    assertEquals(await statusOf(put(ask, "/d/a.txt", "free")), 200);
  }, ALL);
});

Deno.test("locks expire at most an hour after their creation, and are bounded in number", () => {
  let now = 0;
  const locks = new Locks(() => now);
  const make = (path: string, seconds = 10) =>
    locks.make({ path, href: path, isDeep: true, isShared: false, owner: "", seconds });
  make("/a");
  assertEquals([locks.on("/a/b").length, locks.below("/").length], [1, 1]);
  now = 10_000;
  assertEquals([locks.on("/a/b").length, locks.below("/").length], [0, 0]);
  for (let i = 0; i < 1000; i++) make(`/${i}`);
  let refusal = "";
  try {
    make("/more");
  } catch (error) {
    refusal = (error as Error).name;
  }
  assertEquals(refusal, "BusyError");
  assertEquals(["Second-60", "Infinite", null, "Second-9999999999", "Extend, Second-5"].map(secondsOf), [
    60,
    3600,
    600,
    3600,
    5,
  ]);
});

/** Answers WebDAV requests for a folder, without the rest of the file server. */
function davOf(folder: string) {
  const dav = new Dav(new Root(Deno.realPathSync(folder)), {
    changes: { overwrite: true, limit: 1000, hasPassword: false },
    deletes: true,
  });
  const ask = async (method: string, path: string, init: RequestInit = {}) => {
    const request = new Request(`http://127.0.0.1${path}`, { method, ...init });
    return await dav.answer(request, PEER).catch(({ status }: RequestError) =>
      new Response(null, { status })
    );
  };
  return { dav, ask };
}

Deno.test("a file or folder that appears while its name is being locked is locked like an existing one", async () => {
  await temporary(async (folder) => {
    const { dav: { folder: { locks } }, ask } = davOf(folder), make = locks.make;
    locks.make = function (asked) { // the name was free until now
      if (asked.path.endsWith("/a.txt") && !names(folder).includes("a.txt")) {
        Deno.writeTextFileSync(`${folder}/a.txt`, "another program's");
      }
      if (asked.path.endsWith("/d")) Deno.mkdirSync(`${folder}/d`, { recursive: true });
      return make.call(this, asked);
    };
    for (const [path, root] of [["/a.txt", "/a.txt"], ["/d", "/d/"]]) {
      const answer = await ask("LOCK", path, { body: lockinfo() });
      assertEquals([answer.status, answer.headers.has("lock-token")], [200, true]);
      assertStringIncludes(await answer.text(), `<D:lockroot><D:href>${root}</D:href>`);
    }
    assertEquals(await Deno.readTextFile(`${folder}/a.txt`), "another program's");
    assertEquals(locks.below(folder).length, 2);
  });
});

Deno.test("MOVE does not replace what has appeared under its name meanwhile", async () => {
  await temporary(async (folder) => {
    const { dav, ask } = davOf(folder), { locks } = dav.folder, check = locks.check;
    await Deno.writeTextFile(`${folder}/a.txt`, "a");
    await Deno.mkdir(`${folder}/d`);
    locks.check = function (...args) {
      Deno.mkdirSync(`${folder}/taken/own`, { recursive: true });
      Deno.writeTextFileSync(`${folder}/b.txt`, "another program's");
      check.apply(this, args);
    };
    for (const [from, to] of [["/a.txt", "b.txt"], ["/a.txt", "taken"], ["/d", "taken"], ["/d", "b.txt"]]) {
      await Deno.remove(`${folder}/${to}`, { recursive: true }).catch(() => {});
      const { status } = await ask("MOVE", from, { headers: { destination: `/${to}` } });
      assertEquals([from, to, status], [from, to, 409]);
    }
    assertEquals(names(folder), ["a.txt", "b.txt", "d", "taken"]);
    assertEquals(await Deno.readTextFile(`${folder}/b.txt`), "another program's");
  });
});

Deno.test("the If header is parsed by its grammar, and refused otherwise", () => {
  for (
    const text of [
      "",
      "()",
      "(<a>",
      "<a>",
      "(Not)",
      "(<a>) x",
      "((<a>))",
      "(Not Not <a>)",
      '(["a)',
      "a".repeat(9000),
    ]
  ) {
    let status = 0;
    try {
      parseIf(text);
    } catch (error) {
      status = (error as RequestError).status;
    }
    assertEquals([text.slice(0, 20), status], [text.slice(0, 20), 400]);
  }
  const [first, second] = parseIf(`<http://h/a> (<t:1> [W/"e"]) (Not <t:2>)`);
  assertEquals(first, {
    resource: "http://h/a",
    conditions: [{ isNegated: false, token: "t:1" }, { isNegated: false, etag: 'W/"e"' }],
  });
  assertEquals(second.conditions, [{ isNegated: true, token: "t:2" }]);
});

Deno.test("deleted files stay in the trash for a day, and a link is deleted without its target", async () => {
  await temporary(async (folder) => {
    let now = Date.parse("2026-05-01T10:00:00Z");
    const trash = new Trash(new Root(folder), true, () => now);
    await Deno.mkdir(`${folder}/d`);
    await Deno.writeTextFile(`${folder}/d/a.txt`, "a");
    await Deno.symlink("d", `${folder}/link`);
    using open = FolderHandle.open({ real: folder, info: Deno.lstatSync(folder) });
    await trash.delete(open, "link");
    assertEquals(names(folder), [TRASH, "d"]);
    await trash.delete(open, "d");
    assertEquals(names(folder), [TRASH]);
    const kept = names(`${folder}/${TRASH}`);
    assertMatch(kept.join(), /^2026-05-01T10-00-00Z-\w{8},2026-05-01T10-00-00Z-\w{8}$/);
    assertEquals(kept.flatMap((name) => names(`${folder}/${TRASH}/${name}`)).sort(), ["d", "link"]);
    now += 23 * 3600_000;
    await trash.clean();
    assertEquals(names(`${folder}/${TRASH}`), kept);
    now += 2 * 3600_000;
    await Promise.all([trash.clean(), trash.clean()]);
    assertEquals(names(folder), []);
  });
});

Deno.test({
  name: "the trash takes folders of bind mounts and overlays, and is cleaned there after a restart",
  ...needRoot("unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"),
}, async () => {
  await temporary(async (folder) => {
    const served = `${folder}/served`, disk = `${folder}/disk`;
    for (
      const name of [
        "lower/d/sub",
        "lower/e/sub",
        "served/bind mount",
        "served/merged",
        "bound/d/sub",
        "disk",
      ]
    ) {
      await Deno.mkdir(`${folder}/${name}`, { recursive: true });
    }
    for (const place of ["lower", "bound"]) await Deno.writeTextFile(`${folder}/${place}/d/sub/a.txt`, place);
    await mustRun("mount", ["-t", "tmpfs", "none", disk]);
    for (const name of ["upper", "work"]) await Deno.mkdir(`${disk}/${name}`);
    const layers = `lowerdir=${folder}/lower,upperdir=${disk}/upper,workdir=${disk}/work`;
    await mustRun("mount", ["-t", "overlay", "overlay", "-o", layers, `${served}/merged`]);
    await mustRun("mount", ["--bind", `${folder}/bound`, `${served}/bind mount`]);
    try {
      const trash = new Trash(new Root(served), true);
      const places = [`${served}/merged`, `${served}/bind mount`];
      for (const real of places) {
        using open = FolderHandle.open({ real, info: Deno.lstatSync(real) });
        await trash.delete(open, "d");
        const [kept] = names(`${real}/${TRASH}`);
        assertEquals([names(real)[0], names(`${real}/${TRASH}/${kept}/d/sub`)], [TRASH, ["a.txt"]]);
      }
      await new Trash(new Root(served), true, () => Date.now() + 25 * 3600_000).clean();
      assertEquals(places.map(names), [["e"], []]);
      using open = FolderHandle.open({ real: places[0], info: Deno.lstatSync(places[0]) });
      await new Trash(new Root(served), false).delete(open, "e");
      assertEquals(names(places[0]), []);
    } finally {
      for (const mounted of [`${served}/merged`, `${served}/bind mount`, disk]) {
        await mustRun("umount", [mounted]);
      }
    }
  });
});

Deno.test({
  name: "what a folder of an overlay's lower layer replaces stays until the copy is complete",
  ...needRoot("unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"),
}, async () => {
  await served(async (root, ask) => {
    await mustRun("mount", ["-t", "tmpfs", "none", root]);
    try {
      for (const name of ["lower/from/sub", "upper", "work", "merged"]) {
        await Deno.mkdir(`${root}/${name}`, { recursive: true });
      }
      await Deno.writeTextFile(`${root}/lower/from/sub/below.txt`, "below");
      await Deno.writeFile(`${root}/lower/from/large`, new Uint8Array(UPLOADS.limit + 1));
      const layers = `lowerdir=${root}/lower,upperdir=${root}/upper,workdir=${root}/work`;
      const merged = `${root}/merged`;
      await mustRun("mount", ["-t", "overlay", "overlay", "-o", layers, merged]);
      try {
        const second = (time: number) => Math.floor(time / 1000); // Deno (2.9.6) reports no part of it
        const changed = second(Deno.statSync(`${merged}/from/sub/below.txt`).ctime!.getTime());
        await until(() => second(Date.now()) > changed);
        await Deno.mkdir(`${merged}/to`);
        await Deno.writeTextFile(`${merged}/to/old.txt`, "old");
        const moved = async () =>
          (await sent(ask, "MOVE", "/merged/from", { destination: "/merged/to" })).status;
        assertEquals(await moved(), 413);
        assertEquals([names(`${merged}/to`), names(`${merged}/from`)], [["old.txt"], ["large", "sub"]]);
        await Deno.writeTextFile(`${merged}/from/large`, "new");
        assertEquals(await moved(), 204);
        assertEquals([names(`${merged}/to`), names(merged).includes("from")], [["large", "sub"], false]);
        await Deno.mkdir(`${merged}/from`); // the upper layer's, which can be renamed
        assertEquals(await moved(), 204);
        assertEquals([names(`${merged}/to`), names(merged).includes("from")], [[], false]);
      } finally {
        await mustRun("umount", [merged]);
      }
    } finally {
      await mustRun("umount", [root]);
    }
  }, ALL);
});

Deno.test({
  name: "delete, move and copy stay below the open folder when a link replaces its path",
  ignore: Deno.build.os !== "linux",
}, async () => {
  for (const keeps of [true, false]) {
    await temporary(async (outside) => {
      await temporary(async (folder) => {
        const root = new Root(folder);
        for (const place of [`${folder}/sub`, outside]) {
          await Deno.mkdir(`${place}/d`, { recursive: true });
          await Deno.writeTextFile(`${place}/d/a.txt`, place);
          await Deno.writeTextFile(`${place}/b.txt`, place);
        }
        using sub = FolderHandle.open({ real: `${folder}/sub`, info: Deno.lstatSync(`${folder}/sub`) });
        using top = FolderHandle.open({ real: folder, info: Deno.lstatSync(folder) });
        const source = { resolved: root.resolve(`${folder}/sub/d`), lexicalPath: `${folder}/sub/d` };
        await Deno.rename(`${folder}/sub`, `${folder}/moved`);
        await Deno.symlink(outside, `${folder}/sub`);
        const trash = new Trash(root, keeps);
        for (const name of ["d", "b.txt"]) await trash.delete(sub, name).catch(() => {});
        const disk = root.disk(folder);
        await move(
          { folder: sub, name: "b.txt", disk },
          { folder: top, name: "c.txt", disk },
          () => Promise.reject(),
        )
          .catch(
            () => {},
          );
        const copies = new Copies(root, 1000), { signal } = new AbortController();
        await copies.copy(source, sub, true, signal).catch(() => {});
        assertEquals([names(outside), names(`${outside}/d`)], [["b.txt", "d"], ["a.txt"]]);
        assertEquals(await Deno.readTextFile(`${outside}/b.txt`), outside);
      });
    });
  }
});

Deno.test({
  name: "on a full disk DELETE says that the trash has no room, and noTrash deletes",
  ...needRoot("unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"),
}, async () => {
  await served(async (root, ask) => {
    await mustRun("mount", ["-t", "tmpfs", "-o", "nr_inodes=2", "none", root]); // the folder and a file
    try {
      await Deno.writeTextFile(`${root}/a.txt`, "a");
      const { status, text } = await sent(ask, "DELETE", "/a.txt");
      assertEquals([status, names(root)], [507, ["a.txt"]]);
      assertStringIncludes(text, "no room for the trash");
      const handler = createFilesHandler({ root, ...WRITE, dav: { deletes: true, noTrash: true } });
      const url = "http://127.0.0.1/a.txt";
      assertEquals((await handler(new Request(url, { method: "DELETE" }), PEER)).status, 204);
      assertEquals(names(root), []);
    } finally {
      await mustRun("umount", [root]);
    }
  }, ALL);
});

Deno.test("with noTrash a file is deleted immediately", async () => {
  await served(async (root, ask) => {
    await Deno.writeTextFile(`${root}/a.txt`, "a");
    assertEquals((await sent(ask, "DELETE", "/a.txt")).status, 204);
    assertEquals(names(root), []);
  }, { ...ALL, dav: { deletes: true, noTrash: true } });
});

/**
 * Windows' WebDAV redirector, as documented by Microsoft in MS-WDVME and MS-WDV and seen in WebClient traces:
 * it requests OPTIONS, creates an empty file, locks it, sends the content, sets times in its own namespace,
 * and unlocks.
 */
Deno.test("Windows saves a file, over its own empty one, without --allow-overwrite", async () => {
  await served(async (root, ask) => {
    const agent = { "user-agent": "Microsoft-WebDAV-MiniRedir/10.0.22631", translate: "f" };
    const options = await sent(ask, "OPTIONS", "/", agent);
    assertEquals([options.status, options.headers.get("ms-author-via")], [200, "DAV"]);
    assertEquals(
      (await sent(ask, "PROPFIND", "/", { ...agent, depth: "0", "content-length": "0" })).status,
      207,
    );
    assertEquals((await sent(ask, "PROPFIND", "/Report.docx", { ...agent, depth: "0" })).status, 404);
    assertEquals(await statusOf(put(ask, "/Report.docx", "", agent)), 201);
    const token = await lock(ask, "/Report.docx", { ...agent, timeout: "Second-3600", depth: "0" });
    const patch =
      `<?xml version="1.0" encoding="utf-8" ?><D:propertyupdate xmlns:D="DAV:" xmlns:Z="urn:schemas-microsoft-com:">` +
      "<D:set><D:prop><Z:Win32LastModifiedTime>Thu, 26 Nov 2026 20:00:00 GMT</Z:Win32LastModifiedTime>" +
      "<Z:Win32FileAttributes>00000020</Z:Win32FileAttributes></D:prop></D:set></D:propertyupdate>";
    assertEquals(await statusOf(put(ask, "/Report.docx", "content", { ...agent, if: `(${token})` })), 200);
    const patched = await sent(ask, "PROPPATCH", "/Report.docx", { ...agent, if: `(${token})` }, patch);
    assertEquals(patched.status, 207);
    assertStringIncludes(
      patched.text,
      `<Win32FileAttributes xmlns="urn:schemas-microsoft-com:"/></D:prop><D:status>HTTP/1.1 403`,
    );
    assertEquals((await sent(ask, "UNLOCK", "/Report.docx", { ...agent, "lock-token": token })).status, 204);
    assertEquals(await statusOf(put(ask, "/Report.docx", "other", agent)), 409);
    assertEquals([names(root), Deno.readTextFileSync(`${root}/Report.docx`)], [["Report.docx"], "content"]);
  }, WRITE);
});

/**
 * macOS' WebDAV file system (webdavfs, whose source Apple publishes): quotas, locks, bodies without a length.
 */
Deno.test("macOS mounts, locks, and sends a file without Content-Length", async () => {
  await served(async (root, ask) => {
    const agent = { "user-agent": "WebDAVFS/3.0.0 (03008000) Darwin/23.4.0 (arm64)" };
    const options = await sent(ask, "OPTIONS", "/", agent);
    assertEquals(options.headers.get("dav"), "1, 2"); // it mounts read-only without class 2
    const quota = `<?xml version="1.0" encoding="utf-8"?><D:propfind xmlns:D="DAV:"><D:prop>` +
      "<D:quota-available-bytes/><D:quota-used-bytes/><D:quota/><D:quotaused/></D:prop></D:propfind>";
    assertMatch(
      (await sent(ask, "PROPFIND", "/", { ...agent, depth: "0" }, quota)).text,
      /<D:quota-used-bytes>\d+</,
    );
    assertEquals((await sent(ask, "PROPFIND", "/._a.txt", { ...agent, depth: "0" })).status, 404);
    assertEquals(await statusOf(put(ask, "/a.txt", "", agent)), 201);
    const token = await lock(ask, "/a.txt", { ...agent, depth: "0", timeout: "Second-600" });
    const body = new Blob(["hello"]).stream();
    const answer = await ask("/a.txt", {
      method: "PUT",
      body,
      headers: { ...agent, if: `(${token})`, "x-expected-entity-length": "5" },
    });
    assertEquals(answer.status, 200);
    await answer.text();
    assertEquals((await sent(ask, "UNLOCK", "/a.txt", { ...agent, "lock-token": token })).status, 204);
    assertEquals(Deno.readTextFileSync(`${root}/a.txt`), "hello");
  }, WRITE);
});

Deno.test("a file created by a lock and locked again retains its owner's description", async () => {
  await served(async (_root, ask) => {
    const { status, text } = await sent(ask, "LOCK", "/new.txt", { timeout: "Infinite" }, lockinfo("shared"));
    assertEquals(status, 201);
    const root = await parsed(text);
    assertEquals([root.space, root.name], ["DAV:", "prop"]);
    assertStringIncludes(
      text,
      `<D:owner><href xmlns="DAV:">DESK\\me</href></D:owner><D:timeout>Second-3600</D:timeout>`,
    );
    assertEquals((await sent(ask, "LOCK", "/new.txt", {}, lockinfo("shared"))).status, 200);
    const { text: found } = await sent(ask, "PROPFIND", "/new.txt", { depth: "0" });
    assertEquals(found.match(/<D:activelock>/g)?.length, 2);
  }, WRITE);
});
