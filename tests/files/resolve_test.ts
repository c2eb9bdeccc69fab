/** Files and folders that are swapped while they are served. */

import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { FileChangedError } from "../../core/errors.ts";
import { createFilesGuard, exposureNotice } from "../../files/guard.ts";
import { createFilesHandler } from "../../files/handler.ts";
import { isSpecialOnWindows, pathNames, Root } from "../../files/resolve.ts";
import { OwnHosts } from "../../http/listener.ts";
import { RequestError } from "../../http/request.ts";
import { AttemptLimiter } from "../../http/secret.ts";
import { PEER } from "../support/control.ts";
import { temporary, until } from "../support/shell.ts";
import { LATER, statusOf } from "../support/uploads.ts";

const POSIX = { ignore: Deno.build.os === "windows" };

async function withRoot(use: (root: Root, base: string) => void | Promise<void>) {
  await temporary(async (base) => {
    await Deno.mkdir(`${base}/root/in`, { recursive: true });
    await Deno.mkdir(`${base}/outside`);
    await Deno.writeTextFile(`${base}/root/in/a.txt`, "inside");
    await Deno.writeTextFile(`${base}/outside/a.txt`, "outside");

    await use(new Root(`${base}/root`), base);
  });
}

/** Repeats an action in the root. `await using` ends the repetition after a whole round. */
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

/** Changes after the file was resolved, and the resulting error of opening it. */
type Swap = [
  name: string,
  swap: (base: string) => void,
  error?: typeof FileChangedError | typeof RequestError,
];
const SWAPS: Swap[] = [
  ["nothing", () => {}],
  ["a folder for a link that leaves the root", (base) => {
    Deno.renameSync(`${base}/root/in`, `${base}/root/was`);
    Deno.symlinkSync(`${base}/outside`, `${base}/root/in`);
  }, FileChangedError],
  ["the file for a link that leaves the root", (base) => {
    Deno.removeSync(`${base}/root/in/a.txt`);
    Deno.symlinkSync(`${base}/outside/a.txt`, `${base}/root/in/a.txt`);
  }, FileChangedError],
  ["the file for a folder", (base) => {
    Deno.removeSync(`${base}/root/in/a.txt`);
    Deno.mkdirSync(`${base}/root/in/a.txt`);
  }, FileChangedError],
  ["the file for nothing", (base) => Deno.removeSync(`${base}/root/in/a.txt`), RequestError],
  ["the file for a pipe that nothing writes to", (base) => {
    Deno.removeSync(`${base}/root/in/a.txt`);
    new Deno.Command("mkfifo", { args: [`${base}/root/in/a.txt`] }).outputSync();
  }, FileChangedError],
  ["the file for its next version", (base) => {
    Deno.writeTextFileSync(`${base}/root/in/new`, "version 2");
    Deno.renameSync(`${base}/root/in/new`, `${base}/root/in/a.txt`);
  }, FileChangedError],
];

for (const [name, swap, error] of SWAPS) {
  Deno.test({ ...POSIX, name: `swapped between resolving and opening: ${name}` }, async () => {
    await withRoot(async (root, base) => {
      const resolved = root.resolve(root.path(["in", "a.txt"]));
      swap(base);
      if (error) {
        await assertRejects(() => root.open(resolved), error);
        return;
      }
      using file = (await root.open(resolved)).file;
      const buffer = new Uint8Array(100);
      assertEquals(new TextDecoder().decode(buffer.subarray(0, file.readSync(buffer, 0))), "inside");
    });
  });
}

/** A folder that is moved out of reach while a link leads to its new path. */
const MOVES: [name: string, what: (base: string) => string][] = [
  ["a folder in it", (base) => `${base}/root/in`],
  ["the root", (base) => `${base}/root`],
];

