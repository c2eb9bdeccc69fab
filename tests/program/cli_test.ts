/** The program from outside: start message, exit codes, pipes, curl. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ENDPOINTS } from "../../control/http/endpoints.ts";
import { isThere } from "../../core/path.ts";
import { PERMISSIONS } from "../../tools/compile.ts";
import { need } from "../support/need.ts";
import { Program, run } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";
import { Terminal } from "../support/terminal.ts";
import { VERSION } from "../../core/version.ts";
import { statusOf } from "../support/uploads.ts";

const VIRTUAL = ["--desktop", "virtual"];
/** An environment without a display or session, even if the machine has them. */
const HEADLESS = { DISPLAY: "", WAYLAND_DISPLAY: "", XDG_SESSION_TYPE: "" };

const ENDINGS: [name: string, args: string[], input: string, code: number, stdout: RegExp, stderr: RegExp][] =
  [
    ["help", ["--help"], "", 0, /^ {6}--http \[PORT\]/m, /^$/],
    ["version", ["--version"], "", 0, new RegExp(`^deskhand ${VERSION}\n$`), /^$/],
    ["the word help", ["help"], "", 0, /^ {6}--http \[PORT\]/m, /^$/],
    ["the word version", ["version"], "", 0, new RegExp(`^deskhand ${VERSION}\n$`), /^$/],
    [
      "a misspelled word",
      ["docter"],
      "",
      2,
      /^$/,
      /^deskhand: unknown command "docter" \(did you mean doctor\?\);/,
    ],
    [
      "an unknown option",
      ["--frob"],
      "",
      2,
      /^$/,
      /^deskhand: unknown option --frob; --help all lists all options\n$/,
    ],
    ["an unknown word", ["frob"], "", 2, /^$/, /^deskhand: unknown command "frob"; available: doctor, /],
    ["a wrong port", ["--http=x"], "", 2, /^$/, /^deskhand: --http takes a port/],
    [
      "an invalid address",
      [...VIRTUAL, "--http", "0", "--host", "*"],
      "",
      2,
      /^$/,
      /^deskhand: HTTP server: \* is not an address of this machine; use one of its own, 0\.0\.0\.0 or :: for all$/m,
    ],
    [
      "an address of another machine",
      [...VIRTUAL, "--http", "0", "--host", "192.0.2.1"],
      "",
      2,
      /^$/,
      /192\.0\.2\.1 is not an address/,
    ],
    [
      "an unwritable log",
      [...VIRTUAL, "--http", "0", "--log", "/nowhere/x"],
      "",
      2,
      /^$/,
      /--log \/nowhere\/x/,
    ],
    ["no input", VIRTUAL, "", 0, /^$/, /^$/],
    [
      "an option without effect",
      [...VIRTUAL, "--index"],
      "g\n",
      0,
      /^640 360\n$/,
      /^--index does nothing .*\n$/,
    ],
    ["commands from a pipe", VIRTUAL, "m3-4\ng\nc5-6\n\n# done\ng\n", 0, /^3 4\n5 6\n$/, /^$/],
    ["a last line without a line feed", VIRTUAL, "m3-4\ng", 0, /^3 4\n$/, /^$/],
    ["Windows line ends", VIRTUAL, "m3-4\r\ng\r\n", 0, /^3 4\n$/, /^$/],
    [
      "a wrong line",
      VIRTUAL,
      "g\nfoo\ng\n",
      1,
      /^640 360\n640 360\n$/,
      /^line 2: unknown command foo; help all lists them\n$/,
    ],
    ["quit", VIRTUAL, "quit\ng\n", 0, /^$/, /^$/],
    ["-c", [...VIRTUAL, "-c", "m1-2; g", "-c", "g"], "", 0, /^1 2\n1 2\n$/, /^$/],
    ["a failing -c", [...VIRTUAL, "-c", "m1-2; zz; g"], "", 1, /^1 2\n$/, /^unknown command zz/],
    ["-c and --read-only", [...VIRTUAL, "--read-only", "-c", "m1-2; g"], "", 1, /^640 360\n$/, /--read-only/],
  ];

