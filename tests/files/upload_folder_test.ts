/** Uploads into folders that other programs move, swap and change meanwhile. */

import { assertEquals, assertThrows } from "@std/assert";
import { FileChangedError } from "../../core/errors.ts";
import { FolderHandle } from "../../core/folder_handle.ts";
import { names, OPEN, OVERWRITING, put, served, statusOf } from "../support/uploads.ts";
import { temporary } from "../support/shell.ts";

/** A body of five bytes; a function runs before they are sent. */
function body(before: () => Promise<unknown>): RequestInit {
  const stream = new ReadableStream({
    async pull(controller) {
      await before();
      controller.enqueue(new TextEncoder().encode("hello"));
      controller.close();
    },
  }, { highWaterMark: 0 });
  return { method: "PUT", body: stream, headers: { "content-length": "5" } };
}

/** Replaces a folder with a link to another one. */
async function exchange(folder: string, other: string) {
  await Deno.rename(folder, `${folder}-moved`);
  await Deno.symlink(other, folder);
}

Deno.test({
  name: "an upload stays in its folder when a link replaces it",
  ignore: Deno.build.os !== "linux",
}, async () => {
  await temporary(async (outside) => {
    await served(async (root, ask) => {
      await Deno.mkdir(`${root}/sub`);
      assertEquals(await statusOf(ask("/sub/a.txt", body(() => exchange(`${root}/sub`, outside)))), 201);
      assertEquals([names(outside), names(`${root}/sub-moved`)], [[], ["a.txt"]]);
    }, OPEN);
  });
});

Deno.test("a folder that is a different one when it is opened is refused", async () => {
  await temporary(async (folder) => {
    const real = `${folder}/sub`;
    await Deno.mkdir(real);
    const info = Deno.lstatSync(real);
    await exchange(real, folder);
    assertThrows(() => FolderHandle.open({ real, info }));
    await Deno.remove(real);
    await Deno.mkdir(real);
    assertThrows(() => FolderHandle.open({ real, info }), FileChangedError);
  });
});

Deno.test("names below an open folder are described as Deno describes them", async () => {
  await temporary(async (real) => {
    using folder = FolderHandle.open({ real, info: Deno.lstatSync(real) });
    folder.create("a");
    assertThrows(() => folder.create("a"), Deno.errors.AlreadyExists);
    await Deno.writeTextFile(`${real}/a`, "hello");
    folder.link("a", "b");
    assertThrows(() => folder.link("a", "b"), Deno.errors.AlreadyExists);
    const { dev, ino, size, nlink, mtime } = Deno.lstatSync(`${real}/a`), named = folder.stat("b")!;
    assertEquals([named.dev, named.ino, named.size, named.nlink, named.isFile], [
      dev,
      ino,
      size,
      nlink,
      true,
    ]);
    assertEquals(Math.floor(named.modified), mtime!.getTime());
    folder.rename("b", "c");
    folder.makeFolder("d");
    folder.remove("a");
    assertEquals([names(real), folder.stat("d")?.isFile, folder.stat("gone")], [
      ["c", "d"],
      false,
      undefined,
    ]);
    const { code } = assertThrows(() => folder.stat("x".repeat(300)), Error) as Error & { code?: string };
    if (Deno.build.os === "linux") assertEquals(code, "ENAMETOOLONG");
  });
});

Deno.test("a refused upload creates no folders", async () => {
  await served(async (root, ask) => {
    const refused: [path: string, init: Record<string, string>, status: number][] = [
      ["/new/sub/a.txt", { "content-length": "50" }, 413],
      ["/new/sub/", {}, 400],
      [`/new/sub/${"x".repeat(300)}`, {}, 400],
      ["/new/sub/a.txt", { "content-range": "bytes 5-1/3" }, 400],
    ];
    for (const [path, headers, status] of refused) {
      assertEquals(await statusOf(put(ask, `${path}?parents`, "hello", headers)), status);
      assertEquals(names(root), []);
    }
    assertEquals(await statusOf(put(ask, "/new/sub/a.txt?parents", "hello")), 201);
  }, { uploads: { ...OPEN.uploads, limit: 20 } });
});

Deno.test("the version that an upload replaces is checked once all bytes have arrived", async () => {
  await served(async (root, ask) => {
    await Deno.writeTextFile(`${root}/a.txt`, "first");
    const gone = body(() => Deno.remove(`${root}/a.txt`));
    assertEquals(
      await statusOf(ask("/a.txt", { ...gone, headers: { ...gone.headers, "if-match": "*" } })),
      412,
    );
    assertEquals(names(root), []);
  }, OVERWRITING);
});
