/** An X server for tests. */

import { delay } from "@std/async/delay";
import type { UserOptions } from "./ordinary_user.ts";
import { runsFirst, waiting } from "./waits.ts";
import { mustRun, until } from "./shell.ts";

/** Xvfb searches for a free number from 0 up, and never reaches these. */
const OWN_NUMBERS = { first: 10_000, count: 50_000 } as const;

/** A display number that no other test takes between the end of a server and the start of its successor. */
export function ownNumber(): string {
  return String(OWN_NUMBERS.first + Deno.pid % OWN_NUMBERS.count);
}

/** Options for starting an X server. */
interface XvfbOptions {
  /** Width of the screen; defaults to 1280, and the height to 720. */
  width?: number;
  height?: number;
  /** Bits per pixel; defaults to 24. */
  depth?: number;
  /** Additional arguments. */
  args?: string[];
  /**
   * Shows the server as a window on another one (Xephyr): input that a program generates there with XTEST
   * arrives here from devices, like a user's input.
   */
  within?: Xvfb;
  /** Starts TigerVNC's Xvnc instead of Xvfb, with these arguments. */
  vnc?: string[];
  /** The display number, such as {@linkcode ownNumber} returns; defaults to a free one. */
  number?: string;
}

/** How long a window may wait for its window manager before another one is tried, in milliseconds. */
const TRIAL_MS = 500;
/** Maximum time for a window manager to remove closed windows from its list, in milliseconds. */
const FORGET_MS = 10_000;

/** A running Xvfb. `await using` ends it. */
export class Xvfb {
  readonly #child: Deno.ChildProcess;

  private constructor(
    child: Deno.ChildProcess,
    /** The server's name, such as `:99`. */
    readonly display: string,
    /** Whether no other server takes this one's number. */
    readonly isOwn: boolean,
  ) {
    this.#child = child;
  }

