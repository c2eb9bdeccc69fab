/** A KDE desktop for tests: a headless KWin, as an ordinary user, on a separate bus. */

import { mustRun, until } from "./shell.ts";
import { need } from "./need.ts";
import type { OwnCopy } from "./own_copy.ts";
import type { Program } from "./program.ts";
import { copyFor, startInSession } from "./ordinary_user.ts";
import { exists, UserSession } from "./user_session.ts";
import type { Client } from "./xvfb.ts";

/** The needs of every KDE test. */
export const KWIN = need("kwin_wayland", "dbus-daemon", "gdbus");

/** Options for starting KWin. */
interface KwinOptions {
  /** The width of each display, in logical pixels. */
  width?: number;
  height?: number;
  /** The number of displays side by side; defaults to one. */
  outputs?: number;
  scale?: number;
  /** The program that KWin starts as the input method. */
  inputMethod?: string;
  /**
   * Whether KWin permits only programs that have a permission file, as on a user's desktop. It reads the
   * executable of each program that connects, twice, which takes two seconds of processor time for Deno.
   * Otherwise, the dynamic loader is deskhand's executable, which is small.
   */
  isStrict?: boolean;
  /** Prepares the session before KWin starts. */
  prepare?(session: UserSession): Promise<void>;
}

const SOCKET = "wayland-kde";
/** The dynamic loader of Linux on x64. */
const LOADER = "/lib64/ld-linux-x86-64.so.2";

/** Lets every program control KWin, and KWin read little of deskhand's executable. */
async function permitAll(session: UserSession): Promise<void> {
  for (const part of ["WAYLAND", "SCREENSHOT"]) session.set(`KWIN_${part}_NO_PERMISSION_CHECKS`, "1");
  if (await exists(LOADER)) session.loader = LOADER;
}

/** A running KWin. `await using` ends it. */
export class Kwin {
  #compositor: Deno.ChildProcess;

  private constructor(
    readonly session: UserSession,
    /** deskhand as run by this desktop's user: KWin cannot see the executables of other users' processes. */
    readonly copy: OwnCopy,
    readonly options: KwinOptions,
  ) {
    this.#compositor = this.#launch();
  }

  /** Starts a compositor and waits until it accepts connections. */
  static async start(options: KwinOptions = {}): Promise<Kwin> {
    const session = await UserSession.start("kde");
    try {
      session.set("XDG_CURRENT_DESKTOP", "KDE");
      if (!options.isStrict) await permitAll(session);
      // The system's own has file capabilities, which not every container permits.
      await Deno.copyFile("/usr/bin/kwin_wayland", `${session.folder}/kwin_wayland`);
      // On a busy machine, a long time may pass between a press and its release, and a key would repeat.
      const noRepetition = "[Keyboard]\nKeyRepeat=nothing\n";
      await session.run("sh", "-c", `mkdir -p ~/.config && printf '${noRepetition}' >~/.config/kcminputrc`);
      await options.prepare?.(session);
      const kwin = new Kwin(session, await copyFor(), options);
      await kwin.#isReady();
      session.set("WAYLAND_DISPLAY", SOCKET);
      return kwin;
    } catch (error) {
      await session[Symbol.asyncDispose]();
      throw error;
    }
  }

  get pid(): number {
    return this.#compositor.pid;
  }

  /** The environment for programs on the compositor. */
  get env(): Record<string, string> {
    return this.session.env;
  }

  /** The path of the user's file that permits deskhand to control KWin. */
  get permission(): string {
    return `${this.env.HOME}/.local/share/applications/deskhand.desktop`;
  }

  /** Starts deskhand as the compositor's user. */
  async program(...args: string[]): Promise<Program> {
    const env = { XDG_STATE_HOME: `${this.env.HOME}/state` };
    return await startInSession(this.session, args, { env, clearEnv: true });
  }

  /** Starts a program on the compositor, as the compositor's user. */
  spawn(program: string, ...args: string[]): Client {
    return this.session.spawn(program, ...args);
  }

  /** Runs a program on the compositor until it exits; returns its output. */
  async run(program: string, ...args: string[]): Promise<string> {
    return await this.session.run(program, ...args);
  }

  /** Kills the compositor, like a crash. */
  async kill(): Promise<void> {
    this.#compositor.kill("SIGKILL");
    await this.#compositor.status;
    await mustRun("rm", ["-f", this.#socket, `${this.#socket}.lock`]);
  }

  /** Restarts the compositor at the same socket after {@linkcode kill}. */
  async restart(): Promise<void> {
    this.#compositor = this.#launch();
    await this.#isReady();
  }

  async [Symbol.asyncDispose]() {
    await this.session[Symbol.asyncDispose]();
  }

  get #socket(): string {
    return `${this.env.XDG_RUNTIME_DIR}/${SOCKET}`;
  }

  #launch(): Deno.ChildProcess {
    const { width = 1280, height = 720, outputs = 1, scale = 1, inputMethod } = this.options;
    const sizes = { width, height, scale, "output-count": outputs };
    return this.session.launch(
      `${this.session.folder}/kwin_wayland`,
      ...["--virtual", "--no-lockscreen", "--no-global-shortcuts", "--socket", SOCKET],
      ...(inputMethod ? ["--inputmethod", inputMethod] : []),
      ...Object.entries(sizes).flatMap(([name, value]) => [`--${name}`, String(value)]),
    );
  }

  /** Waits until the compositor accepts connections, and responds on the bus. */
  async #isReady(): Promise<void> {
    await until(() => exists(this.#socket));
    const bus = ["--session", "--dest", "org.freedesktop.DBus", "--object-path", "/"];
    const owner = ["--method", "org.freedesktop.DBus.GetNameOwner", "org.kde.KWin"];
    await until(() => this.run("gdbus", "call", ...bus, ...owner).then(() => true, () => false));
  }
}
