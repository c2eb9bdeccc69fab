/** The file server. */

import { createFilesHandler } from "../../files/handler.ts";
import { headers, METHODS, raw } from "./requests.ts";
import { mustBe, type Target } from "./target.ts";

/**
 * The file server on a folder.
 * @param root It has a.txt, big.bin and sub/, and beside it secret.txt.
 */
export function filesTarget(root: string): Target {
  const reported: unknown[] = [];
  const handler = createFilesHandler({ root, report: (error) => reported.push(error) });
  return {
    async run(random, note) {
      const names = [
        "a.txt",
        "big.bin",
        "sub",
        "..",
        ".",
        "%2e%2e",
        "secret.txt",
        "%00",
        "CON",
        "",
        "a.txt%20",
        "..%2f",
        "..\\",
      ];
      const path = "/" +
        Array.from(
          { length: random.below(4) + 1 },
          () => random.once(6) ? random.text(10) : random.pick(names),
        ).join("/");
      const method = random.once(6) ? random.pick(METHODS) : "GET";
      const sent = headers(random);
      const query = random.pick([
        "",
        "",
        "?download",
        "?format=json",
        "?sort=size&order=desc",
        "?q=a&deep",
        "?view",
        "?view=gallery&sort=time",
        "?qr",
        `?${random.text(10)}`,
      ]);
      note(`${method} ${path}${query} ${JSON.stringify(sent)}`);
      const answer = await raw(
        handler,
        method,
        `http://${sent.host}${path}${query}`,
        sent,
      );
      mustBe(reported.length === 0, `an internal error: ${Deno.inspect(reported[0])}`);
      mustBe(answer.status < 500, `status ${answer.status}`);
      mustBe(
        !new TextDecoder().decode(answer.bytes).includes("the secret"),
        "a file outside the folder was sent",
      );
      mustBe(answer.headers.get("accept-ranges") === "bytes", "no Accept-Ranges");
      const length = answer.headers.get("content-length");
      if (length !== null && method !== "HEAD") {
        mustBe(Number(length) === answer.bytes.length, "a wrong Content-Length");
      }
    },
  };
}
