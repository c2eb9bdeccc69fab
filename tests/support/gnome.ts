/** A GNOME desktop for tests: a headless gnome-shell, with PipeWire and a stand-in for logind. */

import { DesktopUnavailableError } from "../../core/errors.ts";
import { need } from "./need.ts";
import { giveToUser } from "./ordinary_user.ts";
import { threadsOf } from "./program.ts";
import { until } from "./shell.ts";
import { isListening } from "./session_bus.ts";
import { UserSession } from "./user_session.ts";
import { waylandSocket } from "./wayland_messages.ts";
import { ForkWatch } from "./gnome_forks.ts";
import type { Client } from "./xvfb.ts";

/** The programs that every GNOME test needs, and a module of Debian's own Python. */
export const GNOME = need(
  ...["gnome-shell", "pipewire", "wireplumber", "dbus-daemon", "gdbus", "/usr/bin/python3"],
  "/usr/lib/python3/dist-packages/dbusmock/__init__.py",
);

/** Options for starting a GNOME Shell. */
interface GnomeOptions {
  /** Sizes of its monitors, side by side from the left; defaults to one of 1280 by 720. */
  monitors?: string[];
  /** Whether the shell starts XWayland on demand. */
  xwayland?: boolean;
  /** Whether IBus runs, as in a complete GNOME; defaults to false. Requires `ibus-daemon`. */
  ibus?: boolean;
  /** Whether any program may evaluate code and take screenshots, for a test's witnesses; defaults to true. */
  isUnsafe?: boolean;
}

/** A running GNOME desktop. `await using` ends it. */
export class Gnome {
  #shell: Deno.ChildProcess;
  readonly #forks = new ForkWatch(() => this.#shell.pid);

  private constructor(
    readonly session: UserSession,
    readonly pipewire: Deno.ChildProcess,
    shell: Deno.ChildProcess,
    readonly options: GnomeOptions,
    /** The name of the shell's Wayland socket. */
    readonly display: string,
  ) {
    this.#shell = shell;
  }

