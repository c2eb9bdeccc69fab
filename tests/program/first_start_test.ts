/** The first start from source, when Deno has yet to download the libraries. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { LISTED_ENDPOINTS } from "../../control/http/endpoints.ts";
import { COMMANDS } from "../../control/prompt/commands.ts";
import { VERSION } from "../../core/version.ts";
import { ownAddresses } from "../../http/listener.ts";
import { HELD } from "../../tools/package/parts.ts";
import { billOfMaterials } from "../../tools/package/sbom.ts";
import { need, needTime } from "../support/need.ts";
import { mustRun, temporary } from "../support/shell.ts";
import { readTerminalQr, Terminal } from "../support/terminal.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
/** The maximum packages and megabytes that a newcomer waits for. */
const LIMITS = { packages: 12, bytes: 40e6 };

/** The packages in a Deno cache, as `name@version`, and the cache's total bytes. */
async function contentsOf(folder: string): Promise<{ packages: string[]; bytes: number }> {
  const listed = await mustRun("find", [folder, "-type", "f", "-printf", "%s %P\\n"]);
  const files = listed.trim().split("\n").map((line) => /^(\d+) (.*)$/.exec(line)!);
  const packages = files.flatMap(([, , path]) => {
    const [, name, version] = /^npm\/[^/]+\/((?:@[^/]+\/)?[^/]+)\/(\d[^/]*)\//.exec(path) ?? [];
    return name ? `${name}@${version}` : [];
  });
  return {
    packages: [...new Set(packages)].sort(),
    bytes: files.reduce((sum, [, size]) => sum + Number(size), 0),
  };
}

Deno.test(
  "a first start from source fetches few packages, all listed in the bill of materials",
  needTime("fetches the packages of the program"),
  async () => {
    await temporary(async (folder) => {
      const args = ["task", "start", "--desktop", "virtual", "-c", "g"];
      const printed = await mustRun(Deno.execPath(), args, { cwd: ROOT, env: { DENO_DIR: folder } });
      assertEquals(printed, "640 360\n");
      const { packages, bytes } = await contentsOf(folder);
      assert(packages.length <= LIMITS.packages, `${packages.length} packages: ${packages.join(", ")}`);
      assert(bytes <= LIMITS.bytes, `${(bytes / 1e6).toFixed(1)} MB`);
      const bill = await billOfMaterials("2.9.6") as { components: { name: string; version: string }[] };
      // Components in the repository itself are not fetched.
      const listed = bill.components.filter(({ name }) => !HELD.some((held) => held.name === name))
        .map(({ name, version }) => `${name}@${version}`);
      assertEquals(packages, listed.filter((name) => !/^(?:deno|v8)@/.test(name)).sort());
    });
  },
);