for (const [name, args, input, code, stdout, stderr] of ENDINGS) {
  Deno.test(`${name} ends with ${code}`, async () => {
    const ended = await run(args, input);
    assertMatch(ended.stdout, stdout);
    assertMatch(ended.stderr, stderr);
    assertEquals(ended.code, code);
  });
}

Deno.test(
  { name: "exits with 3 without a desktop and says how to get one", ignore: Deno.build.os !== "linux" },
  async () => {
    const { code, stderr, stdout } = await run(["--http", "0"], "", { env: HEADLESS });
    assertEquals([code, stdout], [3, ""]);
    assertStringIncludes(stderr, "--desktop virtual");
  },
);

Deno.test({
  name: "a wrong setting exits with 2 even without a display",
  ignore: Deno.build.os !== "linux",
  async fn(test) {
    await temporary(async (folder) => {
      using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const port = String(taken.addr.port);
      const CASES: [args: string[], stderr: RegExp][] = [
        [["--http", port], /port \d+ is taken/],
        [["--http", "0", "--files", folder, "--files-port", port], /port \d+ is taken/],
        [["--http", "0", "--token-file", `${folder}/missing`], /--token-file .* cannot be read/],
        [["--http", "0", "--token", "short"], /the token must be/],
        [["--http", "0", "--allow-origin", "example.org"], /--allow-origin takes an origin/],
        [["--http", "0", "--allow-host", "a:1"], /--allow-host takes a host name/],
        [["--http", "0", "--cert", `${folder}/cert.pem`], /--key is missing/],
        [["--http", "0", "--host", "192.0.2.1"], /is not an address of this machine/],
        [["--http", "0", "--log", folder], /--log/],
        [["--http", "0", "--files", `${folder}/missing`, "--files-port", "0"], /missing/],
        [["--http", "0", "--files", folder, "--files-port", "0", "--files-auth", "me"], /--files-auth takes/],
        [
          ["--http", "0", "--files", folder, "--files-port", "0", "--upload-auth", "me"],
          /--upload-auth takes/,
        ],
      ];
      for (const [args, message] of CASES) {
        await test.step(args.slice(2).join(" ").replace(folder, "") || "a taken port", async () => {
          const { code, stdout, stderr } = await run(args, "", { env: HEADLESS });
          assertMatch(stderr, message);
          assertEquals([code, stdout], [2, ""], stderr);
        });
      }
    });
  },
});

Deno.test({
  name: "a full disk fails the output of results, and a reader that closes early does not",
  ignore: Deno.build.os !== "linux", // /dev/full
}, async () => {
  const deskhand = `"${Deno.execPath()}" run -A main.ts --desktop virtual`;
  const CASES: [line: string, code: number, stderr: RegExp][] = [
    [`${deskhand} -c g >/dev/full`, 1, /^deskhand: standard output cannot be written: No space left/],
    [`${deskhand} --help >/dev/full`, 1, /No space left/],
    [`{ ${deskhand} -c 'help; help'; echo $? >&2; } | :`, 0, /^0\n$/],
  ];
  for (const [line, code, stderr] of CASES) {
    const ended = await new Deno.Command("sh", { args: ["-c", line] }).output();
    assertMatch(new TextDecoder().decode(ended.stderr), stderr);
    assertEquals(ended.code, code, line);
  }
});

Deno.test({
  name: "results wait for a slow reader, even on a non-blocking pipe",
  ignore: need("python3").ignore || Deno.build.os !== "linux", // F_SETPIPE_SZ
}, async () => {
  const times = 60;
  const script = `
import fcntl, os, subprocess, sys
reading, writing = os.pipe()
fcntl.fcntl(writing, 1031, 4096) # F_SETPIPE_SZ
os.set_blocking(writing, False)
program = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=writing)
os.close(writing)
lines = 0
with os.fdopen(reading) as results:
    for line in results: lines += line.startswith("  history")
print(lines, program.wait())`;
  const { stdout } = await new Deno.Command("python3", {
    args: [
      ...["-c", script, Deno.execPath(), "run", "-A", "main.ts", ...VIRTUAL, "-c"],
      "help all;".repeat(times),
    ],
  }).output();
  assertEquals(new TextDecoder().decode(stdout), `${times} 0\n`);
});

