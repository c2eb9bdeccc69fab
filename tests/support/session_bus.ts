/** A session bus of the test's own: a dbus-daemon that lets every user in, as root's tests need. */

import { dirname, join } from "@std/path";
import { need } from "./need.ts";
import { giveToUser, ORDINARY_USER } from "./ordinary_user.ts";
import { mustRun, removeBusy, until } from "./shell.ts";
import { endProgramsWith } from "./user_session.ts";
import { Client } from "./xvfb.ts";

// The configuration and the start of a dbus-daemon, which a bus of its own and a whole session share.

/** The services that this system describes. */
export const STANDARD_SERVICES = "<standard_session_servicedirs/>";

/** Limits that systems raise for such buses: else a long message ends its sender's connection. */
const LIMITS = ["max_incoming_bytes", "max_outgoing_bytes", "max_message_size"];

/**
 * The configuration of a bus that every user may use; a bus by itself refuses other users' connections.
 * @param path The path of its socket.
 * @param services Where its services are described, as the elements of its configuration.
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
 * Arguments of env(1) that leave out empty names of displays, which the services of accessibility, which a bus starts, take
 * for displays: the registry ends at once, and the launcher does not tell Qt on X11 where its bus is.
 */
export function withoutEmptyDisplays(env: Record<string, string>): string[] {
  return ["DISPLAY", "WAYLAND_DISPLAY"].filter((name) => !env[name]).flatMap((name) => ["-u", name]);
}

/** Whether a program takes connections at a Unix socket; its file may be there somewhat earlier. */
export async function isListening(path: string): Promise<boolean> {
  return await Deno.connect({ transport: "unix", path }).then(
    (socket) => (socket.close(), true),
    () => false,
  );
}

/** The needs of every test of a bus. The last one is a module of Debian's own interpreter. */
export const SESSION_BUS = need(
  ...["dbus-daemon", "dbus-send", "gdbus", "/usr/bin/python3"],
  "/usr/lib/python3/dist-packages/dbusmock/__init__.py",
);

/** A running bus. `await using` ends it. */
export class SessionBus {
  #daemon: Client;
  /** The environment of this process, as far as {@linkcode enterOn} has changed it. */
  readonly #before = new Map<string, string | undefined>();

  private constructor(readonly folder: string, daemon: Client, readonly env: Record<string, string>) {
    this.#daemon = daemon;
  }

  /**
   * Starts a bus and waits until it takes connections.
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

  /** The path of the bus's socket. */
  get socket(): string {
    return `${this.folder}/bus`;
  }

  /**
   * The environment of programs of this user on a display, which use the bus and have no settings of earlier programs.
   * @param display The environment that names the display.
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

  /** Gives this process the environment of {@linkcode envOn}, too, until the end of the bus: deskhand is in it. */
  enterOn(display: Record<string, string>): Record<string, string> {
    const env = this.envOn(display);
    for (const [name, value] of Object.entries(env)) {
      if (!this.#before.has(name)) this.#before.set(name, Deno.env.get(name));
      Deno.env.set(name, value);
    }
    return env;
  }

  /** Makes files of some names, which programs map. @returns Their paths. */
  async filesToMap(names: readonly string[]): Promise<string[]> {
    const files = names.map((name) => join(this.folder, name));
    for (const file of files) {
      await Deno.mkdir(dirname(file), { recursive: true });
      await Deno.writeTextFile(file, "mapped");
    }
    return files;
  }

  /** Starts a program of the ordinary user on it. */
  spawn(program: string, ...args: string[]): Client {
    return new Client(program, args, this.env, ORDINARY_USER);
  }

  /** Runs a program of the ordinary user on the bus to its end; gives its output. */
  async run(program: string, ...args: string[]): Promise<string> {
    return await mustRun(program, args, { env: this.env, ...ORDINARY_USER });
  }

  /** Kills the bus, as a crash does. */
  async kill(): Promise<void> {
    await this.#daemon[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose]() {
    for (const [name, value] of this.#before) {
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    }
    await this.#daemon[Symbol.asyncDispose]();
    // What its programs have started would make folders again.
    await endProgramsWith(`XDG_RUNTIME_DIR=${this.folder}`);
    await removeBusy(this.folder);
  }
}
