/** Uploads: who may upload, names, limits. */

import { assertEquals, assertMatch, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { UsageError } from "../../core/errors.ts";
import { FolderHandle } from "../../core/folder_handle.ts";
import { createFilesHandler } from "../../files/handler.ts";
import { openPartial, refusalOf } from "../../files/upload/receive.ts";
import { parseSize } from "../../core/bytes.ts";
import { Root } from "../../files/resolve.ts";
import { RequestError } from "../../http/request.ts";
import { PEER } from "../support/control.ts";
import { need } from "../support/need.ts";
import { temporary, until } from "../support/shell.ts";
import { names, OPEN, OVERWRITING, put, served, statusOf } from "../support/uploads.ts";

Deno.test("without --allow-upload PUT is refused like any other method", async () => {
  await served(async (root, ask) => {
    const answer = await put(ask, "/a.txt", "hello");
    assertEquals([answer.status, answer.headers.get("allow")], [405, "GET, HEAD"]);
    assertMatch(await answer.text(), /<p>Only GET and HEAD [^<]+ needs --allow-upload\.<\/p>/);
    for (
      const [path, option] of [["/", "PUT, such as by curl -T FILE"], ["/.share", "needs --allow-share"]]
    ) {
      const posted = await ask(path, { method: "POST", body: "a" });
      assertEquals(posted.status, 405);
      assertStringIncludes(await posted.text(), option);
    }
    assertEquals(names(root), []);
  });
});

Deno.test("a whole file is accepted, and replaces no other", async () => {
  await served(async (root, ask) => {
    const answer = await put(ask, "/h%C3%A9%20llo.txt", "hello");
    assertEquals(answer.status, 201);
    assertEquals(answer.headers.get("content-type"), "text/plain; charset=utf-8");
    assertEquals(answer.headers.get("location"), "h%C3%A9%20llo.txt"); // also behind a proxy with its own path
    const said = await answer.text();
    assertMatch(said, /^The file is there now: http:\/\/[^/]+\/h%C3%A9%20llo\.txt\n$/);
    assertEquals(answer.headers.get("content-length"), `${said.length}`);
    const page = await put(ask, "/page.txt", "hello", { accept: "text/html,*/*" });
    assertEquals([page.status, page.headers.get("content-type")], [201, "text/html; charset=utf-8"]);
    Deno.removeSync(`${root}/page.txt`);
    const lost = await put(ask, "/new/a.txt", "hello");
    assertEquals([lost.status, await lost.text()], [404, "There is no folder /new for the file.\n"]);
    const other = await ask("/nowhere");
    assertEquals([other.status, other.headers.get("content-type")], [404, "text/html; charset=utf-8"]);
    await other.text();
    assertEquals(Deno.readTextFileSync(`${root}/hé llo.txt`), "hello");
    assertEquals(await statusOf(put(ask, "/h%C3%A9%20llo.txt", "other")), 409);
    assertEquals(Deno.readTextFileSync(`${root}/hé llo.txt`), "hello");
    assertEquals(await statusOf(put(ask, "/empty", "")), 201);
    assertEquals(names(root), ["empty", "hé llo.txt"]);
    const deleted = await ask("/a", { method: "DELETE" });
    assertEquals([deleted.status, deleted.headers.get("allow")], [405, "GET, HEAD, PUT"]);
  }, OPEN);
});

Deno.test("with --allow-overwrite a file is replaced if it is the requested version", async () => {
  await served(async (root, ask) => {
    assertEquals(await statusOf(put(ask, "/a.txt", "first")), 201);
    assertEquals(await statusOf(put(ask, "/a.txt", "second")), 200);
    assertEquals(Deno.readTextFileSync(`${root}/a.txt`), "second");
    assertEquals(await (await ask("/a.txt")).text(), "second");
    assertEquals(await statusOf(put(ask, "/a.txt", "third", { "if-none-match": "*" })), 412);
    assertEquals(await statusOf(put(ask, "/a.txt", "third", { "if-match": '"other"' })), 412);
    assertEquals(await statusOf(put(ask, "/gone.txt", "third", { "if-match": "*" })), 412);
    assertEquals(await statusOf(put(ask, "/a.txt", "third", { "if-match": "*" })), 200);
    assertEquals(names(root), ["a.txt"]);
  }, OVERWRITING);
});

Deno.test("a file is stored only in the folder, and under a name that is served", async () => {
  await served(async (root, ask) => {
    await Deno.mkdir(`${root}/sub`);
    await Deno.mkdir(`${root}/.hidden`);
    await Deno.mkdir(`${root}/state`);
    await Deno.writeTextFile(`${root}/key.pem`, "secret");
    await Deno.writeTextFile(`${root}/file`, "");
    await Deno.symlink("..", `${root}/up`);
    await Deno.symlink("../secret.txt", `${root}/link`);
    const cases: [string, number][] = [
      ["/../a.txt", 400],
      ["/%2e%2e/a.txt", 400],
      ["/sub%2fa.txt", 400],
      ["/a%00.txt", 400],
      ["/sub/", 400],
      ["/", 400],
      ["/gone/a.txt", 404],
      ["/file/a.txt", 404],
      ["/up/a.txt", 404],
      ["/.hidden/a.txt", 404],
      ["/.a.txt", 404],
      ["/state/token", 404],
      ["/key.pem", 404],
      ["/.deskhand-upload-0", 404],
      ["/sub", 409],
      ["/link", 409],
    ];
    for (const [path, status] of cases) {
      assertEquals(await statusOf(put(ask, path, "mine")), status, path);
    }
    assertEquals(names(root), [".hidden", "file", "key.pem", "link", "state", "sub", "up"]);
    assertEquals(names(`${root}/..`), ["root", "secret.txt"]);
    assertEquals(Deno.readTextFileSync(`${root}/../secret.txt`), "secret");
    assertEquals(Deno.readTextFileSync(`${root}/key.pem`), "secret");
    assertEquals(await statusOf(put(ask, "/sub/a.txt", "mine")), 201);
  }, (root) => ({
    ...OVERWRITING,
    noHidden: true,
    secrets: { folder: `${root}/state`, files: [`${root}/key.pem`] },
  }));
});

Deno.test("an upload that is too large is refused, and leaves nothing behind", async () => {
  await served(async (root, ask) => {
    assertEquals(await statusOf(put(ask, "/a", "a".repeat(1001))), 413);
    assertEquals(await statusOf(put(ask, "/a", "abc", { "content-range": "bytes 0-2/1001" })), 413);
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(100)),
    });
    assertEquals(await statusOf(ask("/a", { method: "PUT", body: endless })), 413);
    assertEquals(names(root), []);
    assertEquals(await statusOf(put(ask, "/a", "a".repeat(1000))), 201);
  }, OPEN);
  await served(async (root, ask) => {
    const header = { "content-length": `${2 ** 60}` };
    const answer = await ask("/a", { method: "PUT", body: "abc", headers: header });
    assertEquals(answer.status, 507);
    assertEquals((await answer.text()).includes("The disk has no room for this file."), true);
    assertEquals(names(root), []);
  }, { uploads: { ...OPEN.uploads, limit: Infinity } });
});