Deno.test("the start message names the port and every endpoint, and a taken port exits with 2", async () => {
  await using program = new Program([...VIRTUAL, "--http", "0"]);
  const url = await program.controlUrl();
  await program.printed(/openapi\.json/);
  const lines = program.stdout.split("\n");
  assertEquals(lines[0], `HTTP server started on port ${new URL(url).port}`);
  for (const { method, path } of ENDPOINTS.filter(({ part }) => !part)) {
    assertEquals(
      lines.some((line) => line.trim().startsWith(`${method} `) && line.includes(` ${path} `)),
      true,
      path,
    );
  }
  const columns = lines.map((line) => line.indexOf(" /")).filter((at) => at >= 0);
  assertEquals(new Set(columns).size, 1, "the paths stand in one column");
  const second = await run([...VIRTUAL, "--http", new URL(url).port]);
  assertEquals([second.code, second.stdout], [2, ""]);
  assertMatch(second.stderr, /^deskhand: HTTP server: port \d+ is taken by another program/);
});

Deno.test(
  { name: "curl works on both loopback addresses while the prompt runs", ...need("curl") },
  async () => {
    await using program = new Program([...VIRTUAL, "--http", "0"]);
    const url = await program.controlUrl();
    const curl = async (...args: string[]) => {
      const { stdout } = await new Deno.Command("curl", { args: ["-s", ...args] }).output();
      return new TextDecoder().decode(stdout);
    };
    assertEquals(await curl("-d", '{"x":7,"y":8}', `${url}/api/move`), '{"ok":true}\n');
    assertEquals(await curl(`${url}/api/position`), '{"x":7,"y":8}\n');
    assertEquals(await curl(url.replace("127.0.0.1", "localhost") + "/api/position"), '{"x":7,"y":8}\n');
    assertEquals(await curl("-d", '{"x":7}', `${url}/api/move`), '{"error":"Missing y"}\n');
    assertMatch(await curl("-I", `${url}/api/screenshot`), /^content-type: image\/bmp\r$/im);
    await program.write("g");
    await program.printed(/^7 8$/m);
    await program.write("m9-9");
    await program.write("g");
    await program.printed(/^9 9$/m);
    assertEquals(await curl(`${url}/api/position`), '{"x":9,"y":9}\n');
  },
);

Deno.test("the end of input does not end a serving program, a signal does", async () => {
  for (const [signal, code] of [["SIGTERM", 0], ["SIGINT", 130], ["SIGHUP", 129]] as const) {
    await using program = new Program([...VIRTUAL, "--http", "0"]);
    const url = await program.controlUrl();
    await program.endInput();
    for (let i = 0; i < 3; i++) {
      assertEquals(await (await fetch(`${url}/api/position`)).json(), { x: 640, y: 360 });
    }
    program.kill(signal);
    assertEquals((await program.ended()).code, code);
  }
});

