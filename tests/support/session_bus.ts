/** A session bus for tests: a dbus-daemon that admits every user, as root's tests require. */

import { dirname, join } from "@std/path";
import { need } from "./need.ts";
import { giveToUser, ORDINARY_USER } from "./ordinary_user.ts";
import { mustRun, removeBusy, until } from "./shell.ts";
import { endProgramsWith } from "./user_session.ts";
import { Client } from "./xvfb.ts";

// The configuration and start of a dbus-daemon, shared by a separate bus and a whole session.

/** The services described on this system. */
export const STANDARD_SERVICES = "<standard_session_servicedirs/>";

/** Limits that systems raise for such buses: otherwise a long message disconnects its sender. */
const LIMITS = ["max_incoming_bytes", "max_outgoing_bytes", "max_message_size"];

/**
 * The configuration of a bus that every user may use; by default a bus refuses other users' connections.
 * @param path The path of its socket.
 * @param services Where its services are described, as elements of its configuration.
 */
export function busConfig(path: string, services = ""): string {
  return `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=${path}</listen>
  <auth>EXTERNAL</auth>
  ${services}
  <policy context="default">
    <allow user="*"/>
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
  ${LIMITS.map((limit) => `<limit name="${limit}">1000000000</limit>`).join("\n  ")}
</busconfig>
`;
}

/**
 * Arguments of env(1) that remove empty display variables. The accessibility services that a bus starts would
 * take them for displays: the registry would exit immediately, and the launcher would not tell Qt on X11
 * where its bus is.
 */
export function withoutEmptyDisplays(env: Record<string, string>): string[] {
  return ["DISPLAY", "WAYLAND_DISPLAY"].filter((name) => !env[name]).flatMap((name) => ["-u", name]);
}

/** Whether a program accepts connections at a Unix socket; its file may appear somewhat earlier. */
export async function isListening(path: string): Promise<boolean> {
  return await Deno.connect({ transport: "unix", path }).then(
    (socket) => (socket.close(), true),
    () => false,
  );
}

/** The needs of every bus test. The last one is a module of Debian's own Python. */
export const SESSION_BUS = need(
  ...["dbus-daemon", "dbus-send", "gdbus", "/usr/bin/python3"],
  "/usr/lib/python3/dist-packages/dbusmock/__init__.py",
);

/** A running bus. `await using` ends it. */
export class SessionBus {
  #daemon: Client;
  /** The environment of this process before {@linkcode enterOn} changed it. */
  readonly #before = new Map<string, string | undefined>();

  private constructor(readonly folder: string, daemon: Client, readonly env: Record<string, string>) {
    this.#daemon = daemon;
  }

  /**
   * Starts a bus and waits until it accepts connections.
   * @param env The environment of the services that it starts.
   */
  static async start(env: Record<string, string> = {}): Promise<SessionBus> {
    const folder = await Deno.makeTempDir({ prefix: "deskhand-bus-" });
    await Deno.writeTextFile(`${folder}/bus.conf`, busConfig(`${folder}/bus`, STANDARD_SERVICES));
    await giveToUser(folder);
    const own = {
      HOME: folder,
      XDG_RUNTIME_DIR: folder,
      LC_ALL: "C.UTF-8",
      DISPLAY: "",
      WAYLAND_DISPLAY: "",
      ...env,
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/bus`,
    };
    const args = [`--config-file=${folder}/bus.conf`, "--nofork", "--nopidfile"];
    const daemon = new Client(
      "env",
      [...withoutEmptyDisplays(own), "dbus-daemon", ...args],
      own,
      ORDINARY_USER,
    );
    const bus = new SessionBus(folder, daemon, own);
    await until(() => isListening(bus.socket));
    return bus;
  }

  get pid(): number {
    return this.#daemon.pid;
  }

  /** The path of the bus socket. */
  get socket(): string {
    return `${this.folder}/bus`;
  }

  /**
   * The environment of this user's programs on a display, which use the bus and have no settings from earlier
   * programs.
   * @param display The environment that identifies the display.
   */
  envOn(display: Record<string, string>): Record<string, string> {
    const { folder, socket } = this, own = (name: string) => `${folder}/${name}`;
    return {
      ...this.env,
      ...display,
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}`,
      XDG_CONFIG_HOME: own("config"),
      XDG_STATE_HOME: own("state"),
      XDG_CACHE_HOME: own("cache"),
    };
  }

  /** Also applies {@linkcode envOn} to this process, which contains deskhand, until the end of the bus. */
  enterOn(display: Record<string, string>): Record<string, string> {
    const env = this.envOn(display);
    for (const [name, value] of Object.entries(env)) {
      if (!this.#before.has(name)) this.#before.set(name, Deno.env.get(name));
      Deno.env.set(name, value);
    }
    return env;
  }

  /** Creates files of the given names, for programs to map. @returns Their paths. */
  async filesToMap(names: readonly string[]): Promise<string[]> {
    const files = names.map((name) => join(this.folder, name));
    for (const file of files) {
      await Deno.mkdir(dirname(file), { recursive: true });
      await Deno.writeTextFile(file, "mapped");
    }
    return files;
  }

  /** Starts a program on it as the ordinary user. */
  spawn(program: string, ...args: string[]): Client {
    return new Client(program, args, this.env, ORDINARY_USER);
  }

  /** Runs a program on the bus as the ordinary user until it exits; returns its output. */
  async run(program: string, ...args: string[]): Promise<string> {
    return await mustRun(program, args, { env: this.env, ...ORDINARY_USER });
  }

  /** Kills the bus, like a crash. */
  async kill(): Promise<void> {
    await this.#daemon[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose]() {
    for (const [name, value] of this.#before) {
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    }
    await this.#daemon[Symbol.asyncDispose]();
    // Programs started by its programs could otherwise recreate folders.
    await endProgramsWith(`XDG_RUNTIME_DIR=${this.folder}`);
    await removeBusy(this.folder);
  }
}
