/** Files and folders that are swapped for something else between two looks. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { RequestError } from "../../http/request_error.ts";
import { descriptorOf } from "../../files/descriptors.ts";
import { createFilesHandler } from "../../files/handler.ts";
import { Root } from "../../files/resolve.ts";
import { PEER } from "../support/control.ts";
import { LATER } from "../support/files.ts";

const POSIX = { ignore: Deno.build.os === "windows" };

async function withRoot(use: (root: Root, base: string) => void | Promise<void>) {
  const base = Deno.realPathSync(await Deno.makeTempDir());
  await Deno.mkdir(`${base}/root/in`, { recursive: true });
  await Deno.mkdir(`${base}/outside`);
  await Deno.writeTextFile(`${base}/root/in/a.txt`, "inside");
  await Deno.writeTextFile(`${base}/outside/a.txt`, "outside");
  try {
    await use(new Root(`${base}/root`), base);
  } finally {
    await Deno.remove(base, { recursive: true });
  }
}

/** Does the same in the root again and again. `await using` ends it after a round: nothing of it goes on then. */
function repeating(root: Root, script: string): AsyncDisposable {
  const shell = new Deno.Command("sh", {
    args: ["-c", `while [ ! -e ../stop ]; do ${script}; done`],
    cwd: root.real,
  }).spawn();
  return {
    async [Symbol.asyncDispose]() {
      await Deno.writeTextFile(`${root.real}/../stop`, "");
      await shell.status;
    },
  };
}

/** What is done after the file was found, and what opening it then gives. */
const SWAPS: [name: string, swap: (base: string) => void, content: string | undefined][] = [
  ["nothing", () => {}, "inside"],
  ["a folder for a link that leaves the root", (base) => {
    Deno.renameSync(`${base}/root/in`, `${base}/root/was`);
    Deno.symlinkSync(`${base}/outside`, `${base}/root/in`);
  }, undefined],
  ["the file for a link that leaves the root", (base) => {
    Deno.removeSync(`${base}/root/in/a.txt`);
    Deno.symlinkSync(`${base}/outside/a.txt`, `${base}/root/in/a.txt`);
  }, undefined],
  ["the file for a folder", (base) => {
    Deno.removeSync(`${base}/root/in/a.txt`);
    Deno.mkdirSync(`${base}/root/in/a.txt`);
  }, undefined],
  ["the file for nothing", (base) => Deno.removeSync(`${base}/root/in/a.txt`), undefined],
  ["the file for its next version", (base) => {
    Deno.writeTextFileSync(`${base}/root/in/new`, "version 2");
    Deno.renameSync(`${base}/root/in/new`, `${base}/root/in/a.txt`);
  }, "version 2"],
];

/** Where the system tells of what is open, and where it does not. */
const DESCRIPTORS: [name: string, descriptor: typeof descriptorOf][] = [
  ["told by the system", descriptorOf],
  ["told by paths", () => undefined],
];

for (const [name, swap, content] of SWAPS) {
  for (const [told, descriptor] of DESCRIPTORS) {
    Deno.test({ ...POSIX, name: `swapped between looking and opening, ${told}: ${name}` }, async () => {
      await withRoot(async ({ real }, base) => {
        const root = new Root(real, undefined, descriptor);
        const path = root.path(["in", "a.txt"]);
        const found = root.find(path);
        swap(base);
        if (content === undefined) {
          assertEquals((await assertRejects(() => root.open(path, found), RequestError)).status, 404);
          return;
        }
        using file = (await root.open(path, found)).file;
        const buffer = new Uint8Array(100);
        assertEquals(new TextDecoder().decode(buffer.subarray(0, file.readSync(buffer)!)), content);
      });
    });
  }
}

Deno.test({
  name: "a link that is a folder whenever its real path is asked for leads to nothing",
  ignore: Deno.build.os !== "linux",
}, async () => {
  await withRoot(async (root, base) => {
    await Deno.rename(`${base}/root/in`, `${base}/folder`);
    await Deno.symlink(`${base}/outside`, `${base}/root/in`);
    const { realPathSync } = Deno;
    Deno.realPathSync = (path) => {
      Deno.renameSync(`${base}/root/in`, `${base}/link`);
      Deno.renameSync(`${base}/folder`, `${base}/root/in`);
      try {
        return realPathSync(path);
      } finally {
        Deno.renameSync(`${base}/root/in`, `${base}/folder`);
        Deno.renameSync(`${base}/link`, `${base}/root/in`);
      }
    };
    try {
      const handler = createFilesHandler({ root: root.real });
      for (let i = 0; i < 3; i++) {
        const response = await handler(new Request("http://127.0.0.1/in/a.txt"), PEER);
        await response.body?.cancel();
        assertEquals(response.status, 404);
      }
    } finally {
      Deno.realPathSync = realPathSync;
    }
  });
});

/** What is moved out of reach while a link leads to where it is now. */
const MOVES: [name: string, what: (base: string) => string][] = [
  ["a folder in it", (base) => `${base}/root/in`],
  ["the root", (base) => `${base}/root`],
];

