/** `deskhand link` and `deskhand share` send secrets only to this user's deskhand. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { certificate } from "../support/certificate.ts";
import { need } from "../support/need.ts";
import { Program, run } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";

const ENV = {
  DISPLAY: "",
  WAYLAND_DISPLAY: "",
  DESKHAND_URL: "",
  DESKHAND_FILES_URL: "",
  DESKHAND_TOKEN: "",
};
const TOKEN = "a-token-of-the-own-server-tests";

/** A program that listens in deskhand's place, and what it received. */
function squatter() {
  const heard: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    heard.push([...request.headers].join("\n"), await request.text());
    return Response.json({ links: [], shares: [] });
  });
  return {
    heard,
    port: `${server.addr.port}`,
    url: `http://127.0.0.1:${server.addr.port}`,
    close: () => server.shutdown(),
  };
}

Deno.test("a command ends if the server does not answer, and waits for one that is only busy", async () => {
  const lists = Response.json({ links: [] }), asked: string[] = [];
  const busy = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    if (pathname !== "/healthz") await until(() => asked.includes("/healthz"));
    return pathname === "/healthz" ? new Response() : lists;
  });
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 }); // the system accepts, and nothing answers
  const { port } = silent.addr as Deno.NetAddr;
  const list = (port: number) =>
    run(["link", "--list", "--http", `${port}`, "--token", TOKEN], "", { env: ENV });
  const env = { ...ENV, DESKHAND_URL: `http://127.0.0.1:${port}`, DESKHAND_TOKEN: TOKEN };
  const [ended, xdotool, answered] = await Promise.all([
    list(port),
    run(["xdotool", "getmouselocation"], "", { env }),
    list(busy.addr.port),
  ]);
  assertEquals([ended.code, xdotool.code], [2, 1]);
  assertMatch(ended.stderr, /http:\/\/127\.0\.0\.1:\d+ does not answer/);
  assertMatch(xdotool.stderr, /deskhand at http:\/\/127\.0\.0\.1:\d+ is not responding/);
  assertEquals([answered.code, asked], [0, ["/api/links", "/healthz"]]);
  await busy.shutdown();
});

Deno.test("no secret reaches another program that listens on the port", async () => {
  await temporary(async (folder) => {
    const env = { ...ENV, XDG_STATE_HOME: `${folder}/state` }, other = squatter();
    await Deno.mkdir(`${folder}/state/deskhand`, { recursive: true, mode: 0o700 });
    await Deno.writeTextFile(`${folder}/state/deskhand/token`, `${TOKEN}\n`, { mode: 0o600 });
    const commands: [args: string[], env: Record<string, string>, said: RegExp][] = [
      [
        ["link", "--list", "--http", other.port],
        env,
        /no deskhand of this user runs at port \d+: start it with/,
      ],
      [["link", "--list"], { ...env, DESKHAND_URL: other.url }, /no deskhand of this user runs at http:/],
      [["link", "--list"], { ...env, DESKHAND_URL: "localhost" }, /"localhost" is not an address/],
      [
        ["share", "--list", "--files-port", other.port, "--files-auth", "me:secret"],
        env,
        /no file server of this user/,
      ],
      [
        ["share", folder, "--files-port", other.port, "--password", "word"],
        env,
        /no file server of this user/,
      ],
    ];
    for (const [args, env, said] of commands) {
      const { code, stderr } = await run(args, "", { env });
      assertEquals(code, 2, stderr);
      assertMatch(stderr, said);
    }
    assertEquals(other.heard, []);
    // A token that the user passes goes where the user says.
    assertEquals(
      (await run(["link", "--list", "--http", other.port, "--token", "x".repeat(20)], "", { env })).code,
      0,
    );
    assert(other.heard[0].includes("x".repeat(20)) && !other.heard.join().includes(TOKEN));
    await other.close();
  });
});

Deno.test({
  name: "records lead to the right server: on another port, with TLS, for the file that it serves",
  ...need("openssl"),
}, async () => {
  await temporary(async (folder) => {
    const env = { ...ENV, XDG_STATE_HOME: `${folder}/state` }, { cert, key } = await certificate(folder);
    await Deno.mkdir(`${folder}/files`);
    await Deno.writeTextFile(`${folder}/files/evil\x1b]0;x\x07\u202e.txt`, "x");
    const servers = ["--http", "0", "--files", `${folder}/files`, "--files-port", "0", "--allow-share"];
    await using program = new Program(
      ["--desktop", "virtual", "--require-token", "--read-only", ...servers, "--cert", cert, "--key", key],
      { env },
    );
    await program.controlUrl();
    await program.filesUrl();
    const said = async (...args: string[]) => {
      const { code, stdout, stderr } = await run(args, "", { env });
      assertEquals([code, stderr], [0, ""]);
      return stdout;
    };
    assertMatch(await said("link", "--name", "e\x1b[31m\u009bv\u202eil"), /^https:\/\/.*#token=/);
    assertMatch(await said("link", "--list"), /e\\u\{1b\}\[31m\\u\{9b\}v\\u\{202e\}il/);
    assertMatch(await said("share", `${folder}/files/evil\x1b]0;x\x07\u202e.txt`), /^https:\/\//);
    assertMatch(await said("share", "--list"), /\/evil\\u\{1b\}\]0;x\\u\{7\}\\u\{202e\}\.txt {2}ends/);
  });
});
