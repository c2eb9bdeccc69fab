/** Uploads and moves, while other programs move, swap and change folders and files. */

import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { FileChangedError } from "../../core/errors.ts";
import { FolderHandle } from "../../core/folder_handle.ts";
import { Dav } from "../../files/dav/dav.ts";
import { Root } from "../../files/resolve.ts";
import type { RequestError } from "../../http/request.ts";
import { PEER } from "../support/control.ts";
import { needRoot } from "../support/need.ts";
import { names, OPEN, OVERWRITING, put, served, statusOf } from "../support/uploads.ts";
import { mustRun, temporary } from "../support/shell.ts";

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

Deno.test({
  name: "an upload whose folder or unfinished file is removed meanwhile is a 409",
  ignore: Deno.build.os !== "linux",
}, async () => {
  await served(async (root, ask, reported) => {
    const part = () => names(`${root}/sub`).find((name) => name.startsWith("."))!;
    const removals = [
      () => Deno.remove(`${root}/sub/${part()}`),
      () => Deno.remove(`${root}/sub`, { recursive: true }),
    ];
    for (const remove of removals) {
      for (const time of [undefined, "1000000000"]) {
        await Deno.mkdir(`${root}/sub`, { recursive: true });
        const { headers, ...sent } = body(remove);
        const answer = await ask("/sub/a.txt", {
          ...sent,
          headers: { ...headers, ...time && { "x-oc-mtime": time } },
        });
        assertEquals([answer.status, reported], [409, []]);
        assertStringIncludes(await answer.text(), "has removed the folder");
      }
    }
  }, OPEN);
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

Deno.test({
  name: "an upload keeps the permissions and the owner of the file that it replaces",
  ignore: Deno.build.os !== "linux",
}, async () => {
  await served(async (root, ask) => {
    const isRoot = Deno.uid() === 0;
    for (const [name, mode] of [["private", 0o600], ["script", 0o775], ["empty", 0o666]] as const) {
      const path = `${root}/${name}`;
      await Deno.writeTextFile(path, name === "empty" ? "" : "first");
      await Deno.chmod(path, mode);
      if (isRoot) await Deno.chown(path, 65534, 65533);
      assertEquals(await statusOf(put(ask, `/${name}`, "second")), 200);
      const now = await Deno.stat(path);
      assertEquals([name, now.mode! & 0o777, await Deno.readTextFile(path)], [name, mode, "second"]);
      if (isRoot) assertEquals([now.uid, now.gid], [65534, 65533]);
    }
    await Deno.chmod(`${root}/private`, 0o400);
    assertEquals(await statusOf(put(ask, "/private", "third")), 200);
    assertEquals((await Deno.stat(`${root}/private`)).mode! & 0o777, 0o600);
  }, OVERWRITING);
});

Deno.test({
  name: "a MOVE to another disk removes only what it has copied unchanged",
  ...needRoot("unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"),
}, async () => {
  await temporary(async (folder) => {
    const near = `${folder}/near`, far = `${folder}/far`, root = new Root(folder);
    await Deno.mkdir(far);
    await mustRun("mount", ["-t", "tmpfs", "none", far]);
    try {
      const changes = { overwrite: true, limit: 1000, hasPassword: false };
      const { folder: { copies, trash }, ...dav } = davOf(root, changes), copy = copies.copy.bind(copies);
      /** Moves a folder with a file onto another folder, while a program changes it after it was copied. */
      const moved = async (change: () => void) => {
        copies.copy = async (...given) => {
          const name = await copy(...given);
          change();
          return name;
        };
        await Deno.mkdir(`${near}/sub`, { recursive: true });
        await Deno.writeTextFile(`${near}/sub/a.txt`, "old", { mode: 0o600 });
        await Deno.utime(`${near}/sub/a.txt`, 1e9, 1e9);
        await Deno.mkdir(`${far}/to`, { recursive: true });
        return await dav.ask("/near", "/far/to");
      };
      const kept: [change: () => void, path: string, text: string][] = [
        [() => Deno.writeTextFileSync(`${near}/sub/a.txt`, "new"), `${near}/sub/a.txt`, "new"],
        [() => Deno.writeTextFileSync(`${near}/b.txt`, "new"), `${near}/b.txt`, "new"],
      ];
      for (const [change, path, text] of kept) {
        assertEquals([await moved(change), await Deno.readTextFile(path)], [409, text]);
        await Deno.remove(near, { recursive: true });
      }
      assertEquals(await moved(() => {}), 204);
      const { mode, mtime } = await Deno.stat(`${far}/to/sub/a.txt`);
      assertEquals([names(folder), mode! & 0o777, mtime!.getTime()], [["far"], 0o600, 1e12]);
      await Deno.mkdir(near);
      await Deno.symlink("nowhere", `${near}/link`); // would be lost
      await Deno.writeTextFile(`${far}/to/own`, "");
      assertEquals(await dav.ask("/near", "/far/to"), 409);
      assertEquals([names(near), names(`${far}/to`)], [["link"], ["own", "sub"]]);
      await Deno.writeTextFile(`${folder}/c.txt`, "old");
      copies.copy = async (...given) => {
        const name = await copy(...given);
        await Deno.writeTextFile(`${folder}/c.txt`, "newer");
        return name;
      };
      assertEquals(await dav.ask("/c.txt", "/far/c.txt"), 409);
      assertEquals(await Deno.readTextFile(`${folder}/c.txt`), "newer");
      await trash.clean();
    } finally {
      await mustRun("umount", [far]);
    }
  });
});

function davOf(root: Root, changes: { overwrite: boolean; limit: number; hasPassword: boolean }) {
  const dav = new Dav(root, { changes, deletes: true, noTrash: true });
  const ask = async (path: string, destination: string) => {
    const request = new Request(`http://127.0.0.1${path}`, { method: "MOVE", headers: { destination } });
    return (await dav.answer(request, PEER).catch(({ status }: RequestError) => ({ status }))).status;
  };
  return { folder: dav.folder, ask };
}