for (const [name, what] of MOVES) {
  Deno.test(
    { ...POSIX, name: `nothing that was served before is served through a link, of ${name}` },
    async () => {
      await withRoot(async (root, base) => {
        await Deno.writeFile(`${base}/root/in/large.bin`, new Uint8Array(400_000));
        const handler = createFilesHandler({ root: root.real, clock: LATER });
        const statuses = async () => {
          const seen = [];
          for (const [file, range] of [["a.txt", ""], ["large.bin", ""], ["large.bin", "bytes=0-9"]]) {
            const headers: HeadersInit = range ? { range } : {};
            const response = await handler(new Request(`http://127.0.0.1/in/${file}`, { headers }), PEER);
            await response.body?.cancel();
            seen.push(response.status);
          }
          return seen;
        };
        for (let i = 0; i < 3; i++) assertEquals(await statuses(), [200, 200, 206]);
        await Deno.rename(what(base), `${base}/outside/moved`);
        await Deno.symlink(`${base}/outside/moved`, what(base));
        assertEquals(await statuses(), [404, 404, 404]);
      });
    },
  );
}

Deno.test({
  name: "an open file is found by the path that it has now, among whatever else is open",
  ignore: Deno.build.os !== "linux",
}, async () => {
  await withRoot(async (_root, base) => {
    const path = `${base}/root/in/a.txt`;
    const others = Array.from({ length: 100 }, () => Deno.openSync(`${base}/outside/a.txt`));
    const file = Deno.openSync(path), info = file.statSync();
    for (let i = 0; i < 2; i++) {
      const link = descriptorOf(info, (real) => real === path)!;
      assertEquals(Deno.readTextFileSync(link), "inside");
    }
    await Deno.rename(path, `${base}/outside/moved.txt`);
    assertEquals(descriptorOf(info, (real) => real === path), null);
    assert(descriptorOf(info, (real) => real === `${base}/outside/moved.txt`));
    await Deno.remove(`${base}/outside/moved.txt`);
    assert(descriptorOf(info, (real) => real === `${base}/outside/moved.txt (deleted)`));
    file.close();
    assertEquals(descriptorOf(info, () => true), null);
    for (const other of others) other.close();
  });
});

Deno.test({ ...POSIX, name: "swapped for a pipe: nobody else waits for its writer" }, async () => {
  await withRoot(async (root) => {
    const path = root.path(["in", "a.txt"]);
    const found = root.find(path);
    await Deno.remove(path);
    await new Deno.Command("mkfifo", { args: [path] }).output();
    const opened = root.open(path, found);
    const writer = new Deno.Command("sh", { args: ["-c", `: > "$0"`, path] }).spawn();
    assertEquals((await assertRejects(() => opened, RequestError)).status, 404);
    await writer.status;
  });
});

Deno.test(
  { ...POSIX, name: "a link that flips between inside and outside never leads outside" },
  async () => {
    await withRoot(async (root) => {
      await using _flipping = repeating(root, "ln -sfn ../outside l; ln -sfn in l");
      const handler = createFilesHandler({ root: root.real });
      const seen: Record<string, number> = {};
      for (const start = Date.now(); !(seen.inside && seen[404]) || Date.now() - start < 1000;) {
        const response = await handler(new Request("http://127.0.0.1/l/a.txt"), PEER);
        const what = response.status === 200 ? await response.text() : String(response.status);
        seen[what] = (seen[what] ?? 0) + 1;
        if (Date.now() - start > 20_000) break;
      }
      assertEquals(Object.keys(seen).sort(), ["404", "inside"]);
    });
  },
);

Deno.test(
  { ...POSIX, name: "a file that is cut while it is read is read anew" },
  async () => {
    await withRoot(async (root) => {
      const file = `${root.real}/f.bin`;
      await Deno.writeFile(file, new Uint8Array(600_000));
      const writing = new Worker(
        `data:text/javascript,self.onmessage = ({ data }) => {
        for (;;) { Deno.truncateSync(data, 0); Deno.truncateSync(data, 600000); }
      };`,
        { type: "module" },
      );
      writing.postMessage(file);
      const reported: unknown[] = [];
      const handler = createFilesHandler({ root: root.real, report: (error) => reported.push(error) });
      const seen = new Set<number>();
      for (const start = Date.now(); Date.now() - start < 1000;) {
        const request = new Request("http://127.0.0.1/f.bin", { headers: { range: "bytes=500000-599999" } });
        const response = await handler(request, PEER);
        await response.bytes();
        seen.add(response.status);
      }
      writing.terminate();
      assertEquals([reported, [...seen].filter((status) => ![206, 416, 503].includes(status))], [[], []]);
    });
  },
);

Deno.test(
  { ...POSIX, name: "a file that is replaced all the time is answered whole, in one version" },
  async () => {
    await withRoot(async (root) => {
      const file = `${root.real}/f.bin`;
      await Deno.writeFile(file, new Uint8Array(100_000).fill(1));
      await using _replacing = repeating(
        root,
        "for n in 1 2; do head -c 100000 /dev/zero | tr '\\0' \"\\\\$n\" >n; mv n f.bin; done",
      );
      const handler = createFilesHandler({ root: root.real });
      const versions = new Set<number>();
      for (const start = Date.now(); versions.size < 2 || Date.now() - start < 1000;) {
        const response = await handler(new Request("http://127.0.0.1/f.bin"), PEER);
        assertEquals(response.status, 200);
        const bytes = await response.bytes();
        assertEquals(bytes.length, 100_000);
        assert(bytes.every((byte) => byte === bytes[0]), "two versions are mixed");
        versions.add(bytes[0]);
        if (Date.now() - start > 20_000) break;
      }
      assertEquals([...versions].sort(), [1, 2]);
    });
  },
);