  /** Starts a desktop and waits until it is ready for programs and shows no overview. */
  static async start(options: GnomeOptions = {}): Promise<Gnome> {
    const session = await UserSession.start("gnome");
    try {
      session.set("XDG_CURRENT_DESKTOP", "GNOME");
      session.set("DBUS_SYSTEM_BUS_ADDRESS", await session.startBus("system-bus"));
      session.launch("/usr/bin/python3", "-m", "dbusmock", "--system", "--template", "logind");
      const pipewire = session.launch("pipewire");
      await until(() => isListening(`${session.env.XDG_RUNTIME_DIR}/pipewire-0`));
      await leaveBluetooth(session);
      session.launch("wireplumber");
      await until(() =>
        isOwned(session, "--address", session.env.DBUS_SYSTEM_BUS_ADDRESS, "org.freedesktop.login1")
      );
      await hideIbus(session);
      // Moving the pointer into the corner would open the overview.
      await session.run("gsettings", "set", "org.gnome.desktop.interface", "enable-hot-corners", "false");
      // On a busy machine, a long time may pass between a press and its release, and a key would repeat.
      await session.run("gsettings", "set", "org.gnome.desktop.peripherals.keyboard", "repeat", "false");
      const shell = startShell(session, options);
      const display = await waylandSocket(session.env.XDG_RUNTIME_DIR);
      session.set("WAYLAND_DISPLAY", display);
      if (options.ibus) session.launch("/usr/bin/ibus-daemon", "--panel", "disable");
      const gnome = new Gnome(session, pipewire, shell, options, display);
      try {
        await gnome.#ready();
        return gnome;
      } catch (error) {
        gnome.#forks.end();
        throw error;
      }
    } catch (error) {
      await session[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The shell's process, which is the compositor. */
  get pid(): number {
    return this.#shell.pid;
  }

  /** The path of the shell's Wayland socket. */
  get socket(): string {
    return `${this.env.XDG_RUNTIME_DIR}/${this.display}`;
  }

  /** The environment for programs on the shell. */
  get env(): Record<string, string> {
    return this.session.env;
  }

  /** Runs a program on the shell until it exits; returns its output. */
  async run(program: string, ...args: string[]): Promise<string> {
    return await this.session.run(program, ...args);
  }

  /** Starts a program on the desktop, as the desktop's user. */
  spawn(program: string, ...args: string[]): Client {
    return this.session.spawn(program, ...args);
  }

  /**
   * Evaluates JavaScript in the shell, which sees the same desktop as a user.
   * @param code An expression, such as `global.get_pointer()`.
   * @throws Error with the shell's message.
   */
  async evaluate<T>(code: string): Promise<T> {
    const printed = await this.run(
      "gdbus",
      ...["call", "--session", "--dest", "org.gnome.Shell", "--object-path", "/org/gnome/Shell"],
      ...["--method", "org.gnome.Shell.Eval", `JSON.stringify([${code}])`],
    ).catch((error) => {
      throw new Error(`${error.message}The shell:\n${threadsOf(this.#shell.pid)}`, { cause: error });
    });
    const encoded = /^\(true, (['"])(.*)\1\)\s*$/s.exec(printed);
    if (!encoded) throw new Error(`${code}: ${printed}`);
    // The shell returns JSON within JSON, which gdbus quotes once more.
    const json = encoded[2].replace(/\\(['"\\])/g, "$1");
    return JSON.parse(JSON.parse(json))[0];
  }

  /** The pointer position, in logical pixels. */
  async pointer(): Promise<{ x: number; y: number }> {
    const [x, y] = await this.evaluate<number[]>("global.get_pointer()");
    return { x, y };
  }

  /** Waits until a number of windows exist; returns their titles. */
  async windows(count: number): Promise<string[]> {
    return await until(
      () =>
        this.evaluate<string[]>(
          "global.get_window_actors().filter((a) => a.visible).map((a) => a.meta_window.title ?? '')",
        ),
      (titles) => titles.length >= count,
    );
  }

  /**
   * Saves a screenshot of the whole desktop, as the shell sees it.
   * @param path A file that the session's user may write.
   */
  async screenshot(path: string, cursor = false): Promise<void> {
    await this.run(
      "gdbus",
      ...["call", "--session", "--dest", "org.gnome.Shell.Screenshot"],
      ...[
        "--object-path",
        "/org/gnome/Shell/Screenshot",
        "--method",
        "org.gnome.Shell.Screenshot.Screenshot",
      ],
      ...[String(cursor), "false", path],
    );
  }

  /**
   * Arranges the monitors.
   * @param monitors Each one's name, mode, scale and position in logical pixels; the first is the primary
   * one.
   */
  async arrange(
    monitors: { name: string; mode: string; scale: number; x: number; y: number }[],
  ): Promise<void> {
    const config = "org.gnome.Mutter.DisplayConfig";
    const call = ["call", "--session", "--dest", config, "--object-path", "/org/gnome/Mutter/DisplayConfig"];
    // Without this, programs handle scaling themselves, in whole numbers.
    const features = ["org.gnome.mutter", "experimental-features", "['scale-monitor-framebuffer']"];
    await this.run("gsettings", "set", ...features);
    const state = () => this.run("gdbus", ...call, "--method", `${config}.GetCurrentState`);
    const [, serial] = /uint32 (\d+)/.exec(
      await until(state, (text) => /'layout-mode': <uint32 1>/.test(text)),
    )!;
    const list = monitors.map(({ name, mode, scale, x, y }, i) =>
      `(${x},${y},${scale.toFixed(2)},uint32 0,${i === 0},[('${name}','${mode}',@a{sv} {})])`
    );
    const args = [serial, "1", `[${list.join(",")}]`, "{}"];
    await this.run("gdbus", ...call, "--method", `${config}.ApplyMonitorsConfig`, ...args);
  }

  /** Runs a function while PipeWire is stopped, as on a busy machine: its messages follow afterwards. */
  async whilePipeWireWaits(act: () => Promise<void>): Promise<void> {
    this.pipewire.kill("SIGSTOP");
    try {
      await act();
    } finally {
      this.pipewire.kill("SIGCONT");
    }
  }

  /** Kills the shell, which is the compositor, like a crash. */
  async kill(): Promise<void> {
    this.#shell.kill("SIGKILL");
    await this.#shell.status;
    await Deno.remove(this.socket).catch(() => {});
    await Deno.remove(`${this.socket}.lock`).catch(() => {});
  }

  /**
   * Restarts the shell after {@linkcode kill}, and waits until it is reachable; it may still be starting up.
   */
  async restart(): Promise<void> {
    this.#shell = startShell(this.session, this.options);
    await until(() => isListening(this.socket));
    await until(() => isOwned(this.session, "--session", "org.gnome.Shell.Screenshot"));
  }

  async [Symbol.asyncDispose]() {
    this.#forks.end();
    await this.session[Symbol.asyncDispose]();
    await this.#shell.status;
  }

  /** Waits until the shell has started up. */
  async #ready(): Promise<void> {
    await until(() => isOwned(this.session, "--session", "org.gnome.Shell.Screenshot"));
    if (this.options.isUnsafe === false) return;
    await until(() => this.evaluate<boolean>("!Main.layoutManager._startingUp").catch(() => false));
    await this.evaluate("Main.overview.hide()"); // GNOME 48 starts with the overview
    await until(() => this.evaluate<boolean>("!Main.overview.visible"));
  }
}

/**
 * Runs a function once the desktop responds: a shell that has just started may be busy for seconds.
 * @throws The errors of `act`, except DesktopUnavailableError.
 */
export async function whenAvailable(act: () => unknown): Promise<void> {
  await until(async () => {
    try {
      await act();
      return true;
    } catch (error) {
      if (error instanceof DesktopUnavailableError) return false;
      throw error;
    }
  });
}

function startShell(session: UserSession, options: GnomeOptions): Deno.ChildProcess {
  const { monitors = ["1280x720"], xwayland = false, isUnsafe = true } = options;
  return session.launch(
    "gnome-shell",
    "--headless",
    ...monitors.flatMap((size) => ["--virtual-monitor", size]),
    ...xwayland ? [] : ["--no-x11"],
    ...isUnsafe ? ["--unsafe-mode"] : [],
  );
}

/**
 * Puts a program that exits immediately before IBus on the shell's PATH, so that only the test starts IBus.
 */
async function hideIbus(session: UserSession): Promise<void> {
  const folder = `${session.folder}/bin`;
  await Deno.mkdir(folder);
  await Deno.writeTextFile(`${folder}/ibus-daemon`, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  session.set("PATH", `${folder}:${session.env.PATH}`);
}

/**
 * WirePlumber's Bluetooth module asks systemd-logind for seats, which crashes WirePlumber without systemd.
 */
async function leaveBluetooth(session: UserSession): Promise<void> {
  let folder = session.env.HOME;
  for (const name of [".config", "wireplumber", "bluetooth.lua.d"]) {
    folder += `/${name}`;
    await Deno.mkdir(folder);
    await giveToUser(folder);
  }
  await Deno.writeTextFile(`${folder}/60-none.lua`, "bluez_monitor.enabled = false\n");
}

/** Whether a bus name has an owner. The last argument is the name, the arguments before it select the bus. */
async function isOwned(session: UserSession, ...args: string[]): Promise<boolean> {
  const printed = await session.run(
    "gdbus",
    ...["call", ...args.slice(0, -1), "--dest", "org.freedesktop.DBus", "--object-path", "/"],
    ...["--method", "org.freedesktop.DBus.NameHasOwner", args.at(-1)!],
  );
  return printed.includes("true");
}