Deno.test("cross-origin web pages may not upload", async () => {
  await served(async (root, ask) => {
    const cases: [Record<string, string>, number][] = [
      [{ origin: "http://evil.example" }, 403],
      [{ origin: "null" }, 403],
      [{ origin: "http://127.0.0.1:8080" }, 403],
      [{ origin: "https://127.0.0.1" }, 403],
      [{ "sec-fetch-site": "cross-site" }, 403],
      [{ "sec-fetch-site": "same-site", origin: "http://127.0.0.1" }, 403],
      [{ origin: "http://127.0.0.1" }, 201],
      [{ origin: "http://127.0.0.1", "sec-fetch-site": "same-origin" }, 201],
      [{}, 201],
    ];
    for (const [i, [headers, status]] of cases.entries()) {
      assertEquals(await statusOf(put(ask, `/${i}`, "mine", headers)), status, JSON.stringify(headers));
    }
    assertEquals(names(root), ["6", "7", "8"]);
  }, { ...OPEN, cors: true });
});

Deno.test("without a password files are accepted only from this machine", async () => {
  await temporary(async (folder) => {
    const from = (hostname: string, host: string, hasPassword: boolean, headers = {}) => {
      const uploads = { ...OVERWRITING.uploads, hasPassword };
      const handler = createFilesHandler({ root: folder, uploads });
      const request = new Request(`http://${host}/a`, { method: "PUT", body: "mine", headers });
      const peer = { ...PEER, remoteAddr: { ...PEER.remoteAddr, hostname } };
      return statusOf(Promise.resolve(handler(request, peer)));
    };
    assertEquals(await from("192.168.1.7", "192.168.1.5:4001", false), 403);
    assertEquals(await from("127.0.0.1", "files.example", false), 403);
    for (const name of ["forwarded", "x-forwarded-for", "x-forwarded-proto", "via"]) {
      assertEquals(await from("127.0.0.1", "localhost:4001", false, { [name]: "a proxy" }), 403, name);
    }
    assertEquals(names(folder), []);
    assertEquals(await from("::ffff:127.0.0.1", "localhost:4001", false), 201);
    assertEquals(await from("192.168.1.7", "192.168.1.5:4001", true), 200);
  });
});

