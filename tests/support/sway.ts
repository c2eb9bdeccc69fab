/** A Wayland compositor for tests, headless: sway, or another row of compositors.ts. */

import { COMPOSITOR, COMPOSITOR_NAME, type ListedWindow, ownCommand } from "./compositors.ts";
import { need } from "./need.ts";
import { giveToUser } from "./ordinary_user.ts";
import { runsFirst } from "./waits.ts";
import { mustRun, removeBusy, until } from "./shell.ts";
import { waylandSocket } from "./wayland_messages.ts";
import { Client } from "./xvfb.ts";

/** The needs of every Wayland test. */
export const SWAY = need("sway", "swaymsg");

/** The needs of a test specific to sway: it is skipped on other compositors. */
export function needSway(...programs: string[]): { ignore: boolean } {
  const { ignore } = need("sway", "swaymsg", ...programs);
  return { ignore: ignore || COMPOSITOR_NAME !== "sway" };
}

/** Like {@linkcode need}, for programs that only this system has: skipped when testing another system. */
export function needOwn(...programs: string[]): { ignore: boolean } {
  const { ignore } = need(...programs);
  return { ignore: ignore || Deno.env.has("WAYLAND_TEST_ROOT") };
}

/** Options for starting sway. */
interface SwayOptions {
  /** The outputs, as lines of sway's configuration; defaults to one of 1280 by 720. */
  outputs?: string[];
  /** Additional lines of the compositor's configuration. */
  config?: string[];
  /** Whether the compositor starts XWayland on demand. */
  xwayland?: boolean;
}

const ONE_OUTPUT = ["output HEADLESS-1 resolution 1280x720 position 0 0"];

/** A running sway. `await using` ends it. */
export class Sway {
  #child: Deno.ChildProcess;

  private constructor(
    child: Deno.ChildProcess,
    readonly folder: string,
    readonly command: string[],
    readonly outputs: readonly string[],
    /** The name of the compositor's socket. */
    readonly display: string,
  ) {
    this.#child = child;
  }

  /** Starts a compositor and waits until it accepts connections. */
  static async start(options: SwayOptions = {}): Promise<Sway> {
    const { outputs = ONE_OUTPUT, config = [], xwayland = false } = options;
    const folder = await Deno.makeTempDir({ prefix: "deskhand-sway-" });
    const command = await COMPOSITOR.configure({ folder, outputs, config, xwayland });
    await giveToUser(folder);
    const child = spawn(folder, command, outputs.length);
    const sway = new Sway(child, folder, command, outputs, await socketIn(folder));
    await COMPOSITOR.arrange(sway.run.bind(sway), outputs);
    return sway;
  }

  /** The compositor's process. */
  get pid(): number {
    return this.#child.pid;
  }

  /** The path of the compositor's socket. */
  get socket(): string {
    return `${this.folder}/${this.display}`;
  }

  /** The environment for programs on the compositor. */
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

  /** Runs a program on the compositor until it exits; returns its output. */
  async run(program: string, ...args: string[]): Promise<string> {
    const own = ownCommand(program, args);
    return await mustRun(own.program, own.args, { env: this.env, ...own.user });
  }

  /** Changes an output, with the arguments of sway-output(5). */
  async output(name: string, ...words: string[]): Promise<void> {
    await COMPOSITOR.output(this.run.bind(this), name, ...words);
  }

  /** The compositor's picture as captured by grim, with grim's arguments for a part: red, green, blue. */
  async picture(...args: string[]): Promise<Uint8Array> {
    const { stdout } = await ownProgram("grim", [...args, "-t", "ppm", "-"], { env: this.env }).output();
    const header = /^P6\s+\d+\s+\d+\s+255\n/.exec(new TextDecoder("latin1").decode(stdout.slice(0, 40)))!;
    return stdout.slice(header[0].length);
  }

  /** Starts a program on it, as the user who runs the compositor. */
  spawn(program: string, ...args: string[]): Client {
    return this.#client(program, args, this.env);
  }

  /** Starts an X11 program under its XWayland, which admits no other user. */
  async spawnX11(program: string, ...args: string[]): Promise<Client> {
    const display = await until(
      () => Deno.readTextFile(`${this.folder}/x11`).catch(() => ""),
      (text) => text.endsWith("\n"),
    );
    return this.#client(program, args, { ...this.env, DISPLAY: display.trim() });
  }

  /** Waits until a number of windows exist; returns their titles. */
  async windows(count: number): Promise<string[]> {
    const titles = async () => (await this.listed()).map(({ title }) => title);
    return await until(titles, (titles) => titles.length >= count);
  }

  /** Waits until a window has the focus. */
  async focused(title: string): Promise<void> {
    await until(() => this.listed(), (all) => all.some((one) => one.title === title && one.isFocused));
  }

  /** Kills the compositor, like a crash. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
    for (const path of [this.socket, `${this.socket}.lock`, this.env.SWAYSOCK]) {
      await Deno.remove(path).catch(() => {}); // not every compositor has all of them
    }
  }

  /** Restarts the compositor at the same socket after {@linkcode kill}. */
  async restart(): Promise<void> {
    this.#child = spawn(this.folder, this.command, this.outputs.length);
    await socketIn(this.folder);
    await COMPOSITOR.arrange(this.run.bind(this), this.outputs);
  }

  async [Symbol.asyncDispose]() {
    try {
      this.#child.kill("SIGTERM");
    } catch {
      // It has already exited.
    }
    await this.#child.status;
    await removeBusy(this.folder);
  }

  #client(program: string, args: readonly string[], env: Record<string, string>): Client {
    const own = ownCommand(program, args);
    return new Client(own.program, own.args, { ...env, HOME: this.folder }, own.user);
  }

  /** The compositor's windows, as it describes them. */
  async listed(): Promise<ListedWindow[]> {
    return await COMPOSITOR.windows(this.run.bind(this), this.socket);
  }
}

function ownProgram(program: string, args: readonly string[], options: Deno.CommandOptions): Deno.Command {
  const own = ownCommand(program, args);
  return new Deno.Command(own.program, { ...own.user, ...options, args: own.args });
}

function spawn(folder: string, command: readonly string[], outputs: number): Deno.ChildProcess {
  const child = ownProgram(command[0], command.slice(1), {
    cwd: folder,
    env: {
      HOME: folder,
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
  runsFirst(child.pid);
  return child;
}

/** Waits until the compositor responds, and returns the name of its socket. */
async function socketIn(folder: string): Promise<string> {
  const display = await waylandSocket(folder);
  const env = { XDG_RUNTIME_DIR: folder, SWAYSOCK: `${folder}/sway.sock`, WAYLAND_DISPLAY: display };
  const [program, ...args] = COMPOSITOR.ping;
  await until(async () =>
    (await ownProgram(program, args, { env, stdout: "null", stderr: "null" }).output()).success
  );
  return display;
}
