/**
 * Uses a deskhand once, from start to exit: a check of the release files before they are published.
 *
 *     deno run -A tools/smoke.ts [--files-only] COMMAND [ARGUMENT …]
 *
 * The command starts deskhand. Requires a desktop, and on Linux xterm; with `--files-only` neither. Prints a
 * line per step, and exits with 1 and deskhand's whole output if one fails.
 */

/** Maximum time for a step to reach its required state, in milliseconds. */
const PATIENCE_MS = 90_000;
const CONTENT = "0123456789";
const TITLE = "deskhand-smoke";

/** Programs whose window accepts text and that write the received text to a file, by system. */
const WITNESSES: Partial<Record<typeof Deno.build.os, Witness>> = {
  linux: {
    text: "héllo 1+1=2 {a} 漢\n",
    arrives: "héllo 1+1=2 {a} 漢",
    command: (
      file,
    ) => ["xterm", "-u8", "-T", TITLE, "-e", "sh", "-c", `read -r line; printf %s "$line" >'${file}'`],
    save: undefined,
  },
  windows: {
    text: "hello 1+1=2 {a}", // how notepad encodes other letters depends on its version
    arrives: "hello 1+1=2 {a}",
    command: (file) => ["notepad.exe", file],
    save: "ctrl+s",
  },
};

/** The fields used from the list of windows. */
interface Shown {
  title: string;
  active: boolean;
}

interface Witness {
  text: string;
  arrives: string;
  command(file: string): string[];
  /** The keys that make the program write its file. */
  save: string | undefined;
}

/** A running deskhand. */
class Deskhand {
  #printed = "";
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;