Deno.test("compressed uploads are refused, since they would be stored compressed", async () => {
  await served(async (root, ask) => {
    assertEquals(await statusOf(put(ask, "/a", "mine", { "content-encoding": "gzip" })), 415);
    assertEquals(names(root), []);
  }, OPEN);
});

Deno.test("a size is a number with a unit", () => {
  const sizes = ["0", "1048576", "500M", "1.5G", "10GB", "10 GiB", "2t", "3kb"];
  assertEquals(
    sizes.map((size) => parseSize(size, "--upload-limit")),
    [0, 2 ** 20, 500 * 2 ** 20, 1.5 * 2 ** 30, 10 * 2 ** 30, 10 * 2 ** 30, 2 * 2 ** 40, 3072],
  );
  for (const size of ["", "many", "-1", "1X", "1e9", "0x10"]) {
    assertThrows(() => parseSize(size, "--upload-limit"), UsageError, `--upload-limit ${size}`);
  }
});

Deno.test("a folder's page offers uploads if they are accepted", async () => {
  for (const [options, offers] of [[{}, false], [OPEN, true]] as const) {
    await served(async (_, ask) => {
      for (const path of ["/", "/?view=gallery"]) {
        const page = await ask(path), policy = page.headers.get("content-security-policy")!;
        assertEquals(policy.includes("connect-src 'self'"), offers, path);
        assertEquals((await page.text()).includes(`<form class="upload"`), offers, path);
      }
    }, options);
  }
});

Deno.test({
  ignore: Deno.build.os === "windows",
  name: "an impossible name is a 400 before anything is read, and the longest is accepted",
}, async () => {
  await served(async (root, ask) => {
    let pulled = 0;
    for (const name of ["a".repeat(256), "%C3%A9".repeat(128)]) {
      const body = new ReadableStream({ pull: () => void pulled++ }, { highWaterMark: 0 });
      const headers = { "content-length": "5" };
      assertEquals(await statusOf(ask(`/${name}`, { method: "PUT", body, headers })), 400);
    }
    assertEquals([pulled, names(root)], [0, []]);
    assertEquals(await statusOf(put(ask, `/${"a".repeat(255)}`, "hello")), 201);
    assertEquals(await statusOf(put(ask, `/${"%C3%A9".repeat(127)}`, "hello")), 201);
    assertEquals(names(root).length, 2);
  }, OPEN);
});

Deno.test("each refusal of the file system has its own status", () => {
  const cases: [error: Error, status: number | undefined][] = [
    [Object.assign(new Error(), { code: "EROFS" }), 403],
    [new Deno.errors.PermissionDenied(), 403],
    [Object.assign(new Error(), { code: "EDQUOT" }), 507],
    [Object.assign(new Error(), { code: "ENOSPC" }), 507],
    [Object.assign(new Error(), { code: "ENAMETOOLONG" }), 400],
    [Object.assign(new Error(), { code: "EINVAL" }), 400],
    [Object.assign(new Error(), { code: "EIO" }), undefined],
  ];
  for (const [error, status] of cases) assertEquals((refusalOf(error) as RequestError).status, status);
});

Deno.test("with ?parents an upload creates the folders of its path, only below the root", async () => {
  await served(async (root, ask) => {
    assertEquals(await statusOf(put(ask, "/a/b.txt", "x")), 404);
    assertEquals(await statusOf(put(ask, "/a/%C3%A9/b.txt?parents", "x")), 201);
    assertEquals(Deno.readTextFileSync(`${root}/a/é/b.txt`), "x");
    assertEquals(await statusOf(put(ask, "/a/c.txt?parents", "x")), 201); // existing files stay
    assertEquals(await statusOf(put(ask, "/a/c.txt/d/e.txt?parents", "x")), 409);
    assertEquals(await statusOf(put(ask, "/a/%2e%2e/%2e%2e/e.txt?parents", "x")), 400);
    assertEquals(await statusOf(put(ask, "/a//e.txt?parents", "x")), 400);
    assertEquals(await statusOf(put(ask, `/${"d/".repeat(65)}e.txt?parents`, "x")), 400);
    assertEquals(await statusOf(put(ask, `/${"n".repeat(300)}/e.txt?parents`, "x")), 400);
    await temporary(async (outside) => {
      Deno.symlinkSync(outside, `${root}/link`);
      assertEquals(await statusOf(put(ask, "/link/in/e.txt?parents", "x")), 404);
      assertEquals([...Deno.readDirSync(outside)], []);
    });
    assertEquals(names(root).sort(), ["a", "link"]);
    assertEquals(names(`${root}/a`).sort(), ["c.txt", "é"]);
  }, OPEN);
});

