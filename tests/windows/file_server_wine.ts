/** The file server on Windows: names with a special meaning are refused, others are served. */

import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { Program, run } from "../support/program.ts";
import { rawStatus, sendRaw } from "../support/notify_socket.ts";
import { statusOf } from "../support/uploads.ts";
import { temporary } from "../support/shell.ts";

Deno.test("files, ranges, validators and listings over HTTP", async () => {
  await temporary(async (base) => {
    const root = join(base, "root");
    await Deno.mkdir(join(root, "sub"), { recursive: true });
    await Deno.writeTextFile(join(base, "secret.txt"), "secret");
    await Deno.writeTextFile(join(root, "a.txt"), "hello, windows");
    await Deno.writeTextFile(join(root, "ü 漢.txt"), "unicode");
    await Deno.writeFile(join(root, "big.bin"), new Uint8Array(3_000_000).fill(7));

    await using program = new Program(["--files", root, "--files-port", "0"]);
    const url = await program.filesUrl();
    const whole = await fetch(`${url}/a.txt`);
    const etag = whole.headers.get("etag")!;
    assertEquals(await whole.text(), "hello, windows");
    const part = await fetch(`${url}/a.txt`, { headers: { range: "bytes=7-13" } });
    assertEquals([part.status, part.headers.get("content-range"), await part.text()], [
      206,
      "bytes 7-13/14",
      "windows",
    ]);
    const cached = await fetch(`${url}/a.txt`, { headers: { "if-none-match": etag } });
    assertEquals([cached.status, await cached.text()], [304, ""]);
    assertEquals(await (await fetch(`${url}/%C3%BC%20%E6%BC%A2.txt`)).text(), "unicode");
    assertEquals((await (await fetch(`${url}/big.bin`)).bytes()).length, 3_000_000);
    assertMatch(await (await fetch(`${url}/`)).text(), /<h1>Directory listing: \/<\/h1>/);
    const { entries } = await (await fetch(`${url}/?format=json`)).json();
    assertEquals(entries.map(({ name }: { name: string }) => name), ["sub", "a.txt", "big.bin", "ü 漢.txt"]);
    await Deno.writeTextFile(join(root, "a.txt"), "changed");
    assertEquals(await (await fetch(`${url}/a.txt`)).text(), "changed");

    const { host } = new URL(url);
    const cases: [path: string, status: number][] = [
      ["/a.txt", 200],
      ["/A.TXT", 200], // Windows' names are case-insensitive
      ["/sub", 301],
      ["/CON", 404],
      ["/con.txt", 404],
      ["/sub/NUL", 404],
      ["/COM1", 404],
      ["/a.txt::$DATA", 404],
      ["/a.txt:stream", 404],
      ["/a.txt.", 404],
      ["/a.txt%20", 404],
      ["/A~1.TXT", 404],
      ["/C:", 404],
      ["/C:/windows/win.ini", 404],
      ["/C%3A/windows/win.ini", 404],
      ["/..\\secret.txt", 400],
      ["/..%5csecret.txt", 400],
      ["/sub\\..\\..\\secret.txt", 400],
      ["/..%2fsecret.txt", 400],
      ["/../secret.txt", 404],
      ["/%5c%5chost%5cshare", 400],
    ];
    for (const [path, status] of cases) {
      const answer = await sendRaw(url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      assertEquals(rawStatus(answer), status, path);
    }
    const missing = await run(["--files", join(base, "gone")]);
    assertEquals(missing.code, 2);
  });
});

Deno.test("MOVE changes the case of a folder's name, and removes nothing", async () => {
  await temporary(async (root) => {
    await Deno.mkdir(join(root, "photos"));
    await Deno.writeTextFile(join(root, "photos", "a.txt"), "kept");
    const rights = ["--dav", "--allow-upload", "--allow-delete", "--no-trash"];
    await using program = new Program(["--files", root, "--files-port", "0", ...rights]);
    const url = await program.filesUrl();
    const headers = { destination: `${url}/Photos`, overwrite: "F" }; // as Explorer sends it
    assertEquals(await statusOf(fetch(`${url}/photos`, { method: "MOVE", headers })), 201);
    // Wine (8.0) keeps the case.
    assertEquals(Array.from(Deno.readDirSync(root), ({ name }) => name.toLowerCase()), ["photos"]);
    assertEquals(await (await fetch(`${url}/Photos/a.txt`)).text(), "kept");
  });
});

Deno.test("a locked file is a 503 with Retry-After, and is not logged as an error", async () => {
  await temporary(async (root) => {
    await Deno.writeTextFile(join(root, "a.txt"), "hello");
    const library = Deno.dlopen("kernel32.dll", {
      CreateFileW: {
        parameters: ["buffer", "u32", "u32", "pointer", "u32", "u32", "pointer"],
        result: "usize",
      },
      CloseHandle: { parameters: ["usize"], result: "i32" },
    });
    const GENERIC_READ = 0x80000000, SHARE_NOTHING = 0, OPEN_EXISTING = 3;
    const name = Uint16Array.from(join(root, "a.txt") + "\0", (unit) => unit.charCodeAt(0));
    try {
      await using program = new Program(["--files", root, "--files-port", "0"]);
      const url = await program.filesUrl();
      const ask = async () => {
        const answer = await fetch(`${url}/a.txt`);
        return [
          answer.status,
          answer.headers.get("retry-after"),
          /hello|uses/.exec(await answer.text())?.[0],
        ];
      };
      const locked = library.symbols.CreateFileW(
        name,
        GENERIC_READ,
        SHARE_NOTHING,
        null,
        OPEN_EXISTING,
        0,
        null,
      );
      assertEquals(await ask(), [503, "1", "uses"]);
      const { entries } = await (await fetch(`${url}/?format=json`)).json();
      assertEquals(entries.map(({ name }: { name: string }) => name), ["a.txt"]);
      library.symbols.CloseHandle(locked);
      assertEquals(await ask(), [200, null, "hello"]);
      assertEquals(program.stderr, "");
    } finally {
      library.close();
    }
  });
});

Deno.test("hides secrets in the served folder, even under hard links and other spellings", async () => {
  await temporary(async (root) => {
    const state = join(root, "state", "deskhand");
    await Deno.mkdir(state, { recursive: true });
    await Deno.writeTextFile(join(state, "token"), "a-secret-of-enough-letters");
    await Deno.writeTextFile(join(root, "secret"), "a-secret-of-enough-letters");
    await Deno.writeTextFile(join(root, "a.txt"), "hello");
    await Deno.link(join(state, "token"), join(root, "hard-token"));
    await Deno.link(join(root, "secret"), join(root, "hard-secret"));

    const args = ["--files", root, "--files-port", "0", "--http", "0", "--token-file", join(root, "secret")];
    await using program = new Program([...args, "--desktop", "virtual", "--log", join(root, "a.log")], {
      env: { LOCALAPPDATA: join(root, "state") },
    });
    const url = await program.filesUrl();
    const status = async (path: string) => {
      return await statusOf(fetch(`${url}${path}`));
    };
    const secret = ["/secret", "/SECRET", "/a.log", "/A.LOG", "/hard-token", "/hard-secret"];
    for (const path of [...secret, "/state/deskhand/", "/state/deskhand/token", "/State/Deskhand/Token"]) {
      assertEquals(await status(path), 404, path);
    }
    assertEquals(await status("/a.txt"), 200);
    const { entries } = await (await fetch(`${url}/?format=json`)).json();
    assertEquals(entries.map(({ name }: { name: string }) => name), ["state", "a.txt"]);
  });
});
