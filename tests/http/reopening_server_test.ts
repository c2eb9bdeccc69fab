/** A server that has ended by itself opens again. */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { listen, LOOPBACK } from "../../http/listener.ts";
import { urlHost } from "../../http/host.ts";
import { sendRaw, UPGRADE } from "../support/raw.ts";
import { until } from "../support/until.ts";

/**
 * A server of "hello" whose listener on one address ends when it is asked for /end; and the errors that it reported.
 */
function mortal() {
  const notices: string[] = [], reported: unknown[] = [];
  const listener = listen({
    name: "Test server",
    port: 0,
    report: (error) => reported.push(error),
    notice: (text) => notices.push(text),
    // Deno ends a server whose handler upgrades a request but answers with something else.
    handler: (request) => {
      if (request.url.endsWith("/end")) Deno.upgradeWebSocket(request);
      return Promise.resolve(new Response("hello"));
    },
  });
  return { listener, notices, reported };
}

/** Makes the listener end. Its caller closes the connection, which is never answered. */
async function end(hostname: string, port: number): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname, port });
  await connection.write(new TextEncoder().encode(`GET /end HTTP/1.1\r\nHost: localhost\r\n${UPGRADE}`));
  return connection;
}

const place = (address: string, port: number) => `${urlHost(address)}:${port}`;

for (const address of LOOPBACK) {
  Deno.test({
    name: `a listener on ${address} that ends without an error opens again, and both are announced`,
    sanitizeOps: false, // the upgrade that ends the listener is never finished
    sanitizeResources: false,
  }, async () => {
    const { listener, notices, reported } = mortal();
    const at = place(address, listener.port),
      request = `GET / HTTP/1.1\r\nHost: ${at}\r\nConnection: close\r\n\r\n`;
    try {
      using waiting = await Deno.connect({ hostname: address, port: listener.port });
      assertMatch(await sendRaw(`http://${at}`, request), /hello$/);
      using _unanswered = await end(address, listener.port);
      assertEquals(await waiting.read(new Uint8Array(1)), null, "an open connection ends with its listener");
      await until(() => notices.length, (count) => count === 2);
      assertEquals(notices, [
        `Test server: no connection can be taken for now: the listener on ${at} ended by itself`,
        `Test server: connections are taken again on ${at}`,
      ]);
      for (const other of LOOPBACK) {
        const answer = await fetch(`http://${place(other, listener.port)}/`);
        assertEquals([answer.status, await answer.text()], [200, "hello"], other);
      }
      assertEquals(reported, []);
    } finally {
      await listener.close();
    }
  });
}

Deno.test({
  name: "a listener that was closed stays closed, also when it had ended before",
  sanitizeOps: false, // the upgrade that ends the listener is never finished
  sanitizeResources: false,
}, async () => {
  const closed = mortal(), later = mortal(), [address] = LOOPBACK;
  using _first = await end(address, closed.listener.port);
  await until(() => closed.notices.length);
  await closed.listener.close();
  using _second = await end(address, later.listener.port);
  await until(() => later.notices.length, (count) => count === 2);
  // The one that ended later is open again, so the time of the closed one is over.
  assertEquals(closed.notices.length, 1);
  await assertRejects(
    () => Deno.connect({ hostname: address, port: closed.listener.port }),
    Deno.errors.ConnectionRefused,
  );
  await later.listener.close();
});
