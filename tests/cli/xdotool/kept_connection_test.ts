/** Requests over one connection to servers of several manners. */

import { assertEquals, assertRejects } from "@std/assert";
import { delay } from "@std/async/delay";
import { until } from "../../support/until.ts";
import { KeptConnection } from "../../../cli/xdotool/kept_connection.ts";

/**
 * Answers each connection with its list of texts, where an empty text stands for no answer, and ends a connection after
 * its last text.
 */
async function withServer(
  answers: readonly (readonly string[])[],
  use: (connection: KeptConnection, requests: string[], ended: () => number) => Promise<void>,
): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 }), requests: string[] = [];
  let ended = 0;
  const serving = (async () => {
    for (const parts of answers) {
      const client = await listener.accept();
      for (const part of parts) {
        const bytes = new Uint8Array(1 << 16), count = await client.read(bytes);
        if (count === null) break;
        requests.push(new TextDecoder().decode(bytes.subarray(0, count)));
        if (part) await client.write(new TextEncoder().encode(part));
      }
      client.close();
      ended++;
    }
  })();
  const url = `http://127.0.0.1:${listener.addr.port}`,
    connection = new KeptConnection(url, { "X-Own": "1" });
  try {
    await use(connection, requests, () => ended);
  } finally {
    connection.close();
    listener.close();
    await serving.catch(() => {});
  }
}

const answer = (text: string, status = "200 OK") =>
  `HTTP/1.1 ${status}\r\ncontent-length: ${new TextEncoder().encode(text).length}\r\n\r\n${text}`;

Deno.test("answers are read whole, also long ones and those of refusals", async () => {
  const long = JSON.stringify({ text: "ä".repeat(40_000) });
  await withServer(
    [[answer("{}"), answer(long), answer('{"error":"no"}', "404 Not Found")]],
    async (kept, requests) => {
      assertEquals(await kept.ask("POST", "/api/move", '{"text":"ü"}'), { status: 200, text: "{}" });
      assertEquals(await kept.ask("GET", "/api/windows"), { status: 200, text: long });
      assertEquals((await kept.ask("GET", "/api/nonesuch")).status, 404);
      assertEquals(requests.length, 3);
      const [head, body] = requests[0].split("\r\n\r\n");
      assertEquals(head.split("\r\n").toSpliced(1, 1), [
        "POST /api/move HTTP/1.1",
        "X-Own: 1",
        "Content-Length: 13",
      ]);
      assertEquals(body, '{"text":"ü"}');
    },
  );
});

Deno.test("a connection that the server ended between two requests is opened again, once", async () => {
  await withServer([[answer("1")], [answer("2")], []], async (kept) => {
    assertEquals((await kept.ask("GET", "/")).text, "1");
    assertEquals((await kept.ask("GET", "/")).text, "2");
    await assertRejects(() => kept.ask("GET", "/"));
  });
});

Deno.test("a POST goes over a new connection if the server has ended the resting one", async () => {
  await withServer([[answer("1")], [answer("2")]], async (kept, requests, ended) => {
    assertEquals((await kept.ask("POST", "/one", "{}")).text, "1");
    await until(ended, (count) => count === 1);
    await delay(50); // the connection rests
    assertEquals((await kept.ask("POST", "/two", "{}")).text, "2");
    assertEquals(requests.map((request) => request.split(" ")[1]), ["/one", "/two"]);
  });
});

Deno.test("a request that was read and not answered is sent again if it is a GET, and never if it is a POST", async () => {
  for (const method of ["GET", "POST"] as const) {
    await withServer([[answer("1"), ""], [answer("2"), answer("3")]], async (kept, requests) => {
      assertEquals((await kept.ask("GET", "/")).text, "1");
      if (method === "GET") assertEquals((await kept.ask("GET", "/again")).text, "2");
      else {
        await assertRejects(() => kept.ask("POST", "/again", "{}"), Error, "ended");
        assertEquals((await kept.ask("POST", "/next", "{}")).text, "2");
      }
      const paths = requests.map((request) => request.split(" ")[1]);
      assertEquals(paths, ["/", "/again", method === "GET" ? "/again" : "/next"]);
    });
  }
});

Deno.test("an answer that is cut off, or is none of HTTP, is an error", async () => {
  for (const part of [answer("whole").slice(0, -2), "hello\r\n\r\n"]) {
    await withServer([[part]], async (kept) => {
      await assertRejects(() => kept.ask("GET", "/"), Error);
    });
  }
});
