/** A session bus of the test's own: a dbus-daemon that lets every user in, as root's tests need. */

import { need } from "./need.ts";
import { giveToUser, ORDINARY_USER } from "./ordinary_user.ts";
import { mustRun } from "./shell.ts";
import { removeBusy } from "./temporary.ts";
import { until } from "./until.ts";
import { Client } from "./xvfb.ts";

/** The needs of every test of a bus. The last one is a module of Debian's own interpreter. */
export const SESSION_BUS = need(
  ...["dbus-daemon", "dbus-send", "gdbus", "/usr/bin/python3"],
  "/usr/lib/python3/dist-packages/dbusmock/__init__.py",
);

/** The services that this system describes. */
export const STANDARD_SERVICES = "<standard_session_servicedirs/>";

/**
 * The configuration of a bus that every user may use; a bus by itself refuses other users' connections.
 * @param path Of its socket.
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

/** A running bus. `await using` ends it. */
export class SessionBus {
  #daemon: Client;

  private constructor(readonly folder: string, daemon: Client, readonly env: Record<string, string>) {
    this.#daemon = daemon;
  }

  /**
   * Starts a bus and waits until it takes connections.
   * @param env Of the services that it starts.
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

  /** The path of its socket. */
  get socket(): string {
    return `${this.folder}/bus`;
  }

  /** Starts a program of the ordinary user on it. */
  spawn(program: string, ...args: string[]): Client {
    return new Client(program, args, this.env, ORDINARY_USER);
  }

  /** Runs a program of the ordinary user on it to its end; gives what it printed. */
  async run(program: string, ...args: string[]): Promise<string> {
    return await mustRun(program, args, { env: this.env, ...ORDINARY_USER });
  }

  /** Kills it, as a crash does. */
  async kill(): Promise<void> {
    await this.#daemon[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose]() {
    await this.#daemon[Symbol.asyncDispose]();
    await removeBusy(this.folder);
  }
}

/** Tells whether a program takes connections at a Unix socket; its file may be there somewhat earlier. */
export async function isListening(path: string): Promise<boolean> {
  return await Deno.connect({ transport: "unix", path }).then(
    (socket) => (socket.close(), true),
    () => false,
  );
}
