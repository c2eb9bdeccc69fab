/** `deno task compile`: embedded files, permissions, the base runtime, and the message without one. */

import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { fromFileUrl, join, relative } from "@std/path";
import { config } from "../support/config.ts";
import { Program, run } from "../support/program.ts";
import { PERMISSIONS } from "../../tools/compile.ts";
import { chooseBase } from "../../tools/compile/base.ts";
import { EmbeddingError, findParts, ownFiles } from "../../tools/compile/embedded.ts";
import { targetOf, TARGETS } from "../../tools/compile/targets.ts";
import { statusOf } from "../support/uploads.ts";
import { temporary } from "../support/shell.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));

/** A program's first bytes, with the magic numbers of its format and processor. */
function header(format: "ELF" | "PE", machine: number): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(256));
  if (format === "ELF") {
    view.setUint32(0, 0x7f454c46);
    view.setUint16(18, machine, true);
  } else {
    view.setUint16(0, 0x4d5a);
    view.setUint32(0x3c, 0x80, true);
    view.setUint32(0x80, 0x50450000);
    view.setUint16(0x84, machine, true);
  }
  return new Uint8Array(view.buffer);
}

Deno.test("reads a program's target from its header", async () => {
  const path = await Deno.makeTempFile();
  try {
    for (const target of TARGETS) {
      await Deno.writeFile(path, header(target.format, target.machine));
      assertEquals(targetOf(path)?.name, target.name);
    }
    for (const other of [header("ELF", 0x28), header("PE", 0x14c), new Uint8Array(256), new Uint8Array(3)]) {
      await Deno.writeFile(path, other);
      assertEquals(targetOf(path), undefined);
    }
  } finally {
    await Deno.remove(path);
  }
});

Deno.test({
  name: "recognizes the running Deno as a program for this machine",
  ignore: !TARGETS.some(({ triple }) => triple === Deno.build.target),
  fn: () => assertEquals(targetOf(Deno.execPath())?.triple, Deno.build.target),
});