// Interrupted uploads: resumed, removed, and safe from links and pipes in their place.

Deno.test("an interrupted upload resumes where it ended", async () => {
  await served(async (root, ask) => {
    const part = (range: string, text: string) => put(ask, "/a.txt", text, { "content-range": range });
    const offset = async (answer: Promise<Response>) => {
      const { status, headers } = await answer;
      return [status, headers.get("upload-offset")];
    };
    assertEquals(await offset(part("bytes */10", "")), [202, "0"]);
    assertEquals(await offset(part("bytes 3-9/10", "defghij")), [409, "0"]);
    assertEquals(await offset(part("bytes 0-2/10", "abc")), [202, "3"]);
    assertEquals(await offset(part("bytes */10", "")), [202, "3"]);
    assertEquals(await offset(part("bytes */11", "")), [202, "0"]); // another file
    const unfinished = names(root);
    assertEquals(unfinished.length, 1);
    assertEquals(await statusOf(ask(`/${unfinished[0]}`)), 404);
    assertEquals((await (await ask("/?format=json")).json()).entries, []);
    assertEquals(await offset(part("bytes 2-5/10", "cdef")), [202, "6"]); // overlaps what was sent
    assertEquals(await offset(part("bytes 6-9/10", "ghij")), [201, null]);
    assertEquals(Deno.readTextFileSync(`${root}/a.txt`), "abcdefghij");
    assertEquals(names(root), ["a.txt"]);
    for (
      const range of ["bytes 0-4/10", "bytes 4-2/10", "bytes 0-9/5", "bytes 0-2", "lines 0-2/3", "bytes */x"]
    ) {
      assertEquals(await statusOf(put(ask, "/b.txt", "abc", { "content-range": range })), 400, range);
    }
  }, OPEN);
});

Deno.test("two clients with keys of their own do not mix files of the same name and length", async () => {
  await served(async (root, ask) => {
    const part = (key: string, range: string, text: string) =>
      put(ask, "/a.txt", text, { "content-range": range, "upload-key": key });
    assertEquals(await statusOf(part("A", "bytes 0-0/3", "A")), 202);
    assertEquals(await statusOf(part("B", "bytes 0-1/3", "BB")), 202);
    assertEquals((await part("A", "bytes */3", "")).headers.get("upload-offset"), "1");
    assertEquals(await statusOf(part("A", "bytes 2-2/3", "A")), 409);
    assertEquals(await statusOf(part("A", "bytes 1-2/3", "AA")), 201);
    assertEquals(await statusOf(part("B", "bytes 2-2/3", "B")), 409); // the name is taken
    assertEquals(Deno.readTextFileSync(`${root}/a.txt`), "AAA");
  }, OPEN);
});

Deno.test("two clients without keys do not mix files of the same name and length either", async () => {
  await served(async (root, ask) => {
    const part = (range: string, text: string) =>
      put(ask, "/a.txt", text, { "content-range": `bytes ${range}/4` });
    assertEquals(await statusOf(part("0-1", "AA")), 202);
    for (const [range, text] of [["0-2", "BBB"], ["0-2", "ABB"], ["1-2", "BB"]]) {
      const refused = await part(range, text);
      assertEquals(refused.status, 409, text);
      assertMatch(await refused.text(), /Upload-Key/);
    }
    const offset = async () => (await part("*", "")).headers.get("upload-offset");
    assertEquals(await offset(), "2");
    assertEquals(await statusOf(part("0-0", "A")), 202); // the same bytes again
    assertEquals(await offset(), "2");
    const breaking = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode("ABB")),
      pull: (controller) => controller.error(new Error("the connection ended")),
    });
    const left = ask("/a.txt", { method: "PUT", body: breaking, headers: { "content-length": "4" } });
    assertEquals(await statusOf(left), 499);
    assertEquals(await offset(), "2");
    assertEquals(names(root).length, 1);
    assertEquals(await statusOf(put(ask, "/a.txt", "ABBB")), 201);
    assertEquals(Deno.readTextFileSync(`${root}/a.txt`), "ABBB");
    Deno.removeSync(`${root}/a.txt`);
    assertEquals(await statusOf(part("1-3", "AAA")), 201);
    assertEquals(Deno.readTextFileSync(`${root}/a.txt`), "AAAA");
    assertEquals(names(root), ["a.txt"]);
  }, OPEN);
});