  constructor(command: readonly string[], args: readonly string[], state: string) {
    this.#child = new Deno.Command(command[0], {
      args: [...command.slice(1), ...args],
      env: { XDG_STATE_HOME: state, LOCALAPPDATA: state, NO_COLOR: "1", LC_ALL: "C.UTF-8" },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    for (const stream of [this.#child.stdout, this.#child.stderr]) this.#keep(stream);
  }

  /** All text printed by the program. */
  get printed(): string {
    return this.#printed;
  }

  /** Waits until the program prints a match; returns the match's first group. */
  async prints(pattern: RegExp): Promise<string> {
    let hasEnded = false;
    this.#child.status.then(() => hasEnded = true);
    const match = await eventually(`it prints ${pattern}`, () => {
      if (hasEnded) throw new Error(`it ended before it printed ${pattern}`);
      return pattern.exec(this.#printed);
    });
    return match[1];
  }

  /** Types a line at its prompt. */
  async types(line: string): Promise<void> {
    await this.#input.write(new TextEncoder().encode(`${line}\n`));
  }

  /** Sends a signal to the program, unless it has exited. */
  kill(signal: Deno.Signal): void {
    send(signal, this.#child);
  }

  /** Waits until the program exits; returns the exit code. */
  async ended(): Promise<number> {
    const { code } = await this.#child.status;
    return code;
  }

  async #keep(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      this.#printed += text.replaceAll("\r", "");
    }
  }
}

/** Sends a signal to a program, unless it has exited. */
function send(signal: Deno.Signal, child: Deno.ChildProcess): void {
  try {
    child.kill(signal);
  } catch {
    // It has exited.
  }
}

/** The context of the steps. */
interface Setting {
  deskhand: Deskhand;
  /** The served folder. */
  folder: string;
  /** The control API's address. */
  url: string;
  /** The file server's address. */
  files: string;
}

type Step = [name: string, act: (setting: Setting) => Promise<void>];

const DESKTOP_STEPS: readonly Step[] = [
  ["the control API starts", async (setting) => {
    const port = await setting.deskhand.prints(/^HTTP server started on port (\d+)/m);
    setting.url = `http://127.0.0.1:${port}/api`;
  }],
  ["the pointer is where it was moved to", async ({ url }) => {
    for (const place of [{ x: 120, y: 90 }, { x: 200, y: 150 }]) {
      same(await ask(url, "move", place), { ok: true });
      await eventually(`the pointer is at ${place.x},${place.y}`, async () => {
        const { x, y } = await ask(url, "position");
        return x === place.x && y === place.y;
      });
    }
  }],
  ["a picture has the size of the screen", async ({ url }) => {
    const { width, height } = await ask(url, "screen");
    const png = await (await fetch(`${url}/screenshot?format=png`)).bytes(), view = new DataView(png.buffer);
    // "PNG (Portable Network Graphics) Specification", 5.2 and 11.2.2: the signature, and IHDR's width and height.
    same(view.getBigUint64(0).toString(16), "89504e470d0a1a0a");
    same([view.getUint32(16), view.getUint32(20)], [width, height]);
  }],
  ["text arrives in a real program", async ({ url, folder }) => {
    const witness = WITNESSES[Deno.build.os];
    if (!witness) throw new Error(`no program for ${Deno.build.os} is known`);
    const file = `${folder}/${TITLE}.txt`, [program, ...args] = witness.command(file);
    await Deno.writeTextFile(file, "");
    const child = new Deno.Command(program, { args, env: { LC_ALL: "C.UTF-8" }, stderr: "null" }).spawn();
    try {
      await ask(url, "wait", { window: { title: TITLE }, timeout_ms: PATIENCE_MS });
      const { windows } = await ask(url, "windows");
      const { x, y, width, height } = windows.find(({ title }: Shown) => title.includes(TITLE));
      await ask(url, "click", { x: x + width / 2 | 0, y: y + height / 2 | 0, button: "left" });
      // Without a window manager no window is active, and the keyboard focus follows the pointer.
      await eventually("the program's window is active", async () => {
        const shown: Shown[] = (await ask(url, "windows")).windows;
        return !shown.some(({ active }) => active) ||
          shown.some(({ active, title }) => active && title.includes(TITLE));
      });
      await ask(url, "type", { text: witness.text });
      if (witness.save) await ask(url, "key", { keys: witness.save });
      await eventually("the program writes what it got", async () => {
        // Windows denies a program's write while another one reads, so an empty file is not opened.
        if ((await Deno.stat(file)).size === 0) return false;
        return (await Deno.readTextFile(file).catch(() => "")).includes(witness.arrives);
      });
    } finally {
      send("SIGKILL", child);
      await child.status;
    }
  }],
];

const FILE_STEPS: readonly Step[] = [
  ["a part of a file is served", async (setting) => {
    const port = await setting.deskhand.prints(/^File server started on port (\d+)/m);
    setting.files = `http://127.0.0.1:${port}`;
    await Deno.writeTextFile(`${setting.folder}/naïve.txt`, CONTENT);
    const answer = await fetch(`${setting.files}/na%C3%AFve.txt`, { headers: { range: "bytes=2-4" } });
    same([answer.status, await answer.text(), answer.headers.get("content-range")], [
      206,
      "234",
      "bytes 2-4/10",
    ]);
  }],
  ["the folder is listed", async ({ files }) => {
    const listing = await (await fetch(`${files}/?format=json`)).text();
    if (!listing.includes("naïve.txt")) throw new Error(`the listing is ${listing}`);
  }],
];

const PROMPT_STEPS: readonly Step[] = [
  ["the prompt knows the pointer's place", async ({ deskhand }) => {
    await deskhand.types("m50-60");
    await deskhand.types("g");
    await deskhand.prints(/^(50 60)$/m);
  }],
  ["quit ends it well", async ({ deskhand }) => {
    await deskhand.types("quit");
    same(await deskhand.ended(), 0);
  }],
];

const SIGNAL_STEPS: readonly Step[] = [
  ["SIGTERM ends it well", async ({ deskhand }) => {
    deskhand.kill("SIGTERM");
    same(await deskhand.ended(), 0);
  }],
];

/** Calls the control API. A body makes it a POST. */
// deno-lint-ignore no-explicit-any
async function ask(url: string, path: string, body?: unknown): Promise<any> {
  const init = body === undefined ? undefined : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(`${url}/${path}`, init), text = await answer.text();
  if (!answer.ok) throw new Error(`${path} is answered with ${answer.status}: ${text}`);
  return JSON.parse(text);
}

/** Repeats a check until it returns a value, and returns that. */
async function eventually<T>(what: string, look: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (const start = Date.now(); Date.now() - start < PATIENCE_MS;) {
    const found = await look();
    if (found) return found;
    await new Promise((wait) => setTimeout(wait, 50));
  }
  throw new Error(`within ${PATIENCE_MS / 1000} s it did not come that ${what}`);
}

function same(found: unknown, expected: unknown): void {
  const [left, right] = [found, expected].map((value) => JSON.stringify(value));
  if (left !== right) throw new Error(`${left} is not ${right}`);
}

/** Tries all steps; returns the exit code. */
async function smoke(args: readonly string[]): Promise<number> {
  const filesOnly = args[0] === "--files-only", command = filesOnly ? args.slice(1) : args;
  if (!command.length) {
    console.error("usage: deno run -A tools/smoke.ts [--files-only] COMMAND [ARGUMENT …]");
    return 2;
  }
  const [folder, state] = await Promise.all([Deno.makeTempDir(), Deno.makeTempDir()]);
  const servers = ["--files", folder, "--files-port", "0", ...filesOnly ? [] : ["--http", "0"]];
  const deskhand = new Deskhand(command, servers, state);
  const setting = { deskhand, folder, url: "", files: "" };
  const steps = filesOnly
    ? [...FILE_STEPS, ...SIGNAL_STEPS]
    : [...DESKTOP_STEPS, ...FILE_STEPS, ...PROMPT_STEPS];
  try {
    for (const [name, act] of steps) {
      try {
        await act(setting);
      } catch (error) {
        console.error(`NO  ${name}: ${(error as Error).message}\n\nIt printed:\n${deskhand.printed}`);
        return 1;
      }
      console.log(`ok  ${name}`);
    }
    return 0;
  } finally {
    deskhand.kill("SIGKILL");
    await deskhand.ended();
    for (const path of [folder, state]) await Deno.remove(path, { recursive: true });
  }
}

if (import.meta.main) Deno.exit(await smoke(Deno.args));
