/** The file server from outside: start message, curl, wget, raw bytes, passwords, large folders and files. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { urlsOf } from "../../http/listener.ts";
import { certificate } from "../support/certificate.ts";
import { need, needTime } from "../support/need.ts";
import { Program, run } from "../support/program.ts";
import { rawStatus, sendRaw } from "../support/notify_socket.ts";
import { temporary, until } from "../support/shell.ts";
import { statusOf } from "../support/uploads.ts";

async function serving(args: string[], use: (root: string, url: string, program: Program) => Promise<void>) {
  await temporary(async (root) => {
    await using program = new Program(["--files", root, "--files-port", "0", ...args], {
      env: { DISPLAY: "" },
    });
    await use(root, await program.filesUrl(), program);
  });
}

async function output(command: string, ...args: string[]): Promise<string> {
  const { stdout } = await new Deno.Command(command, { args }).output();
  return new TextDecoder().decode(stdout);
}

Deno.test("files are served without a desktop, and a missing folder is refused", async () => {
  await serving([], async (root, url, program) => {
    await Deno.writeTextFile(`${root}/a.txt`, "hello");
    await program.printed(new RegExp(`^  ${url}/$`, "m"));
    assertMatch(
      program.stdout,
      new RegExp(`^File server started on port ${new URL(url).port}\n  ${await Deno.realPath(root)}\n`),
    );
    assertEquals(await (await fetch(`${url}/a.txt`)).text(), "hello");
    await program.endInput();
    assertEquals(await (await fetch(`${url}/a.txt`)).text(), "hello");
  });
  const { code, stderr } = await run(["--files", "/nowhere"], "", { env: { DISPLAY: "" } });
  assertEquals([code, stderr], [2, "deskhand: --files /nowhere: folder not found\n"]);
});

Deno.test("every printed address answers", async () => {
  for (const host of ["0.0.0.0", "::", "127.0.0.1", "::1"]) {
    await serving(["--host", host], async (_root, url, program) => {
      const port = Number(new URL(url).port);
      for (const address of urlsOf({ scheme: "http", addresses: [host], port, close: async () => {} })) {
        await program.printed(new RegExp(`^  ${RegExp.escape(address)}/$`, "m"));
        assertEquals(await statusOf(fetch(`${address}/`)), 200, `${host}: ${address}`);
      }
    });
  }
});

Deno.test(
  { name: "the control API and the file server run together, each on its port", ...need("curl") },
  async () => {
    await serving(["--http", "0", "--desktop", "virtual"], async (root, url, program) => {
      await Deno.writeTextFile(`${root}/a.txt`, "hello");
      assertEquals(
        await output("curl", "-s", `${await program.controlUrl()}/api/position`),
        '{"x":640,"y":360}\n',
      );
      assertEquals(await output("curl", "-s", `${url}/a.txt`), "hello");
      assertMatch(
        await output("curl", "-sI", `${url}/a.txt`),
        /^HTTP\/1\.1 200 OK\r\n[^]*content-length: 5\r\n/i,
      );
    });
  },
);

Deno.test(
  { name: "curl -C - and wget -c resume, and curl reads several ranges", ...need("curl", "wget") },
  async () => {
    await serving([], async (root, url) => {
      const content = Uint8Array.from({ length: 3_000_000 }, (_, i) => i * 31 & 255);
      await Deno.writeFile(`${root}/big.bin`, content);
      const target = await Deno.makeTempFile();
      for (const resume of [["curl", "-s", "-C", "-", "-o", target], ["wget", "-q", "-c", "-O", target]]) {
        await Deno.writeFile(target, content.subarray(0, 1_000_001));
        await output(resume[0], ...resume.slice(1), `${url}/big.bin`);
        assertEquals((await Deno.readFile(target)).every((byte, i) => byte === content[i]), true, resume[0]);
        assertEquals((await Deno.stat(target)).size, content.length);
      }
      await Deno.remove(target);
      assertMatch(
        await output("curl", "-si", "-r", "0-0,5-6", `${url}/big.bin`),
        /^HTTP\/1\.1 206[^]*multipart\/byteranges/,
      );
    });
  },
);

Deno.test("malformed targets and unknown hosts are refused", async () => {
  await serving(["--allow-host", "files.lan"], async (root, url) => {
    await Deno.writeTextFile(`${root}/a.txt`, "hello");
    await Deno.mkdir(`${root}/d`);
    const { host } = new URL(url);
    const get = (target: string, name = host) =>
      `GET ${target} HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`;
    const cases: [request: string, status: number][] = [
      [get("/a.txt"), 200],
      [get("/a.txt", "files.lan"), 200],
      [get("/a.txt", "evil.example"), 403],
      [get("/a.txt", "[::1]"), 200],
      [get("/a.txt", "[::ffff:127.0.0.1]"), 403],
      [get("/a.txt", "a b"), 400],
      [get("/../../../etc/passwd"), 404],
      [get("/%2e%2e/%2e%2e/etc/passwd"), 404],
      [get("//etc/passwd"), 404],
      [get(`http://${host}/a.txt`), 200],
      [get("http://evil.example/a.txt"), 400],
      [get(`http://${host}/a.txt`, "files.lan"), 400],
      [get(`http://${host}?/nothing`), 200],
      [get("/a.txt%00"), 400],
      [get(`/${"%61".repeat(5000)}`), 404],
      [get(`/${"a".repeat(20_000)}`), 414],
      [get(`/a.txt?${"a".repeat(20_000)}`), 414],
      [get("/d?\u4e2d"), 301],
      [get("/d?\u0085"), 301],
      [`POST /a.txt HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`, 405],
    ];
    for (const [request, status] of cases) {
      assertEquals(rawStatus(await sendRaw(url, request)), status, request);
    }
  });
});

Deno.test("a wrong password is refused with 401, and after ten of them with 429", async () => {
  await serving(["--files-auth", "me:pass:wörd"], async (root, url) => {
    await Deno.writeTextFile(`${root}/a.txt`, "hello");
    const status = async (credentials?: string) => {
      const bytes = new TextEncoder().encode(credentials);
      const authorization = `Basic ${btoa(String.fromCharCode(...bytes))}`;
      return await statusOf(fetch(`${url}/a.txt`, {
        headers: credentials === undefined ? {} : { authorization },
      }));
    };
    assertEquals([await status(), await status("me:wrong"), await status("me:pass:wörd")], [401, 401, 200]);
    assertMatch((await fetch(url)).headers.get("www-authenticate")!, /^Basic realm=/);
    for (let i = 0; i < 9; i++) await status("me:wrong");
    assertEquals([await status("me:wrong"), await status("me:pass:wörd"), await status()], [429, 429, 401]);
  });
  assertEquals(
    (await run(["--files", ".", "--files-port", "0", "--files-auth", "nopassword"], "", {
      env: { DISPLAY: "" },
    })).code,
    2,
  );
});

Deno.test(
  "a folder of 30,000 files is listed while others are served",
  needTime("makes 30,000 files"),
  async () => {
    await serving([], async (root, url) => {
      for (let i = 0; i < 30_000; i++) {
        Deno.openSync(`${root}/file ${i}`, { create: true, write: true }).close();
      }
      const listing = fetch(`${url}/`).then((response) => response.text());
      let served = 0;
      let done = false;
      listing.then(() => done = true);
      while (!done) {
        assertEquals((await fetch(`${url}/file%205`)).status, 200);
        served++;
      }
      assert(served > 3, `${served} others were served during the download`);
      assertEquals((await listing).split("<tr ").length > 30_000, true);
    });
  },
);

Deno.test(
  { ...need("curl", "openssl"), name: "large downloads are whole: parallel, slow, over TLS, over HTTP/2" },
  async () => {
    // More than the buffers on the way hold, about 10 MB.
    const content = new Uint8Array(20_000_000);
    for (let at = 0; at < content.length; at += 65536) {
      crypto.getRandomValues(content.subarray(at, Math.min(at + 65536, content.length)));
    }
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content)).toHex();
    const range = new Uint8Array(await crypto.subtle.digest("SHA-256", content.subarray(3, 15_000_001)))
      .toHex();
    await temporary(async (folder) => {
      const { cert, key } = await certificate(folder);
      const files = ["--cert", cert, "--key", key];
      const sum = (args: string, wait = 0) =>
        output("sh", "-c", `curl -sfk ${args} | (sleep ${wait}; sha256sum) | cut -c1-64`);
      for (const options of [[], files]) {
        await serving(options, async (root, url) => {
          await Deno.writeFile(`${root}/f.bin`, content);
          const address = `${options.length ? url.replace("http:", "https:") : url}/f.bin`;
          const ways = options.length ? ["--http2", "--http1.1"] : ["--http1.1"];
          for (const way of ways) {
            const sums = await Promise.all([
              sum(`${way} ${address}`),
              sum(`${way} ${address}`, 1), // all buffers on the way fill up
              sum(`${way} --limit-rate 15M ${address}`),
              sum(`${way} -r 3-15000000 ${address}`),
            ]);
            assertEquals(
              sums.map((line) => line.trim()),
              [digest, digest, digest, range],
              `${options} ${way}`,
            );
          }
        });
      }
    });
  },
);

Deno.test({ ...need("curl", "truncate"), name: "a range past 4 GiB is answered" }, async () => {
  await serving([], async (root, url) => {
    await output("truncate", "-s", "5G", `${root}/sparse`);
    using file = await Deno.open(`${root}/sparse`, { write: true });
    await file.seek(4_500_000_000, Deno.SeekMode.Start);
    await file.write(new TextEncoder().encode("far away"));
    assertEquals(await output("curl", "-s", "-r", "4500000000-4500000007", `${url}/sparse`), "far away");
    assertMatch(await output("curl", "-sI", `${url}/sparse`), /content-length: 5368709120/i);
  });
});

Deno.test(
  { name: "a file that changes while it is sent aborts the answer, and the log says why", ...need("curl") },
  async () => {
    await temporary(async (root) => {
      const file = `${root}/big.bin`, got = `${root}/got`;

      await Deno.writeFile(file, new Uint8Array(0));
      await Deno.truncate(file, 4e9); // more than all buffers on the way hold, at curl's reading rate
      await using program = new Program(["--files", root, "--files-port", "0"], { env: { DISPLAY: "" } });
      const url = await program.filesUrl();
      const download = new Deno.Command("curl", {
        args: ["-s", "-N", "--limit-rate", "2M", "-o", got, `${url}/big.bin`],
      }).spawn();
      await until(() => Deno.stat(got).then(({ size }) => size > 0, () => false));
      await Deno.truncate(file, 10);
      assertEquals((await download.status).code, 18); // curl: "partial file"
      // Either may be noticed first.
      await program.printed(
        /^an answer was broken off: the file (?:was truncated|changed) while it was being read$/m,
      );
      assertEquals(program.stderr.includes("internal error"), false);
      assertEquals((await (await fetch(`${url}/big.bin`)).bytes()).length, 10);
    });
  },
);