  /** Starts a server and waits until it accepts connections. */
  static async start(options: XvfbOptions = {}): Promise<Xvfb> {
    const { width = 1280, height = 720, depth = 24, args = [], number, within, vnc } = options;
    const screen = vnc
      ? ["-geometry", `${width}x${height}`, "-depth", `${depth}`, ...vnc]
      : ["-screen", ...within ? [] : ["0"], `${width}x${height}x${depth}`];
    const child = new Deno.Command(vnc ? "Xvnc" : within ? "Xephyr" : "Xvfb", {
      args: [
        ...(number ? [`:${number}`] : []),
        ...screen,
        // -r: keys do not repeat, as they otherwise would if much time passes between a press and its release
        // on a busy machine.
        ...["-displayfd", "1", "-nolisten", "tcp", "-noreset", "-r"],
        ...args,
      ],
      env: within?.env,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    runsFirst(child.pid);
    let printed = "";
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      printed += text;
      if (printed.includes("\n")) break;
    }
    if (!/^\d+\n/.test(printed)) throw new Error("Xvfb did not start");
    return new Xvfb(child, `:${printed.trim()}`, number !== undefined);
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Environment for programs on this display. */
  get env(): Record<string, string> {
    return {
      DISPLAY: this.display,
      LC_ALL: "C.UTF-8",
      WAYLAND_DISPLAY: "",
      XDG_SESSION_TYPE: "x11",
      // Otherwise GLib's programs start a bus that outlives them: its services write into the test's folder,
      // and xdg-document-portal mounts a file system there, so that it cannot be removed.
      DBUS_SESSION_BUS_ADDRESS: "disabled:",
      // An input method module, such as ibus-gtk3, may intercept programs' keys.
      GTK_IM_MODULE: "gtk-im-context-simple",
      // For terminals: a user's shell, as configured in /etc/skel/.bashrc, sets the terminal's title.
      SHELL: "/bin/sh",
    };
  }

  /** Runs a program on this display until it exits; returns its output. */
  async run(program: string, ...args: string[]): Promise<string> {
    return await mustRun(program, args, { env: this.env });
  }

  /** Starts a program on this display. */
  spawn(program: string, ...args: string[]): Client {
    return new Client(program, args, this.env);
  }

  /**
   * Waits until a window is shown. xdotool's own wait ends when any other window vanishes during a search.
   * @param query Arguments of `xdotool search`, such as `--name Editor`.
   * @returns The window's ID, in xdotool's format.
   */
  async window(...query: string[]): Promise<string> {
    const search = () => this.run("xdotool", "search", "--onlyvisible", ...query).catch(() => "");
    return (await until(search)).split("\n")[0];
  }

  /**
   * Starts a window manager and waits until it manages windows. While openbox is starting, it drops requests
   * to show new windows, which then stay hidden. Requires xprop and xev.
   * @param name A window manager that supports EWMH, such as `openbox`.
   * @param args Its arguments.
   */
  async manager(name: string, ...args: string[]): Promise<Client> {
    const root = (...properties: string[]) => this.run("xprop", "-root", ...properties);
    for (;;) {
      const manager = this.spawn(name, ...args);
      await until(async () => (await root("_NET_SUPPORTING_WM_CHECK")).includes("0x"));
      const ids = await this.#tryWindows();
      for (const end = Date.now() + FORGET_MS; Date.now() < end; await delay(TRIAL_MS / 10)) {
        const text = await root("_NET_CLIENT_LIST", "_NET_CLIENT_LIST_STACKING");
        if (!ids.some((id) => text.includes(id))) return manager;
      }
      await manager[Symbol.asyncDispose](); // openbox keeps a window closed at this moment
    }
  }

  /**
   * Opens windows until the window manager manages one, and closes them.
   * @returns Their IDs, in xprop's format.
   */
  async #tryWindows(): Promise<string[]> {
    await using stack = new AsyncDisposableStack();
    const windows: Client[] = [];
    let nextAt = 0;
    await until(() => {
      if (Date.now() >= nextAt) {
        windows.push(stack.use(this.spawn("xev", "-event", "property")));
        nextAt = Date.now() + TRIAL_MS;
      }
      // The property that a window manager sets on a window that it manages (ICCCM section 4.1.3.1).
      return windows.some(({ printed }) => printed.includes("(WM_STATE)"));
    });
    return windows.flatMap(({ printed }) => /Outer window is (0x\w+)/.exec(printed)?.[1] ?? []);
  }

  /** Stops the server. */
  async stop(signal: Deno.Signal = "SIGTERM"): Promise<void> {
    try {
      this.#child.kill(signal);
    } catch {
      // It has already exited.
    }
    await waiting("the end of the X server", this.#child.status);
    if (this.isOwn && signal === "SIGKILL") await this.#removeFiles();
  }

  async [Symbol.asyncDispose]() {
    await this.stop();
  }

  /** Removes the files left behind by a killed server. */
  async #removeFiles() {
    const number = this.display.slice(1);
    for (const path of [`/tmp/.X${number}-lock`, `/tmp/.X11-unix/X${number}`]) {
      await Deno.remove(path).catch(() => {});
    }
  }
}

/**
 * The environment of GTK programs next to deskhand: a folder is their home, and nothing of a session is used.
 */
export function homeOf(folder: string): Record<string, string> {
  return {
    HOME: folder,
    XDG_CONFIG_HOME: `${folder}/config`,
    NO_AT_BRIDGE: "1",
    GVFS_DISABLE_FUSE: "1", // its mount would prevent the folder from being removed
    GIO_USE_VFS: "local",
    GTK_IM_MODULE: "none",
  };
}

/** A program on a display, and its output. `await using` ends it. */
export class Client {
  /** The output so far. */
  printed = "";
  readonly #child: Deno.ChildProcess;
  readonly #drained: Promise<void>;

  /** @param user The program's user; defaults to the test's own. */
  constructor(
    program: string,
    args: string[],
    env: Record<string, string>,
    user: UserOptions = {},
  ) {
    this.#child = new Deno.Command(program, {
      args,
      env,
      ...user,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    runsFirst(this.#child.pid);
    this.#drained = this.#drain();
  }

  get pid(): number {
    return this.#child.pid;
  }

  /**
   * Waits until the output matches.
   * @throws Error with everything printed, if it does not.
   */
  async printing(fits: (printed: string) => boolean): Promise<string> {
    return await until(
      () => this.printed,
      fits,
      (printed) => `what was waited for was not printed:\n${printed.slice(-4000)}`,
    );
  }

  async [Symbol.asyncDispose]() {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has already exited.
    }
    await waiting("the end of a killed program", this.#child.status);
    await waiting("the end of a killed program's output", this.#drained);
  }

  async #drain() {
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) this.printed += text;
  }
}
