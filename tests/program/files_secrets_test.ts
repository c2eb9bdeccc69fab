/** deskhand's own secrets below the served folder, with the options that name them. */

import { assertEquals, assertMatch } from "@std/assert";
import type { Option } from "../../cli/option.ts";
import { OPTIONS } from "../../cli/option_table.ts";
import { certificate } from "../support/certificate.ts";
import { need } from "../support/need.ts";
import { Program, run } from "../support/program.ts";
import { startXvnc } from "../support/vnc_servers.ts";
import { temporary, until } from "../support/shell.ts";

/** Runs curl, which accepts any certificate. */
async function curl(...args: string[]): Promise<string> {
  const { stdout } = await new Deno.Command("curl", { args: ["-sk", ...args] }).output();
  return new TextDecoder().decode(stdout);
}

Deno.test(
  {
    name: "the journal, token file, TLS key and log in the served folder are not found",
    ...need("curl", "openssl"),
  },
  async () => {
    await temporary(async (root) => {
      const { cert, key } = await certificate(root);
      await Deno.writeTextFile(`${root}/secret`, "a-secret-of-enough-letters");
      await Deno.writeTextFile(`${root}/a.txt`, "hello");
      const given = [
        "--cert",
        cert,
        "--key",
        key,
        "--token-file",
        `${root}/secret`,
        "--log",
        `${root}/a.log`,
      ];
      const args = ["--files", root, "--files-port", "0", "--http", "0", "--desktop", "virtual"];
      await using program = new Program([...args, ...given], { env: { XDG_STATE_HOME: `${root}/state` } });
      const url = (await program.filesUrl()).replace("http:", "https:");
      await program.write("rec");
      const journals = () => Array.from(Deno.readDirSync(`${root}/state/deskhand`), ({ name }) => name);
      await until(() => journals().some((name) => name.endsWith(".journal")));
      const paths = ["secret", key.slice(root.length + 1), "a.log", "state/deskhand/"]
        .concat(journals().map((name) => `state/deskhand/${name}`));
      for (const path of paths) {
        assertEquals(await curl("-o", "/dev/null", "-w", "%{http_code}", `${url}/${path}`), "404", path);
      }
      const names = async (path: string) =>
        JSON.parse(await curl(`${url}/${path}?format=json`)).entries.map(({ name }: { name: string }) =>
          name
        );
      assertEquals(await names(""), ["state", "a.txt", cert.slice(root.length + 1)]);
      assertEquals(await names("state/"), []);
    });
  },
);

Deno.test({
  name:
    "a file that an option names is neither served, listed, archived nor replaced, unless its row allows it",
  ...need("curl", "openssl", "Xvnc"),
}, async () => {
  await temporary(async (root) => {
    await using vnc = await startXvnc(); // for a desktop password file, which only VNC desktops use
    const pem = await certificate(root);
    await Deno.writeTextFile(`${root}/token`, "a-secret-of-enough-letters");
    await Deno.writeTextFile(`${root}/a`, "of an upload");
    await Deno.writeTextFile(`${root}/password`, "secret12");
    await Deno.writeTextFile(`${root}/desktop-password`, "secret12");
    await Deno.writeTextFile(`${root}/programs`, "{}");
    const existing: Record<string, string> = {
      ...pem,
      "token-file": `${root}/token`,
      "vnc-password-file": `${root}/password`,
      "desktop-password-file": `${root}/desktop-password`,
      "agent-allow": `${root}/programs`,
    };
    const rows = OPTIONS.filter(({ path }) => path === "file");
    const fileOf = ({ name }: Option) => existing[name] ?? `${root}/${name}.jsonl`;
    const given = rows.flatMap((row) => [`--${row.name}`, fileOf(row)]);
    const files = ["--files", root, "--files-port", "0", "--allow-upload", "--allow-overwrite"];
    await using program = new Program([...files, "--http", "0", "--desktop", vnc.address, ...given]);
    const url = (await program.filesUrl()).replace("http:", "https:");
    await program.controlUrl();
    const tar = await curl(`${url}/?archive=tar`), listing = await curl(`${url}/?format=json&deep=`);
    // HTTP/2 answers an upload that is refused unread by resetting the stream, which curl 7.88 reports as an
    // error.
    const status = (...args: string[]) => curl("--http1.1", "-o", "/dev/null", "-w", "%{http_code}", ...args);
    for (const row of rows) {
      const file = fileOf(row), name = file.slice(root.length + 1), isServed = row.servable !== undefined;
      assertEquals(await status(`${url}/${name}`), isServed ? "200" : "404", name);
      assertEquals(listing.includes(JSON.stringify(name)), isServed, `${name} in the listing`);
      assertEquals(tar.includes(`/${name}`), isServed, `${name} in the archive`);
      if (isServed) continue;
      const { mode } = await Deno.stat(file), before = await Deno.readFile(file);
      assertEquals(await status("-T", `${root}/a`, `${url}/${name}`), "404", `PUT ${name}`);
      assertEquals([(await Deno.stat(file)).mode, (await Deno.readFile(file)).subarray(0, before.length)], [
        mode,
        before,
      ]);
      await Deno.remove(file); // as between log rotations
      assertEquals(
        await status("-T", `${root}/a`, `${url}/${name}`),
        "404",
        `PUT ${name}, which is not there`,
      );
    }
  });
});

Deno.test("startup warns of a served home folder or hidden secrets, unless --no-hidden is given", async () => {
  return await temporary(async (home) => {
    const env = { DISPLAY: "", HOME: home, USERPROFILE: home };
    const start = async (...args: string[]) => {
      const { code, stderr } = await run(
        ["--files", home, "--files-port", "0", "--desktop", "virtual", ...args, "-c", "help"],
        "",
        {
          env,
        },
      );
      assertEquals(code, 0);
      return stderr.split("\n").filter((line) => line.includes("--no-hidden"));
    };
    assertMatch(
      (await start()).join("\n"),
      /^the served folder contains the home folder: .* --no-hidden .*$/,
    );
    await Deno.mkdir(`${home}/.git`);
    assertMatch((await start()).join("\n"), /^the served folder contains the home folder, \.git: /);
    assertEquals(await start("--no-hidden"), []);
  });
});
