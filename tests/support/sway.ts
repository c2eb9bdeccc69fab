/** A Wayland compositor of the test's own: sway without a screen. */

import { need } from "./need.ts";
import { until } from "./until.ts";
import { Client } from "./xvfb.ts";

/** What every test of Wayland needs. */
export const SWAY = need("sway", "swaymsg");

/** How to start it. */
export interface SwayOptions {
  /** The outputs, as lines of sway's configuration; one of 1280 by 720 if left out. */
  outputs?: string[];
  /** Further lines of its configuration. */
  config?: string[];
  /** Whether it starts XWayland when a program needs it. */
  xwayland?: boolean;
}

/** sway refuses to run as root, which tests may be: then it runs as the user nobody. Root may use its socket. */
const NOBODY = Deno.uid() === 0 ? { uid: 65534, gid: 65534 } : {};

const ONE_OUTPUT = ["output HEADLESS-1 resolution 1280x720 position 0 0"];

/** A running sway. `await using` ends it. */
export class Sway {
  #child: Deno.ChildProcess;

  private constructor(
    child: Deno.ChildProcess,
    readonly folder: string,
    readonly outputs: number,
    /** Its socket's name. */
    readonly display: string,
  ) {
    this.#child = child;
  }

  /** Starts a compositor and waits until it takes connections. */
  static async start(options: SwayOptions = {}): Promise<Sway> {
    const { outputs = ONE_OUTPUT, config = [], xwayland = false } = options;
    const folder = await Deno.makeTempDir({ prefix: "deskhand-sway-" });
    const lines = [
      ...outputs,
      ...config,
      `xwayland ${xwayland ? "enable" : "disable"}`,
      ...(xwayland ? [`exec sh -c 'echo $DISPLAY >${folder}/x11'`] : []),
      "default_border none",
      "focus_follows_mouse no",
    ];
    await Deno.writeTextFile(`${folder}/config`, lines.join("\n") + "\n");
    if (NOBODY.uid !== undefined) await Deno.chown(folder, NOBODY.uid, NOBODY.gid);
    const child = spawn(folder, outputs.length);
    const display = await socketIn(folder);
    return new Sway(child, folder, outputs.length, display);
  }

  /** Its process. */
  get pid(): number {
    return this.#child.pid;
  }

  /** The path of its socket. */
  get socket(): string {
    return `${this.folder}/${this.display}`;
  }

  /** Environment for programs on it. */
  get env(): Record<string, string> {
    return {
      XDG_RUNTIME_DIR: this.folder,
      WAYLAND_DISPLAY: this.display,
      SWAYSOCK: `${this.folder}/sway.sock`,
      LC_ALL: "C.UTF-8",
      DISPLAY: "",
      XDG_SESSION_TYPE: "wayland",
    };
  }

  /** Runs a program on it to its end; gives what it printed. */
  async run(program: string, ...args: string[]): Promise<string> {
    const { stdout, stderr, success } = await new Deno.Command(program, { args, env: this.env }).output();
    const text = new TextDecoder().decode(stdout);
    if (!success) throw new Error(`${program} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}${text}`);
    return text;
  }

  /** Starts a program on it, as the user whose compositor it is. */
  spawn(program: string, ...args: string[]): Client {
    return new Client(program, args, { ...this.env, HOME: this.folder }, NOBODY);
  }

  /** Starts an X11 program under its XWayland, which lets no other user in. */
  async spawnX11(program: string, ...args: string[]): Promise<Client> {
    const display = await until(
      () => Deno.readTextFile(`${this.folder}/x11`).catch(() => ""),
      (text) => text.endsWith("\n"),
    );
    return new Client(program, args, { ...this.env, HOME: this.folder, DISPLAY: display.trim() }, NOBODY);
  }

  /** Waits until programs have windows. */
  async windows(count: number): Promise<string[]> {
    return await until(async () => {
      const tree = await this.run("swaymsg", "-t", "get_tree");
      return namesOf(JSON.parse(tree));
    }, (names) => names.length >= count);
  }

  /** Kills it, as a crash does. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
    for (const path of [this.socket, `${this.socket}.lock`, this.env.SWAYSOCK]) await Deno.remove(path);
  }

  /** Starts it again at the same socket after {@linkcode kill}. */
  async restart(): Promise<void> {
    this.#child = spawn(this.folder, this.outputs);
    await socketIn(this.folder);
  }

  async [Symbol.asyncDispose]() {
    try {
      this.#child.kill("SIGTERM");
    } catch {
      // It has ended by itself.
    }
    await this.#child.status;
    await Deno.remove(this.folder, { recursive: true });
  }
}

function spawn(folder: string, outputs: number): Deno.ChildProcess {
  return new Deno.Command("sway", {
    args: ["-c", `${folder}/config`],
    ...NOBODY,
    cwd: folder,
    env: {
      XDG_RUNTIME_DIR: folder,
      SWAYSOCK: `${folder}/sway.sock`,
      WAYLAND_DISPLAY: "",
      DISPLAY: "",
      WLR_BACKENDS: "headless",
      WLR_LIBINPUT_NO_DEVICES: "1",
      WLR_RENDERER: "pixman",
      WLR_HEADLESS_OUTPUTS: String(outputs),
      LC_ALL: "C.UTF-8",
    },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
}

/** Waits until the compositor answers, and gives the name of its socket. */
async function socketIn(folder: string): Promise<string> {
  const found = await until(() => {
    for (const { name } of Deno.readDirSync(folder)) if (/^wayland-\d+$/.test(name)) return name;
    return undefined;
  });
  const env = { XDG_RUNTIME_DIR: folder, SWAYSOCK: `${folder}/sway.sock` };
  await until(async () =>
    (await new Deno.Command("swaymsg", { args: ["-t", "get_outputs"], env, stdout: "null", stderr: "null" })
      .output()).success
  );
  return found!;
}

/** A part of sway's tree. */
interface Node {
  pid?: number;
  name?: string;
  nodes: Node[];
  floating_nodes: Node[];
}

function namesOf(node: Node): string[] {
  const inner = [...node.nodes, ...node.floating_nodes].flatMap(namesOf);
  return node.pid ? [node.name ?? "", ...inner] : inner;
}
