/** Uploads that break off: resumed, removed, and safe from links and pipes in their place. */

import { assertEquals, assertRejects } from "@std/assert";
import { openPartial } from "../../files/upload/receive.ts";
import { RequestError } from "../../http/request_error.ts";
import { served, statusOf } from "../support/files.ts";
import { need } from "../support/need.ts";
import { temporary } from "../support/temporary.ts";
import { names, OPEN, OVERWRITING, put } from "../support/uploads.ts";

Deno.test("an upload that broke off is resumed where it ended", async () => {
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
    assertEquals(await offset(part("bytes 2-5/10", "cdef")), [202, "6"]); // sent twice in part
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
  name: "a link in the place of an upload that is not whole is not followed",
  ignore: Deno.build.os === "windows",
}, async () => {
  await temporary(async (elsewhere) => {
    const theirs = `${elsewhere}/file`;
    await served(async (root, ask) => {
      const part = (range: string, text: string) =>
        put(ask, "/a.txt", text, { "content-range": `bytes ${range}/10` });
      assertEquals(await statusOf(part("0-4", "hello")), 202);
      const [partial] = names(root);
      // A symbolic link, to where the upload begins anew; a hard link, to where it goes on.
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

Deno.test("what came of old uploads is removed", async () => {
  await served(async (root, ask) => {
    for (const [name, age] of [["old", 25], ["new", 1]] as const) {
      await Deno.writeTextFile(`${root}/.deskhand-upload-${name}`, "");
      const at = Date.now() / 1000 - age * 3600;
      await Deno.utime(`${root}/.deskhand-upload-${name}`, at, at);
    }
    assertEquals(await statusOf(put(ask, "/a", "mine")), 201);
    assertEquals(names(root), [".deskhand-upload-new", "a"]);
  }, OPEN);
});

Deno.test({
  name: "a read-only file system is a 403, and an upload whose end fails leaves nothing behind",
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

Deno.test({ name: "a pipe in the place of a part holds up no upload", ...need("mkfifo") }, async () => {
  await temporary(async (folder) => {
    const path = `${folder}/part`;
    assertEquals((await new Deno.Command("mkfifo", { args: [path] }).output()).code, 0);
    await assertRejects(() => openPartial(path, 1), RequestError, "Another program uses the name");
  });
});