for (const [name, what] of MOVES) {
  Deno.test(
    { ...POSIX, name: `nothing served before is served through a link, after moving ${name}` },
    async () => {
      await withRoot(async (root, base) => {
        await Deno.writeFile(`${base}/root/in/large.bin`, new Uint8Array(400_000));
        const handler = createFilesHandler({ root: root.real, clock: LATER });
        const statuses = async () => {
          const seen = [];
          for (const [file, range] of [["a.txt", ""], ["large.bin", ""], ["large.bin", "bytes=0-9"]]) {
            const headers: HeadersInit = range ? { range } : {};
            const request = new Request(`http://127.0.0.1/in/${file}`, { headers });
            seen.push(await statusOf(handler(request, PEER)));
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
  { ...POSIX, name: "a file that is truncated while it is read is answered with 206, 416 or 503" },
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
  {
    ...POSIX,
    name: "a file that is constantly replaced is answered whole and in one version, or with 503",
  },
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
        const bytes = await response.bytes();
        if (response.status === 503) continue;
        assertEquals(response.status, 200);
        assertEquals(bytes.length, 100_000);
        assert(bytes.every((byte) => byte === bytes[0]), "two versions are mixed");
        versions.add(bytes[0]);
        if (Date.now() - start > 20_000) break;
      }
      assertEquals([...versions].sort(), [1, 2]);
    });
  },
);

// Request paths, and names with another meaning on Windows.

const PATHS: [path: string, names: string[] | number][] = [
  ["/", [""]],
  ["/a", ["a"]],
  ["/a/", ["a", ""]],
  ["/a/b%20c", ["a", "b c"]],
  ["/%E6%BC%A2", ["漢"]],
  ["/%252e%252e/x", ["%2e%2e", "x"]],
  ["/...", ["..."]],
  ["/..", [""]],
  ["/../x", ["x"]],
  ["/%2e%2e/x", ["x"]],
  ["/a/b/../../../x/.", ["x", ""]],
  ["/a/./b", ["a", "b"]],
  ["/a%2fb", 400],
  ["/a%5cb", ["a\\b"]],
  ["/a%00", 400],
  ["/%", 400],
  ["/%zz", 400],
  ["/%ff", 400],
  ["/%c0%ae%c0%ae/", 400],
  ["*", 400],
  ["", 400],
  ["//a", ["a"]],
  ["/a//b", ["a", "b"]],
];

Deno.test("paths are decoded once and never lead up", () => {
  for (const [path, expected] of PATHS) {
    if (typeof expected === "number") {
      assertEquals(assertThrows(() => pathNames(path, false), RequestError).status, expected, path);
    } else assertEquals(pathNames(path, false), expected, path);
  }
  for (const path of ["/a%5cb", "/a\\b"]) {
    assertEquals(assertThrows(() => pathNames(path, true), RequestError).status, 400, path);
  }
});

const SPECIAL = "CON con nul.txt COM1 lpt9.log COM¹ CONIN$ a.txt::$DATA C: a. x.txt. PROGRA~1 a?b a* a|b"
  .split(" ");

Deno.test("names with another meaning on Windows are not found there, and are found elsewhere", () => {
  for (const name of [...SPECIAL, "a ", "aux .txt"]) {
    assertEquals(isSpecialOnWindows(name), true, name);
    const path = "/" + encodeURIComponent(name);
    assertEquals(assertThrows(() => pathNames(path, true), RequestError).status, 404, name);
    assertEquals(pathNames(path, false), [name]);
  }
  for (const name of ["console", "a.con", "com10", "comx", "a~b", "normal.txt", ".hidden", "nulls.txt"]) {
    assertEquals(isSpecialOnWindows(name), false, name);
  }
});

// Folders that contain more than their owner may want to share.

Deno.test("a home folder, and a folder with .ssh, .gnupg, .env or .git, causes a warning", async () => {
  await temporary(async (root) => {
    for (const path of ["home/me", "plain", "work/.git", "work/.ssh"]) {
      await Deno.mkdir(join(root, path), { recursive: true });
    }
    await Deno.writeTextFile(join(root, "plain", "env"), "");
    await Deno.writeTextFile(join(root, "home", ".env"), "");
    await Deno.mkdir(join(root, "home/you/.gnupg"), { recursive: true });
    const home = join(root, "home/me");
    const cases: [folder: string, home: string | undefined, held: string | undefined][] = [
      ["plain", home, undefined],
      ["home/me", home, "the home folder"],
      ["home/me", undefined, undefined],
      ["home/me", join(root, "missing"), undefined],
      ["home", home, "the home folder, .env"],
      ["home/you", home, ".gnupg"],
      ["work", home, ".ssh, .git"],
    ];
    for (const [folder, home, held] of cases) {
      const notice = exposureNotice(join(root, folder), home);
      assertEquals(/contains (.*): dot files .* --no-hidden/.exec(notice ?? "")?.[1], held, folder);
    }
  });
});

// The file server's guard, without a socket: host names, and how many passwords may be tried.

const RIGHT = "me:secret";

Deno.test("after ten wrong passwords a network is refused with 429 for a minute, even with the right one", () => {
  let now = 0;
  const limiter = new AttemptLimiter(() => now);
  const guard = createFilesGuard({ passwords: [RIGHT], hosts: new Set(), tls: false, cors: false, limiter });
  const ask = (hostname: string, credentials?: string) => {
    const headers = new Headers({ host: "localhost" });
    if (credentials !== undefined) headers.set("authorization", `Basic ${btoa(credentials)}`);
    const peer = { ...PEER, remoteAddr: { ...PEER.remoteAddr, hostname } };
    return guard(new Request("http://localhost/", { headers }), peer);
  };
  const guesser = "2001:db8::1", neighbour = "2001:db8::2", owner = "2001:db8:0:1::1";
  for (let i = 0; i < 9; i++) assertEquals(ask(guesser, `me:${i}`)?.status, 401);
  assertEquals(ask(guesser, RIGHT), undefined); // the right one is not among the ten
  now = 20_000;
  const wrong = "The user name or password is not the one needed here.", last = ask(neighbour, "me:9");
  assertEquals([last?.status, last?.message], [401, wrong]);
  assertEquals(ask(neighbour)?.message, "A user name and password are needed.");
  for (const from of [guesser, neighbour]) {
    const refused = ask(from, RIGHT);
    assertEquals([refused?.status, refused?.headers?.["retry-after"]], [429, "40"], from);
  }
  assertEquals(ask(guesser)?.status, 401); // a request without a password is still asked for one
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

Deno.test("an address that the machine gets later is answered; a foreign name is not", async () => {
  const known = ["10.0.0.1"], hosts = new OwnHosts(() => known);
  const limiter = new AttemptLimiter(), guard = createFilesGuard({ hosts, tls: false, cors: false, limiter });
  const status = (host: string) => guard(new Request(`http://${host}/`, { headers: { host } }), PEER)?.status;
  assertEquals([status("10.0.0.1"), status("10.0.0.2"), status("evil.example")], [undefined, 403, 403]);
  known.push("10.0.0.2");
  await until(() => status("10.0.0.2") === undefined);
  assertEquals(status("evil.example"), 403);
});
