import { assertEquals, assertMatch } from "@std/assert";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";

/** Runs a command, which must succeed; returns its output, standard error included. */
async function output(name: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(name, { args }).output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  assertEquals(success, true, `${name} ${args.join(" ")}:\n${text}`);
  return text;
}

/** Serves a folder `root` beside which a test can download to. */
async function serving(use: (folder: string, url: string, program: Program) => Promise<void>) {
  await temporary(async (folder) => {
    await Deno.mkdir(`${folder}/root/files`, { recursive: true });
    const args = ["--files", `${folder}/root`, "--files-port", "0"];
    await using program = new Program(args, { env: { DISPLAY: "" } });
    await use(folder, await program.filesUrl(), program);
  });
}

const PYTHON = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive: print(archive.testzip(), len(archive.namelist()))`;

Deno.test({
  name: "archives are right to unzip, tar, Python, curl, wget, aria2c and rclone",
  ...need("curl", "wget", "aria2c", "rclone", "unzip", "tar", "python3"),
}, async () => {
  await serving(async (folder, url) => {
    const root = `${folder}/root/files`;
    await Deno.mkdir(`${root}/Vidéos €/${"long ".repeat(40)}/empty`, { recursive: true });
    await Deno.writeTextFile(`${root}/Vidéos €/漢😀 "quoted".txt`, "text");
    await Deno.writeFile(`${root}/big.bin`, crypto.getRandomValues(new Uint8Array(60_000)));
    await Deno.truncate(`${root}/big.bin`, 3_000_000);
    await Deno.writeTextFile(`${root}/run.sh`, "#!/bin/sh\n");
    await Deno.chmod(`${root}/run.sh`, 0o755);
    await Deno.chmod(`${root}/big.bin`, 0o600);
    const zip = `${folder}/files.zip`, tar = `${folder}/files.tar`;
    await output("curl", "-sf", "-o", zip, `${url}/files/?archive=zip`);
    assertMatch(await output("unzip", "-t", zip), /No errors detected/);
    assertEquals(await output("python3", "-c", PYTHON, zip), "None 7\n");
    await output("unzip", "-q", zip, "-d", `${folder}/unzipped`);
    await output("diff", "-r", root, `${folder}/unzipped/files`);
    assertEquals((await Deno.stat(`${folder}/unzipped/files/run.sh`)).mode! & 0o777, 0o755);

    await output("curl", "-sf", "-o", tar, `${url}/files/?archive=tar`);
    await output("tar", "-d", "-f", tar, "-C", `${folder}/root`);
    const whole = await Deno.readFile(tar);
    const address = `${url}/files/?archive=tar`;
    const ways: [string, string[]][] = [
      ["curl", ["-sf", "-C", "-", "-o", tar, address]],
      ["wget", ["-q", "-c", "-O", tar, address]],
      ["aria2c", [
        "-q",
        "-c",
        "-s3",
        "-x3",
        "-k1M",
        "--allow-overwrite",
        "-d",
        folder,
        "-o",
        "files.tar",
        address,
      ]],
      ["rclone", ["copyurl", address, tar]],
    ];
    for (const [program, args] of ways) {
      await Deno.truncate(tar, 1_000_000);
      await output(program, ...args);
      assertEquals(await Deno.readFile(tar), whole, program);
    }
  });
});

Deno.test({
  name: "an archive has room for 20 GB",
  ...need("curl", "unzip", "python3", "truncate"),
}, async () => {
  await serving(async (folder, url, program) => {
    const root = `${folder}/root`;
    await output("truncate", "-s", "20G", `${root}/files/sparse`);
    await Deno.writeTextFile(`${root}/files/z-last`, "the last file");
    const head = await output("curl", "-sfI", `${url}/files/?archive=tar`);
    const length = 20 * 2 ** 30 + 512 * 6; // three heads, a content and two empty blocks
    assertMatch(head, new RegExp(`content-length: ${length}\\r`, "i"));
    const end = await output("curl", "-sf", "-r", `-${512 * 4}`, `${url}/files/?archive=tar`);
    assertMatch(end, /^files\/z-last\0.*the last file\0/s);
    assertEquals(program.stderr, "");
  });
});

Deno.test(
  { name: "a member that changes ends the archive, and a line says which", ...need("curl") },
  async () => {
    await serving(async (folder, url, program) => {
      const file = `${folder}/root/files/big.bin`, got = `${folder}/got`;
      await Deno.writeTextFile(file, "");
      await Deno.truncate(file, 4e9); // larger than all buffers on the way, at the rate at which curl reads
      const download = new Deno.Command("curl", {
        args: ["-s", "-N", "--limit-rate", "2M", "-o", got, `${url}/files/?archive=zip`],
      }).spawn();
      await until(() => Deno.stat(got).then(({ size }) => size > 0, () => false));
      await Deno.utime(file, 1e9, 1e9);
      assertEquals((await download.status).code, 18); // curl: "partial file"
      await program.printed(
        /^an answer was broken off: files\/big\.bin changed while it was sent in an archive$/m,
      );
      assertEquals(program.stderr.includes("internal error"), false);
    });
  },
);