Deno.test({
  ignore: need("tmux").ignore || needTime("fetches the packages of the program").ignore,
  name: "the link, the curl line and the prompt stay on the terminal while Deno downloads libraries",
  async fn() {
    await temporary(async (folder) => {
      const start = `${Deno.execPath()} task start --desktop virtual --http 0`;
      await using terminal = await Terminal.open(`DENO_DIR='${folder}/deno' ${start}`);
      await terminal.shows(/^>$/m);
      await terminal.line("g");
      await terminal.shows(/^curl http[^]*^http:\/\/\S+#token=\S+$\n^help lists .*$\n^> g$\n^640 360$\n^>$/m);
    });
  },
});

/**
 * The maximum number of modules that a start loads, including libraries: each costs some tenths of a
 * millisecond.
 */
const MODULES: [args: string[], most: number][] = [
  [["--version"], 20],
  [["--help"], 22],
  [["skill"], 22],
  [["share", "--list"], 52],
  [["xdotool", "version"], 112],
  [["-c", "g", "--desktop", "virtual"], 120],
];

for (const [args, most] of MODULES) {
  Deno.test(`deskhand ${args.join(" ")} loads at most ${most} modules`, async () => {
    await temporary(async (folder) => {
      const env = { XDG_STATE_HOME: folder };
      const run = ["run", "-A", `--coverage=${folder}/modules`, "main.ts", ...args];
      await new Deno.Command(Deno.execPath(), { args: run, cwd: ROOT, env, stdin: "null" }).output();
      const loaded = [...Deno.readDirSync(`${folder}/modules`)].length;
      assert(loaded > 1 && loaded <= most, `${loaded} modules`);
    });
  });
}

// Text on a terminal of 80 by 24 characters: the start, `status`, `help`, and the bare prompt.

const DESKHAND = `${Deno.execPath()} run -q -A main.ts --desktop virtual`;
const PATHS = [...new Set(LISTED_ENDPOINTS.map(({ path }) => path))];

/** The paths that a screen lists in groups, sorted and unique. */
function pathsOn(screen: string): string[] {
  const paths = screen.split("\n").filter((line) => /^ {2}/.test(line)).flatMap((line) =>
    line.match(/(?<= )\/\S*/g) ?? []
  );
  return [...new Set(paths)].sort();
}

Deno.test(
  { ...need("tmux"), name: "a start fits on one screen: port, paths, link, help, and how to stop" },
  async () => {
    await using terminal = await Terminal.open(`${DESKHAND} --http 0`, 80, 24);
    const screen = await terminal.shows(/^>$/m);
    assertMatch(screen, /^HTTP server started on port \d+$/m);
    assertEquals(pathsOn(screen), PATHS.toSorted());
    assertMatch(
      screen,
      /^curl http:\S+\/api\/position\nhttp:\S+\/#token=\S+\nhelp lists .*\bstatus\b.*\bquit stops\.\n>$/m,
    );
    await terminal.line("status");
    const status = await terminal.shows(/^recorder [^]*#token=\S+\n>$/m);
    assertEquals(pathsOn(status), PATHS.toSorted());
  },
);

Deno.test(
  { ...need("tmux"), name: "a narrow terminal breaks no word above the prompt, nor in usage text" },
  async () => {
    await using terminal = await Terminal.open(`${DESKHAND} --http 0`, 50, 60);
    assertMatch(
      await terminal.shows(/^>$/m),
      /^help lists commands, [^]* status\nsays this again; quit stops\.\n>$/m,
    );
    await terminal.line("help wait");
    await terminal.shows(
      /^> help wait\nwait <x>-<y> <colour> \[<ms>\] \| wait still <ms>\n {2}\[<ms>\]\n {2}wait for /m,
    );
  },
);

Deno.test({ ...need("tmux"), name: "help all has every command, and breaks no word" }, async () => {
  await using terminal = await Terminal.open(DESKHAND, 80, 130);
  assertMatch(
    await terminal.shows(/^>$/m),
    new RegExp(`^deskhand ${VERSION}: help lists the commands; .*--http`, "m"),
  );
  await terminal.line("help all");
  const screen = (await terminal.shows(/^> help all\n[^]*^>$/m)).replace(/\s+/g, " ");
  for (const { usage, summary } of COMMANDS) {
    assertEquals(screen.includes(`${usage} ${summary}`), true, usage);
  }
});

Deno.test({
  ...need("tmux"),
  name: "a terminal that supports styles shows headings in bold, any other shows none",
}, async () => {
  for (const [env, hasStyles] of [["", true], ["TERM=dumb", false], ["NO_COLOR=1", false]] as const) {
    await using terminal = await Terminal.open(`env -u NO_COLOR ${env} ${DESKHAND} --http 0`, 80, 24);
    await terminal.shows(/^>$/m);
    const screen = await terminal.styledScreen();
    // deno-lint-ignore no-control-regex
    assertEquals(/\x1b\[1mHTTP server started on port \d+/.test(screen), hasStyles, env);
    // deno-lint-ignore no-control-regex
    assertEquals(/\x1b\[4m(?:\x1b\[39m)?http:/.test(screen), hasStyles, env);
  }
});

// The links' QR codes, on a real terminal.

const [ADDRESS] = ownAddresses().filter((address) => !address.includes(":"));
if (!ADDRESS) console.error("\n!!! SKIPPED: a test needs an IPv4 address besides loopback !!!\n");

/** The text of the code below a line of the screen. */
function codeBelow(screen: string, link: string): Promise<string> {
  const lines = screen.split("\n");
  const start = lines.findIndex((line) => line === `For a phone's camera, ${link}`) + 1;
  const end = lines.findIndex((line, at) => at > start && !/^[█▀▄ ]{20}/.test(line));
  return readTerminalQr(lines.slice(start, end).join("\n"));
}

Deno.test({
  name: "a terminal shows QR codes of both links, and none if only this machine can reach them",
  ignore: need("tmux").ignore || !ADDRESS,
  async fn() {
    await temporary(async (folder) => {
      const deskhand = `${Deno.execPath()} run -q -A main.ts`;
      const options = `--desktop virtual --http 0 --files '${folder}' --files-port 0`;
      await using terminal = await Terminal.open(`${deskhand} ${options} --host ${ADDRESS}`);
      const screen = await terminal.shows(/^>$/m);
      const [page] = screen.match(/^http:\/\/\S+#token=\S+$/m) ?? [];
      const [, files] = screen.match(/^ {2}(http:\S+\/)$/m) ?? [];
      assertEquals(await codeBelow(screen, new URL("/", page).href), page);
      assertEquals(await codeBelow(screen, files), files);
      await using alone = await Terminal.open(`${deskhand} ${options}`);
      assertEquals((await alone.shows(/^>$/m)).includes("For a phone"), false);
    });
  },
});
