/** The log: with WebSockets, and on standard output that nothing reads. */

import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { opened } from "../page/page.ts";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { type Certificate, certificate } from "../support/certificate.ts";
import { statusOf } from "../support/uploads.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { readUntil, UPGRADE } from "../support/notify_socket.ts";
import { urlHost } from "../../http/host.ts";
import { LOOPBACK } from "../../http/listener.ts";
import { temporary, until } from "../support/shell.ts";

const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));
/** More lines than a pipe holds. */
const REQUESTS = 3000;

/** How to reach a listener: its address, and its TLS certificate. */
interface Place {
  address: string;
  port: number;
  ca?: string;
}

/** Sends a request and reads the headers of its answer. */
async function headOf({ address, port, ca }: Place, request: string): Promise<string> {
  const plain = await Deno.connect({ hostname: address, port });
  using connection = ca ? await Deno.startTls(plain, { hostname: "localhost", caCerts: [ca] }) : plain;
  await connection.write(new TextEncoder().encode(request));
  return await readUntil(connection, (text) => text.includes("\r\n\r\n"));
}

/** Runs a control API with a log, plain and over TLS, logging to a file and to standard output. */
async function withLogs(use: (places: Place[]) => Promise<void>) {
  await temporary(async (folder) => {
    const made: Certificate = await certificate(folder);
    const ca = await Deno.readTextFile(made.cert);
    for (const tls of [undefined, made]) {
      for (const log of ["-", `${folder}/${tls ? "tls" : "plain"}.log`]) {
        const options = tls ? ["--cert", tls.cert, "--key", tls.key] : [];
        await using program = new Program([
          ...["--desktop", "virtual", "--http", "0", "--log", log],
          ...options,
        ]);
        const port = Number(new URL(await program.controlUrl()).port);
        const places = LOOPBACK.map((address) => ({ address, port, ca: tls && ca }));
        await use(places);
        const logged = async () => log === "-" ? program.stdout : await Deno.readTextFile(log);
        for (const { address } of places) {
          const line = `^\\S+Z control ${RegExp.escape(address)} GET /api/live 101 [\\d.]+ms$`;
          await until(logged, (text) => new RegExp(line, "m").test(text));
        }
        assertEquals(program.stderr, "", `${log} ${options}`);
      }
    }
  });
}

Deno.test(
  { name: "a WebSocket is opened and logged, and the next request served", ...need("openssl") },
  async () => {
    await withLogs(async (places) => {
      for (const place of places) {
        const handshake = `GET /api/live HTTP/1.1\r\nHost: localhost\r\n${UPGRADE}`;
        assertMatch(await headOf(place, handshake), /^HTTP\/1\.1 101 /);
        const position = "GET /api/position HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        assertMatch(await headOf(place, position), /^HTTP\/1\.1 200 /);
      }
    });
  },
);

Deno.test({ name: "the page is shown while requests are logged", ...BROWSER }, async () => {
  await withBrowser((browser) =>
    withLogs(async (places) => {
      for (const { address, port, ca } of places) {
        const url = `${ca ? "https" : "http"}://${urlHost(address)}:${port}`;
        const page = await opened(browser, `${url}/`);
        const read = `fetch("${url}/api/position").then((answer) => answer.status)`;
        assertEquals(await page.evaluate(read), 200, url);
        await page.close();
      }
    })
  );
});

Deno.test(
  { name: "the log explains that plain HTTP to a TLS port is not logged", ...need("openssl") },
  async () => {
    await temporary(async (folder) => {
      const { cert, key } = await certificate(folder), log = `${folder}/log`;
      await using program = new Program([
        ...["--desktop", "virtual", "--http", "0", "--files", folder, "--files-port", "0"],
        ...["--cert", cert, "--key", key, "--log", log],
      ]);
      const ports = [await program.controlUrl(), await program.filesUrl()].map((url) =>
        Number(new URL(url).port)
      );
      const read = async () => (await Deno.readTextFile(log)).trimEnd().split("\n");
      for (const port of ports) {
        using connection = await Deno.connect({ hostname: "127.0.0.1", port });
        await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        assertEquals((await readUntil(connection)).includes("HTTP/"), false);
        // The line may come after its connection ends, and after that of the next one.
        await until(read, (lines) => lines.some((line) => line.includes(` port ${port} `)));
      }
      const lines = await read();
      assertEquals(lines.length, 2);
      for (const [i, server] of ["control", "files"].entries()) {
        assertMatch(
          lines[i],
          new RegExp(`Z ${server} port ${ports[i]} speaks TLS: use https://; plain HTTP ends`),
        );
      }
    });
  },
);

Deno.test("requests are answered while nothing reads the log, and afterwards all its lines are in order", async () => {
  await temporary(async (state) => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", MAIN, "--desktop", "virtual", "--http", "0", "--log", "-"],
      env: { XDG_STATE_HOME: state },
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    try {
      let text = "";
      const readUntil = async (pattern: RegExp) => {
        for (let match = pattern.exec(text);; match = pattern.exec(text)) {
          if (match) return match;
          const { done, value } = await reader.read();
          if (done) throw new Error(`${pattern} did not come: ${text.slice(-1000)}`);
          text += value;
        }
      };
      const [, port] = await readUntil(/port (\d+)\n/);
      const url = `http://127.0.0.1:${port}/api/`;
      const answered = [];
      for (let i = 0; i < REQUESTS; i++) {
        answered.push(await statusOf(fetch(url + i, { signal: AbortSignal.timeout(60_000) })));
      }
      assertEquals(answered.every((status) => status === 404), true);
      await readUntil(new RegExp(`/api/${REQUESTS - 1} 404 .*\n`));
      const lines = text.split("\n").filter((line) => /Z control /.test(line));
      assertEquals(lines.length, REQUESTS);
      for (const [i, line] of lines.entries()) {
        assertMatch(line, new RegExp(`^\\S+Z control 127\\.0\\.0\\.1 GET /api/${i} 404 [\\d.]+ms$`));
      }
    } finally {
      child.kill("SIGKILL");
      await reader.cancel();
      await child.status;
    }
  });
});

Deno.test("a log in JSON on standard output has only objects; start messages go to standard error", async () => {
  const args = ["--desktop", "virtual", "--http", "0", "--files", "docs", "--files-port", "0"];
  await using program = new Program([...args, "--log", "-", "--log-format", "json"]);
  const urls = [`${await program.controlUrl()}/api/position`, `${await program.filesUrl()}/`];
  for (const [i, url] of urls.entries()) {
    await (await fetch(url)).body!.cancel();
    await until(() => program.stdout.split("\n").length === i + 2); // or the lines may come in another order
  }
  program.kill();
  const { stdout, stderr } = await program.ended();
  assertEquals(stdout.trim().split("\n").map((line) => JSON.parse(line).server), ["control", "files"]);
  assertMatch(stderr, /^HTTP server started on port \d+\n[^]*^File server started on port \d+\n/m);
});
