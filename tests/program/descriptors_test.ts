/** A process that reaches its limit of open files and connections: it serves again when some are free. */

import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { Program } from "../support/program.ts";
import { rawStatus } from "../support/notify_socket.ts";
import { temporary, until } from "../support/shell.ts";

const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));
const LIMIT = 150;
const LINUX = { ignore: Deno.build.os !== "linux" };

/** A program with this limit of open files, regardless of the machine's limit. */
function limited(...args: string[]): Program {
  const command = `ulimit -n ${LIMIT}; exec "$0" "$@"`;
  return new Program(["-c", command, Deno.execPath(), "run", "-A", MAIN, ...args], { executable: "sh" });
}

/** Sends a request and returns the status without reading the body. */
async function ask(connection: Deno.TcpConn, what: string): Promise<number> {
  await connection.write(new TextEncoder().encode(`${what} HTTP/1.1\r\nHost: localhost\r\n\r\n`));
  const buffer = new Uint8Array(1024);
  const read = await connection.read(buffer);
  return rawStatus(new TextDecoder().decode(buffer.subarray(0, read ?? 0)));
}

Deno.test({ name: "a server that ran out of file descriptors accepts again", ...LINUX }, async () => {
  await using server = limited("--desktop", "virtual", "--http", "0");
  const url = await server.controlUrl(), port = Number(new URL(url).port);
  const connections: Deno.TcpConn[] = [];
  while (connections.length < LIMIT && !server.stderr) {
    const connection = await Deno.connect({ port }).catch(() => undefined);
    if (connection) connections.push(connection);
    else break;
  }
  await server.printed(/^HTTP server: no connection can be taken for now: .*Too many open files/m);
  for (const connection of connections) connection.close();
  await until(() => fetch(`${url}/api/position`).then((answer) => answer.json(), () => undefined));
  server.kill();
  const { stderr } = await server.ended();
  assertEquals(/internal error/.test(stderr), false, stderr);
});

Deno.test(
  { name: "a file that cannot be opened for lack of a descriptor is a 503, not an internal error", ...LINUX },
  async () => {
    await temporary(async (folder) => {
      await Deno.writeFile(`${folder}/large`, new Uint8Array(8_000_000));
      await using server = limited("--files", folder, "--files-port", "0");
      const url = await server.filesUrl(), port = Number(new URL(url).port);
      const open = () => [...Deno.readDirSync(`/proc/${server.pid}/fd`)].length;
      await (await fetch(`${url}/large`)).bytes(); // what the first request opens stays open
      const connections: Deno.TcpConn[] = [];
      while (open() < LIMIT - 8) {
        const connection = await Deno.connect({ port });
        connections.push(connection);
        assertEquals(await ask(connection, "HEAD /missing"), 404);
      }
      // Each answered request holds its file until the client reads on.
      const statuses = await Promise.all(
        connections.slice(0, 20).map((connection) => ask(connection, "GET /large")),
      );
      assertEquals([...new Set(statuses)].sort(), [200, 503]);
      for (const connection of connections) connection.close();
      await until(() => fetch(`${url}/large`).then((answer) => answer.bytes(), () => undefined));
      server.kill();
      const { stderr } = await server.ended();
      assertEquals(/internal error/.test(stderr), false, stderr);
    });
  },
);
