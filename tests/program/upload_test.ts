import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { need, needRoot } from "../support/need.ts";
import { Program, run } from "../support/program.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";

/** Runs curl; returns the status of the answer and curl's output. */
async function curl(...args: string[]): Promise<{ status: number; text: string }> {
  const { stdout } = await new Deno.Command("curl", { args: ["-s", "-w", "\n%{http_code}", ...args] })
    .output();
  const text = new TextDecoder().decode(stdout);
  return { status: Number(text.slice(text.lastIndexOf("\n") + 1)), text };
}

function taking(root: string, ...options: string[]): Program {
  const args = ["--files", root, "--files-port", "0", "--allow-upload", ...options];
  return new Program(args, { env: { DISPLAY: "" } });
}

function names(folder: string): string[] {
  return Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
}

Deno.test({ name: "curl -T uploads a file, also where it broke off", ...need("curl") }, async () => {
  await temporary(async (folder) => {
    const root = `${folder}/root`, file = `${folder}/film.bin`;
    await Deno.mkdir(root);
    const content = new Uint8Array(5_000_000).map((_, i) => i * 7 >> 3);
    await Deno.writeFile(file, content);
    await using program = taking(root);
    const url = await program.filesUrl();
    assertEquals((await curl("-T", file, `${url}/`)).status, 201);
    assertEquals(await Deno.readFile(`${root}/film.bin`), content);
    assertEquals((await curl("-T", file, `${url}/film.bin`)).status, 409);
    assertEquals((await curl("-H", "Transfer-Encoding: chunked", "-T", file, `${url}/chunked`)).status, 201);
    assertEquals(await Deno.readFile(`${root}/chunked`), content);

    const broken = new Deno.Command("curl", {
      args: ["-s", "--limit-rate", "500K", "-T", file, `${url}/resumed`],
      stdout: "null",
    }).spawn();
    const partial = () => names(root).find((name) => name.startsWith(".deskhand-upload-"));
    await until(() => partial() !== undefined && Deno.statSync(`${root}/${partial()}`).size > 0);
    broken.kill("SIGKILL");
    await broken.status;
    const question = ["-i", "-X", "PUT", "-H", "Content-Range: bytes */5000000", `${url}/resumed`];
    // The server may still be about to see that the client is gone.
    const { text } = await until(() => curl(...question), ({ status }) => status === 202);
    const offset = /^upload-offset: (\d+)\r$/im.exec(text)![1];
    assertNotEquals(offset, "0");
    assertEquals((await curl("-C", offset, "-T", file, `${url}/resumed`)).status, 201);
    assertEquals(await Deno.readFile(`${root}/resumed`), content);
    assertEquals(names(root), ["chunked", "film.bin", "resumed"]);
  });
});

Deno.test({
  name: "a disk that is full is a 507, and nothing is left behind",
  ...needRoot("unshare", "-m", "true"),
}, async () => {
  await temporary(async (folder) => {
    const root = `${folder}/root`;
    await Deno.mkdir(root);
    await Deno.writeFile(`${folder}/large`, new Uint8Array(3_000_000));
    const script = `mount -t tmpfs -o size=2m tmpfs ${root} && exec "$@"`;
    const config = new URL("../../main.ts", import.meta.url).pathname;
    const command = [
      Deno.execPath(),
      "run",
      "-A",
      config,
      "--files",
      root,
      "--files-port",
      "0",
      "--allow-upload",
    ];
    await using program = new Program(["-m", "sh", "-c", script, "sh", ...command], {
      executable: "/usr/bin/unshare",
      env: { DISPLAY: "" },
    });
    const url = await program.filesUrl();
    const known = await curl("-T", `${folder}/large`, `${url}/a`);
    assertEquals(known.status, 507);
    assertMatch(known.text, /The disk has no room for this file/);
    const chunked = await curl("-H", "Transfer-Encoding: chunked", "-T", `${folder}/large`, `${url}/a`);
    assertEquals(chunked.status, 507);
    const inside = await new Deno.Command("nsenter", {
      args: ["-m", "-t", `${program.pid}`, "ls", "-A", root],
    })
      .output();
    assertEquals(new TextDecoder().decode(inside.stdout), "");
    assertEquals(program.stderr, "");
  });
});

Deno.test("options of uploads that do not fit are refused with their reason", async () => {
  await temporary(async (root) => {
    const cases: [string[], RegExp][] = [
      [["--allow-upload", "--upload-limit", "much"], /--upload-limit much: a size is a number/],
      [["--allow-upload", "--read-only"], /--read-only and --allow-upload contradict each other/],
    ];
    for (const [options, message] of cases) {
      const { code, stderr } = await run(["--files", root, "--files-port", "0", ...options]);
      assertEquals(code, 2);
      assertMatch(stderr, message);
    }
  });
});

Deno.test({ name: "beyond loopback files are taken with a password alone", ...need("curl") }, async () => {
  await temporary(async (folder) => {
    const root = `${folder}/root`, file = `${folder}/a.txt`;
    await Deno.mkdir(root);
    await Deno.writeTextFile(file, "hello");
    const address = Deno.networkInterfaces().find(({ family, address }) =>
      family === "IPv4" && !address.startsWith("127.")
    )?.address;
    if (!address) return console.error("\n!!! SKIPPED: this machine has no address beyond loopback !!!\n");
    {
      await using program = taking(root, "--host", "0.0.0.0");
      const { port } = new URL(await program.filesUrl());
      await program.printed(
        /^files are taken from this machine alone: --files-auth USER:PASSWORD lets others upload$/m,
      );
      assertEquals((await curl("-T", file, `http://${address}:${port}/b.txt`)).status, 403);
      assertEquals((await curl("-T", file, `http://127.0.0.1:${port}/c.txt`)).status, 201);
    }
    await using program = taking(root, "--host", "0.0.0.0", "--files-auth", "me:secret");
    const { port } = new URL(await program.filesUrl());
    assertEquals((await curl("-T", file, `http://${address}:${port}/b.txt`)).status, 401);
    assertEquals((await curl("-u", "me:secret", "-T", file, `http://${address}:${port}/b.txt`)).status, 201);
    assertEquals(names(root), ["b.txt", "c.txt"]);
  });
});