Deno.test("an upload whose client leaves can be resumed", async () => {
  await served(async (root, ask) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("abcd"));
      },
      pull(controller) {
        controller.error(new Error("the connection ended"));
      },
    });
    const headers = { "content-length": "10" };
    assertEquals(await statusOf(ask("/a.txt", { method: "PUT", body, headers })), 499);
    assertEquals(
      (await put(ask, "/a.txt", "", { "content-range": "bytes */10" })).headers.get("upload-offset"),
      "4",
    );
    assertEquals(await statusOf(put(ask, "/a.txt", "efghij", { "content-range": "bytes 4-9/10" })), 201);
    assertEquals(Deno.readTextFileSync(`${root}/a.txt`), "abcdefghij");
  }, OPEN);
});

Deno.test({
  name: "a link in place of an incomplete upload is not followed",
  ignore: Deno.build.os === "windows",
}, async () => {
  await temporary(async (elsewhere) => {
    const theirs = `${elsewhere}/file`;
    await served(async (root, ask) => {
      const part = (range: string, text: string) =>
        put(ask, "/a.txt", text, { "content-range": `bytes ${range}/10` });
      assertEquals(await statusOf(part("0-4", "hello")), 202);
      const [partial] = names(root);
      // A symbolic link, where the upload starts over; a hard link, where it resumes.
      for (
        const [link, range, text, status] of [["symlinkSync", "0-4", "HELLO", 202], [
          "linkSync",
          "5-9",
          "WORLD",
          409,
        ]] as const
      ) {
        Deno.writeTextFileSync(theirs, "their");
        Deno.removeSync(`${root}/${partial}`);
        Deno[link](theirs, `${root}/${partial}`);
        assertEquals(await statusOf(part(range, text)), status, link);
        assertEquals(Deno.readTextFileSync(theirs), "their", link);
      }
    }, OPEN);
  });
});

Deno.test("remains of old uploads are removed", async () => {
  await served(async (root, ask) => {
    for (const [name, age] of [["old", 25], ["new", 1]] as const) {
      await Deno.writeTextFile(`${root}/.deskhand-upload-${name}`, "");
      const at = Date.now() / 1000 - age * 3600;
      await Deno.utime(`${root}/.deskhand-upload-${name}`, at, at);
    }
    assertEquals(await statusOf(put(ask, "/a", "mine")), 201);
    await until(() => names(root).join() === ".deskhand-upload-new,a"); // after the answer
  }, OPEN);
});

Deno.test({
  name: "a read-only file system is a 403, and an upload that fails at its end leaves nothing behind",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
}, async () => {
  await served(async (root, ask) => {
    await Deno.mkdir(`${root}/ro`);
    const mount = async (...args: string[]) =>
      (await new Deno.Command(args[0], { args: args.slice(1), stderr: "null" }).output()).success;
    if (!await mount("mount", "-t", "tmpfs", "-o", "ro,size=4096", "none", `${root}/ro`)) {
      console.warn("SKIPPED: nothing can be mounted here");
      return;
    }
    try {
      assertEquals(await statusOf(put(ask, "/ro/a.txt", "hello")), 403);
      const large = "x".repeat(10_000); // more than the disk has room for
      assertEquals(await statusOf(put(ask, "/ro/a.txt", large)), 403);
      const part = { "content-range": "bytes 0-9999/20000" };
      assertEquals(await statusOf(put(ask, "/ro/a.txt", large, part)), 403);
    } finally {
      await mount("umount", `${root}/ro`);
    }
    // The folder that takes the file's name while the file arrives.
    const body = new ReadableStream({
      async pull(controller) {
        await Deno.mkdir(`${root}/b.txt/in`, { recursive: true });
        controller.enqueue(new TextEncoder().encode("hello"));
        controller.close();
      },
    }, { highWaterMark: 0 });
    const headers = { "content-length": "5" };
    assertEquals(await statusOf(ask("/b.txt", { method: "PUT", body, headers })), 409);
    assertEquals(names(root).filter((name) => name.startsWith(".")), []);
  }, { uploads: { ...OVERWRITING.uploads, limit: 20_000 } });
});

Deno.test({ name: "a pipe in place of a part delays no upload", ...need("mkfifo") }, async () => {
  await temporary(async (folder) => {
    assertEquals((await new Deno.Command("mkfifo", { args: [`${folder}/part`] }).output()).code, 0);
    using handle = FolderHandle.open({ real: folder, info: Deno.lstatSync(folder) });
    await assertRejects(
      () => openPartial(handle, "part", 1, new Root(folder).disk(folder)),
      RequestError,
      "Another program is using the temporary name",
    );
  });
});
