/** HEAD, over every version of HTTP: the answer of GET, without the content. */

import { assertEquals } from "@std/assert";
import { certificate } from "../support/certificate.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const CONTROL = [
  "/api/position",
  "/api/screen",
  "/api/screenshot",
  "/api/screenshot?format=png",
  "/",
  "/api/nothing",
  "/api/move",
  "/api/pixel?x=-1&y=0",
];
const FILES = [
  "/small.txt",
  "/empty.txt",
  "/large.bin",
  "/",
  "/?format=json",
  "/nothing",
  "/folder",
  "/folder/",
];

/**
 * The answers to curl, address by address: status and headers, without those that belong to the moment or the
 * connection.
 */
async function headersOf(args: string[], urls: string[]): Promise<[url: string, headers: string[]][]> {
  // curl 7.88 sends no second request on such a connection.
  if (args.includes("--http2-prior-knowledge") && urls.length > 1) {
    const answers = [];
    for (const url of urls) answers.push(...await headersOf(args, [url]));
    return answers;
  }
  const { code, stdout } = await new Deno.Command("curl", {
    args: ["-sk", "-m", "180", "-D", "-", ...args, ...urls.flatMap((url) => ["-o", "/dev/null", url])],
  }).output();
  assertEquals(code, 0, `${args}`);
  const answers = new TextDecoder().decode(stdout).trim().split("\r\n\r\n");
  assertEquals(answers.length, urls.length, `${args}`);
  return answers.map((answer, i) => [
    urls[i],
    answer.split("\r\n").filter((line) => !/^(date|connection|transfer-encoding):/i.test(line)).sort(),
  ]);
}

Deno.test({ name: "HEAD is answered as GET, without content", ...need("curl", "openssl") }, async () => {
  await temporary(async (folder) => {
    const { cert, key } = await certificate(folder), root = `${folder}/root`;
    await Deno.mkdir(`${root}/folder`, { recursive: true });
    await Deno.writeTextFile(`${root}/small.txt`, "hello");
    await Deno.writeTextFile(`${root}/empty.txt`, "");
    await Deno.writeFile(`${root}/large.bin`, new Uint8Array(5_000_000));
    const servers = ["--desktop", "virtual", "--http", "0", "--files", root, "--files-port", "0"];
    for (
      const [options, versions] of [
        [[], ["--http1.1", "--http2-prior-knowledge"]],
        [["--cert", cert, "--key", key], ["--http1.1", "--http2"]],
      ]
    ) {
      await using program = new Program([...servers, ...options]);
      const scheme = options.length ? "https:" : "http:";
      const control = (await program.controlUrl()).replace("http:", scheme);
      const files = (await program.filesUrl()).replace("http:", scheme);
      // The validator of a file that was just written changes from weak to strong.
      await until(async () => {
        const [[, headers]] = await headersOf(["-I"], [`${files}/large.bin`]);
        return !headers.some((header) => header.startsWith("etag: W/"));
      });
      for (const version of versions) {
        const urls = [...CONTROL.map((path) => control + path), ...FILES.map((path) => files + path)];
        for (
          const extra of [[], ["--compressed"], ["-r", "1-3"], [
            "-H",
            "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT",
          ]]
        ) {
          const args = [version, ...extra];
          assertEquals(await headersOf([...args, "-I"], urls), await headersOf(args, urls), `${args}`);
        }
        // A stream without an end has no length; each request frees its place again.
        await headersOf([version, "-I"], Array.from({ length: 40 }, () => `${control}/api/events`));
      }
      assertEquals(program.stderr, "");
    }
  });
});