Deno.test("do saves each picture to its own file, and fails where a step takes none", async () => {
  await temporary(async (folder) => {
    const secret = "0123456789abcdef0123", token = ["--token", secret];
    await using program = new Program([...VIRTUAL, "--http", "0", ...token]);
    const { port } = new URL(await program.controlUrl());
    const look = (window: string) => `see picture zoom=1 window="${window}"`,
      does = ["do", "--http", port, ...token];
    const clock = `${folder}/clock.png`, form = `${folder}/form.png`, missing = `${folder}/gone/a.png`;
    const part = 'see picture zoom=1 region={"x":0,"y":0,"width":30,"height":20}';
    const steps = [look("Notes"), `${look("Clock")} to=${clock}`, `${part} to=${form}`];
    const saved = await run([...does, ...steps]);
    assertEquals([saved.code, saved.stderr], [
      0,
      `${clock} has the picture\n${form} has the picture\n`,
    ]);
    const headers = { authorization: `Bearer ${secret}` };
    const { windows } = await (await fetch(`http://localhost:${port}/api/windows`, { headers })).json();
    const { width, height } = windows.find(({ title }: { title: string }) => title === "Clock");
    assertEquals([sizeOf(clock), sizeOf(form)], [[width, height], [30, 20]]);
    for (
      const [step, said] of [
        [
          `see to=${folder}/a.png`,
          /a\.png was not written: only a step that takes a picture, such as see picture/,
        ],
        [`see picture to=${missing}`, /cannot write .*a\.png: No such file/],
      ] as const
    ) {
      const { code, stderr } = await run([...does, step]);
      assertEquals(code, 1);
      assertMatch(stderr, said);
    }
    const failed = await run([...does, "click 100,100", 'click button "Nowhere"', "see"]);
    assertEquals(failed.code, 1);
    assertMatch(failed.stdout, /^1\/3 done; /);
    assertMatch(failed.stderr, /^deskhand: 2\. failed: .*Nowhere.*\n$/);
    assert(!failed.stdout.includes("Nowhere"), failed.stdout);
  });
});

/** The width and height in a PNG file's header. */
function sizeOf(path: string): number[] {
  const header = new DataView(Deno.readFileSync(path).buffer);
  return [header.getUint32(16), header.getUint32(20)];
}

Deno.test("an endless line of input fails", async () => {
  await using program = new Program(["--desktop", "virtual"]);
  await program.write("x".repeat(3 * 1024 * 1024)).catch(() => {}); // only part of it is read
  const { code, stderr } = await program.ended();
  assertEquals([code, /^cannot read standard input: .*$/m.exec(stderr)?.[0]], [
    1,
    "cannot read standard input: a line has more than 1048576 characters",
  ]);
});

Deno.test({
  name: "under nohup the program outlives its terminal and needs no input",
  ...need("tmux", "nohup"),
}, async () => {
  await temporary(async (folder) => {
    // With an executable's permissions, Deno reads nothing below /proc.
    const deskhand = `${Deno.execPath()} run ${PERMISSIONS.join(" ")} main.ts --desktop virtual --http 0`;
    const script = `${folder}/start`, out = `${folder}/out`, err = `${folder}/err`;
    await Deno.writeTextFile(script, `echo $$ >&2; exec nohup ${deskhand} >${out} 2>>${err}`);
    const text = (file: string) => isThere(file) ? Deno.readTextFileSync(file) : "";
    {
      await using _terminal = await Terminal.open(`sh ${script} 2>${err}`);
      await until(() => text(err), (lines) => /^cannot read standard input/m.test(lines));
    } // closes the terminal
    const pid = Number(/^\d+/.exec(text(err)));
    try {
      Deno.kill(pid, "SIGHUP"); // what a session's remaining processes receive from its shell
      const port = /port (\d+)/.exec(text(out))![1];
      for (let times = 0; times < 3; times++) {
        const response = await fetch(`http://127.0.0.1:${port}/api/position`);
        assertEquals(await response.json(), { x: 640, y: 360 });
      }
    } finally {
      Deno.kill(pid, "SIGKILL");
    }
  });
});

Deno.test("the log has one line per request, and no client can inject text into it", async () => {
  await temporary(async (folder) => {
    await using program = new Program([...VIRTUAL, "--http", "0", "--log", `${folder}/log`]);
    const url = await program.controlUrl();
    for (const [path, body] of [["/api/type", '{"text":"secret"}'], ["/nowhere?token=secret", "{}"]]) {
      await statusOf(fetch(url + path, { method: "POST", body }));
    }
    const log = () => Deno.readTextFile(`${folder}/log`);
    assertMatch(
      await until(log, (text) => text.split("\n").length > 2),
      /^\S+Z control 127\.0\.0\.1 POST \/api\/type 200 [\d.]+ms\n\S+Z control 127\.0\.0\.1 POST \/nowhere 40\d [\d.]+ms\n$/,
    );
    assertEquals((await Deno.stat(`${folder}/log`)).mode! & 0o777, 0o600);
  });
});
