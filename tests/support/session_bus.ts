/** A session bus of the test's own: a dbus-daemon that lets every user in, as root's tests need. */

import { dirname, join } from "@std/path";
import { busConfig, isListening, STANDARD_SERVICES, withoutEmptyDisplays } from "./bus_config.ts";
import { need } from "./need.ts";
import { giveToUser, ORDINARY_USER } from "./ordinary_user.ts";
import { mustRun } from "./shell.ts";
import { removeBusy } from "./temporary.ts";
import { until } from "./until.ts";
import { endProgramsWith } from "./user_session.ts";
import { Client } from "./xvfb.ts";

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
