/** Input events as they happen. */

import { assertEquals, assertMatch } from "@std/assert";
import { certificate } from "../support/certificate.ts";
import { need } from "../support/need.ts";
import { rawStatus, readUntil } from "../support/notify_socket.ts";
import { Program } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";
import { call } from "./recording.ts";

Deno.test({ name: "curl -N follows events as they happen", ...need("curl") }, async () => {
  await using program = new Program(["--desktop", "virtual", "--http", "0"]);
  const url = await program.controlUrl();
  const child = new Deno.Command("curl", { args: ["-sN", `${url}/api/events`], stdout: "piped" }).spawn();
  let text = "";
  const reading = (async () => {
    for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) text += part;
  })();
  await until(() => text, (got) => got.includes(": listening"));
  await call(url, "POST", "click", { x: 3, y: 4, button: "left" });
  await until(() => text, (got) => got.split("event: button").length === 3);
  assertMatch(text, /event: move\ndata: \{"at":[\d.]+,"injected":true,"type":"move","x":3,"y":4\}\n\n/);
  child.kill();
  await child.status;
  await reading;
  // Events queued for a stalled reader are bounded, and other readers still receive theirs.
  const slow = await fetch(`${url}/api/events`);
  for (let i = 0; i < 3000; i++) await call(url, "POST", "move", { x: i % 1000, y: i % 700 });
  assertEquals((await call(url, "GET", "position")).status, 200);
  await slow.body?.cancel();
});

// HTTP/2 without TLS, with prior knowledge (RFC 9113 section 3.3), and HTTP/1 without Host, which handlers
// cannot tell apart.

const OPTIONS = ["--desktop", "virtual", "--http", "0", "--files-port", "0"];

/** The answer to curl over HTTP/2: `<version> <status> <content>`. */
async function ask(...args: string[]): Promise<string> {
  const { stdout } = await new Deno.Command("curl", {
    args: ["-sgk", "-m", "180", "--http2-prior-knowledge", "-w", "\\n%{http_version} %{http_code}", ...args],
  }).output();
  const [, content, end] = /^([^]*)\n(.*)$/.exec(new TextDecoder().decode(stdout))!;
  return `${end} ${content}`;
}

Deno.test({
  name: "HTTP/2 with prior knowledge is served without TLS, by the rules of HTTP/1",
  ...need("curl"),
}, async () => {
  await temporary(async (root) => {
    await Deno.writeTextFile(`${root}/a.txt`, "hello");
    await Deno.writeFile(`${root}/large.bin`, new Uint8Array(3_000_000).fill(0x61));
    await using program = new Program([...OPTIONS, "--files", root]);
    const control = Number(new URL(await program.controlUrl()).port);
    const files = Number(new URL(await program.filesUrl()).port);
    for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
      const api = `http://${host}:${control}/api`, served = `http://${host}:${files}`;
      assertEquals(await ask("-d", '{"x":3,"y":4}', `${api}/move`), '2 200 {"ok":true}\n', host);
      assertEquals(await ask(`${api}/position`), '2 200 {"x":3,"y":4}\n', host);
      assertEquals(await ask("-o", "/dev/null", `${api}/screenshot`), "2 200 ", host);
      assertEquals(await ask(`${served}/a.txt`), "2 200 hello", host);
      assertEquals(await ask("-r", "1-2", `${served}/a.txt`), "2 206 el", host);
      assertEquals((await ask(`${served}/large.bin`)).length, "2 200 ".length + 3_000_000, host);
    }
    const url = `http://localhost:${control}/api/position`;
    assertEquals((await ask("-H", "Host: evil.example", url)).slice(0, 5), "2 403");
    assertEquals((await ask("-H", "Host: 127.1", url)).slice(0, 5), "2 400");
    assertEquals((await ask("-H", "Origin: http://evil.example", url)).slice(0, 5), "2 401");
    assertEquals((await ask("-H", "Via: 1.1 proxy", url)).slice(0, 5), "2 401");
    assertEquals(program.stderr, "");
  });
});

Deno.test(
  { name: "HTTP/1.1 without Host is refused with 400, also over TLS", ...need("openssl") },
  async () => {
    await temporary(async (folder) => {
      const { cert, key } = await certificate(folder), ca = await Deno.readTextFile(cert);
      for (const tls of [false, true]) {
        await using program = new Program([
          ...OPTIONS,
          ...["--files", folder],
          ...(tls ? ["--cert", cert, "--key", key] : []),
        ]);
        for (
          const [url, target] of [[await program.controlUrl(), "/api/position"], [
            await program.filesUrl(),
            "/",
          ]]
        ) {
          for (const headers of ["", "Connection: close\r\n", "Accept: */*\r\n"]) {
            const plain = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(url).port) });
            using connection = tls
              ? await Deno.startTls(plain, { hostname: "localhost", caCerts: [ca] })
              : plain;
            await connection.write(new TextEncoder().encode(`GET ${target} HTTP/1.1\r\n${headers}\r\n`));
            const answer = await readUntil(connection, (text) => text.includes("\r\n\r\n"));
            assertEquals(rawStatus(answer), 400, `${target} ${headers} ${tls}`);
          }
        }
      }
    });
  },
);
