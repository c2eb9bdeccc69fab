/** A session bus of the test's own: a dbus-daemon that lets every user in, as root's tests need. */

import { need } from "./need.ts";
import { until } from "./until.ts";
import { Client } from "./xvfb.ts";

/** What every test of a bus needs. The last one is a module of Debian's own interpreter. */
export const SESSION_BUS = need(
  ...["dbus-daemon", "dbus-send", "gdbus", "/usr/bin/python3"],
  "/usr/lib/python3/dist-packages/dbusmock/__init__.py",
);

/** Services of a desktop refuse root, which tests may be: then they run as the user nobody. */
export const ORDINARY_USER = Deno.uid() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Lets all in; the daemon by itself lets only its own user in. */
const CONFIG = (folder: string) =>
  `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=${folder}/bus</listen>
  <standard_session_servicedirs/>
  <policy context="default">
    <allow user="*"/>
    <allow send_destination="*" eavesdrop="true"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;

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
    await Deno.writeTextFile(`${folder}/bus.conf`, CONFIG(folder));
    if (ORDINARY_USER.uid !== undefined) await Deno.chown(folder, ORDINARY_USER.uid, ORDINARY_USER.gid);
    const own = {
      HOME: folder,
      XDG_RUNTIME_DIR: folder,
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/bus`,
      LC_ALL: "C.UTF-8",
      DISPLAY: "",
      WAYLAND_DISPLAY: "",
      ...env,
    };
    const args = [`--config-file=${folder}/bus.conf`, "--nofork", "--nopidfile"];
    const bus = new SessionBus(folder, new Client("dbus-daemon", args, own, ORDINARY_USER), own);
    await until(() =>
      Deno.connect({ transport: "unix", path: bus.socket }).then(
        (socket) => (socket.close(), true),
        () => false,
      )
    );
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
    const command = new Deno.Command(program, { args, env: this.env, ...ORDINARY_USER });
    const { stdout, stderr, success } = await command.output();
    const text = new TextDecoder().decode(stdout);
    if (!success) throw new Error(`${program} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}${text}`);
    return text;
  }

  /** Kills it, as a crash does. */
  async kill(): Promise<void> {
    await this.#daemon[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose]() {
    await this.#daemon[Symbol.asyncDispose]();
    await Deno.remove(this.folder, { recursive: true });
  }
}