Deno.test("uses DENORT_BIN only for the target it fits", async () => {
  const [linux, arm] = TARGETS;
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeFile(path, header(linux.format, linux.machine));
    assertEquals(chooseBase(linux, path), { from: "file", path });
    const why = (denortBin?: string) => (chooseBase(arm, denortBin) as { why: string }).why;
    assertStringIncludes(why(path), "which is for linux-x64");
    assertStringIncludes(why(`${path}.missing`), "cannot be read");
    assertEquals(why(""), "DENORT_BIN is not set");
    assertEquals(why(), "DENORT_BIN is not set");
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("finds Workers and files in the source", async () => {
  await temporary(async (folder) => {
    const write = (name: string, text: string) => Deno.writeTextFile(join(folder, name), text);

    await Deno.mkdir(join(folder, "page"));
    await write("page/index.html", "<!doctype html>");
    await write("words.txt", "words");
    await write("main.ts", 'import "./part.ts";\n');
    await write("part.ts", 'new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });\n');
    await write("worker.ts", 'import "./deep.ts";\n');
    await write(
      "deep.ts",
      'Deno.readFile(new URL("page/", import.meta.url));\nnew URL(\n  "words.txt",\n  import.meta.url,\n);\n',
    );
    const at = (...names: string[]) => names.map((name) => join(folder, name));
    assertEquals(await findParts(join(folder, "main.ts")), {
      modules: at("deep.ts", "main.ts", "part.ts", "worker.ts"),
      workers: at("worker.ts"),
      files: at("page/", "words.txt"),
    });
  });
});

Deno.test("refuses references that it cannot follow, with their line", () => {
  const module = join(ROOT, "control/http/handler.ts");
  for (
    const [source, message] of [
      [
        "\nnew URL(`./${name}`, import.meta.url)",
        "handler.ts:2 names a file in a way that cannot be followed",
      ],
      ["new URL(name, import.meta.url)", "cannot be followed"],
      ["import.meta.dirname + name", "cannot be followed"],
      ['new URL("./missing.ts", import.meta.url)', "names ./missing.ts, which is not there"],
      ['new URL("..", import.meta.url)', "the folder that it is in itself"],
      ['new URL(".", import.meta.url)', "the folder that it is in itself"],
    ]
  ) {
    assertStringIncludes(assertThrows(() => ownFiles(module, source), EmbeddingError).message, message);
  }
  for (const source of ["new URL(text, base)", " * new URL(name, import.meta.url)", "import.meta.main"]) {
    assertEquals(ownFiles(module, source), []);
  }
});

Deno.test("the executable's permissions are those that the source uses, and no more", async () => {
  const found = await findParts(join(ROOT, "main.ts"));
  // The text recognition engine refers to /proc of its own in-memory file system.
  const modules = found.modules.filter((path) => !path.endsWith("control/read/tesseract/engine.js"));
  const source = (await Promise.all(modules.map((path) => Deno.readTextFile(path)))).join("\n");
  const apis = /\bDeno\.(hostname|osRelease|osUptime|loadavg|networkInterfaces|systemMemoryInfo|uid|gid)\(/g;
  const nodeApis = /\b(statfs)(?:Sync)?\(/g;
  const used = new Set([...source.matchAll(apis), ...source.matchAll(nodeApis)].map((match) => match[1]));
  const allowed = PERMISSIONS.find((flag) => flag.startsWith("--allow-sys"))!.split("=")[1].split(",");
  assertEquals(allowed.toSorted(), [...used].sort());
  const starting = await Promise.all(modules.map(async (path) => {
    return /\bnew Deno\.Command\b|node:child_process/.test(await Deno.readTextFile(path))
      ? [relative(ROOT, path)]
      : [];
  }));
  assertEquals(starting.flat().sort(), [
    "cli/own_desktop.ts", // `run`, for the person who typed it
    "cli/xdotool/commands/queries.ts", // `exec`, for the person who typed it
    "control/agents/tools/files.ts",
    "ffi/wayland/layout/settings.ts",
  ]);
  assertEquals(PERMISSIONS.filter((flag) => /allow-(?:run|all)/.test(flag)), ["--allow-run"]);
  // Deno opens /proc only to programs with all permissions; C's open(2) is not checked.
  assertEquals(/(?<!cString\()["'`]\/proc\b/.test(source), false, "it reads nothing below /proc");
});

async function compile(args: string[], env: Record<string, string> = {}) {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", ...config(), join(ROOT, "tools/compile.ts"), ...args],
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
  }).output();
  return { code, stderr: new TextDecoder().decode(stderr) };
}

Deno.test("a wrong command line exits with 2 and lists what is allowed", async () => {
  for (
    const [args, message] of [
      [["--target", "plan9"], /--target takes linux-x64, .*, not "plan9"/],
      [["--everything"], /there are --all, --target NAME/],
    ] as const
  ) {
    const { code, stderr } = await compile([...args]);
    assertEquals(code, 2);
    assertMatch(stderr, message);
  }
});

Deno.test("without a base runtime it says so and how to get one", async () => {
  await temporary(async (folder) => {
    // Deno's cache without its base runtimes, and no network.
    const deno = async (...args: string[]) => await new Deno.Command(Deno.execPath(), { args }).output();
    await Deno.writeTextFile(join(folder, "any.ts"), "");
    await deno("bundle", "--quiet", "--output", join(folder, "any.js"), join(folder, "any.ts")); // fetches esbuild
    const { denoDir } = JSON.parse(new TextDecoder().decode((await deno("info", "--json")).stdout));
    await Deno.mkdir(join(folder, "cache", "dl"), { recursive: true });
    await Deno.symlink(join(denoDir, "npm"), join(folder, "cache", "npm"));
    for (const { name } of Deno.readDirSync(join(denoDir, "dl"))) {
      if (name !== "release") {
        await Deno.symlink(join(denoDir, "dl", name), join(folder, "cache", "dl", name));
      }
    }
    const { code, stderr } = await compile(["--target", "linux-arm64", "--output", join(folder, "dist")], {
      DENO_DIR: join(folder, "cache"),
      DENORT_BIN: join(folder, "denort"),
      HTTPS_PROXY: "http://127.0.0.1:1",
      NO_PROXY: "",
    });
    assertEquals(code, 1);
    assertMatch(stderr, /^compile: neither place has the base runtime for linux-arm64:$/m);
    assertMatch(stderr, /DENORT_BIN names .*denort, which cannot be read/);
    assertMatch(stderr, /^ {2}https:\/\/dl\.deno\.land\/.*denort-aarch64-unknown-linux-gnu\.zip: \S/m);
    assertStringIncludes(stderr, "DENORT_BIN=/path/to/denort deno task compile --target linux-arm64");
    assertEquals([...Deno.readDirSync(join(folder, "dist"))], []);
  });
});

Deno.test({
  name: "with the executable's permissions files are served, and /proc, /dev and /sys are refused",
  ignore: Deno.build.os !== "linux",
}, async () => {
  await temporary(async (root) => {
    await Deno.writeTextFile(join(root, "a.txt"), "hello");
    await using program = new Program(["--files", "/", "--files-port", "0", "--allow-upload"], {
      env: { DISPLAY: "" },
      permissions: PERMISSIONS,
    });
    const url = await program.filesUrl();
    assertEquals(await (await fetch(`${url}${root}/a.txt`)).text(), "hello");
    const taken = await fetch(`${url}${root}/b.txt`, { method: "PUT", body: "mine" });
    assertEquals([taken.status, await Deno.readTextFile(join(root, "b.txt"))], [201, "mine"]);
    await taken.body?.cancel();
    const archive = await (await fetch(`${url}${root}/?archive=tar`)).bytes();
    assertEquals(archive.length, 1024 * 2 + 512 * 3);
    for (const path of ["/proc/", "/proc/self/status", "/dev/", "/sys/kernel/"]) {
      assertEquals(await statusOf(fetch(`${url}${path}`)), 404, path);
    }
    const { entries } = await (await fetch(`${url}/?format=json`)).json();
    assertEquals(entries.filter(({ name }: { name: string }) => /^(?:proc|dev|sys)$/.test(name)), []);
    const closed = await run(["--files", "/proc", "--files-port", "0"], "", { permissions: PERMISSIONS });
    assertEquals(closed.code, 2);
    assertStringIncludes(closed.stderr, "/dev, /proc and /sys");
  });
});
