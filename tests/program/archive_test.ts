import { assert, assertEquals, assertMatch } from "@std/assert";
import { delay } from "@std/async/delay";
import { processorMs, residentMb } from "../../bench/measure.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";

/** Runs a command, which must succeed; returns its output, including standard error. */
async function output(name: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(name, { args }).output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  assertEquals(success, true, `${name} ${args.join(" ")}:\n${text}`);
  return text;
}

/** Serves the folder `root`, which has a sibling folder for downloads. */
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
  name: "unzip, tar, Python, curl, wget, aria2c and rclone accept archives",
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
  name: "an archive can hold 20 GB",
  ...need("curl", "unzip", "python3", "truncate"),
}, async () => {
  await serving(async (folder, url, program) => {
    const root = `${folder}/root`;
    await output("truncate", "-s", "20G", `${root}/files/sparse`);
    await Deno.writeTextFile(`${root}/files/z-last`, "the last file");
    const head = await output("curl", "-sfI", `${url}/files/?archive=tar`);
    const length = 20 * 2 ** 30 + 512 * 6; // three headers, one content and two empty blocks
    assertMatch(head, new RegExp(`content-length: ${length}\\r`, "i"));
    const end = await output("curl", "-sf", "-r", `-${512 * 4}`, `${url}/files/?archive=tar`);
    assertMatch(end, /^files\/z-last\0.*the last file\0/s);
    assertEquals(program.stderr, "");
  });
});

Deno.test(
  { name: "a member that changes aborts the archive, and the log names it", ...need("curl") },
  async () => {
    await serving(async (folder, url, program) => {
      const file = `${folder}/root/files/big.bin`, got = `${folder}/got`;
      await Deno.writeTextFile(file, "");
      await Deno.truncate(file, 4e9); // more than all buffers on the way hold, at curl's reading rate
      const download = new Deno.Command("curl", {
        args: ["-s", "-N", "--limit-rate", "2M", "-o", got, `${url}/files/?archive=zip`],
      }).spawn();
      await until(() => Deno.stat(got).then(({ size }) => size > 0, () => false));
      await Deno.utime(file, 1e9, 1e9);
      assertEquals((await download.status).code, 18); // curl: "partial file"
      await program.printed(
        /^an answer was broken off: files\/big\.bin changed while being archived$/m,
      );
      assertEquals(program.stderr.includes("internal error"), false);
    });
  },
);

const LINUX = Deno.build.os === "linux";

Deno.test({
  name: "100 clients that abort a zip leave no work behind, and little memory",
  ignore: !LINUX || need("truncate").ignore,
}, async () => {
  await serving(async (folder, url, { pid }) => {
    await output("truncate", "-s", "60G", `${folder}/root/files/sparse`);
    const before = processorMs(pid);
    // The end of a zip contains its content's checksum, which takes a minute to compute.
    const request = "GET /files/?archive=zip HTTP/1.1\r\nHost: localhost\r\nRange: bytes=-100\r\n\r\n";
    const clients = await Promise.all(Array.from({ length: 100 }, async () => {
      const client = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(url).port) });
      await client.write(new TextEncoder().encode(request));
      return client;
    }));
    await until(() => processorMs(pid) - before > 2000);
    clients.forEach((client) => client.close());
    const left = processorMs(pid);
    await until(async () => {
      const start = processorMs(pid);
      await delay(1000);
      return processorMs(pid) - start < 50;
    });
    const after = processorMs(pid) - left, memory = await residentMb(pid);
    assert(after < 5000, `${after} ms of processor time after the clients left`);
    assert(memory < 300, `${memory} MB`);
  });
});

Deno.test({
  name: "sixteen ranges of a zip take at most three times one client's processor time",
  ignore: !LINUX || need("curl", "aria2c", "truncate").ignore,
}, async () => {
  await serving(async (folder, url, { pid }) => {
    for (const name of ["warm", "one", "many"]) {
      await Deno.mkdir(`${folder}/root/${name}`);
      for (const file of "abcd") await output("truncate", "-s", "100M", `${folder}/root/${name}/${file}`);
    }
    const one = async (name: string) => {
      const start = processorMs(pid);
      await output("curl", "-sf", "-o", `${folder}/${name}.zip`, `${url}/${name}/?archive=zip`);
      return processorMs(pid) - start;
    };
    await one("warm");
    const alone = await one("one"), start = processorMs(pid);
    const many = ["-q", "-x16", "-s16", "-k1M", "-d", folder, "-o", "many.zip", `${url}/many/?archive=zip`];
    await output("aria2c", ...many);
    const ranges = processorMs(pid) - start;
    assertMatch(await output("unzip", "-t", `${folder}/many.zip`), /No errors detected/);
    assert(ranges <= 3 * alone, `${ranges} ms, and ${alone} ms for one client`);
  });
});
