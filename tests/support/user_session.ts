/** A session of an ordinary user: a home, a runtime folder and a session bus of its own, and programs that run in it. */

import { runsFirst } from "./precedence.ts";
import { until } from "./until.ts";
import { Client } from "./xvfb.ts";

/** Compositors refuse to run as root, which tests may be: then they run as the user nobody. */
export const USER: { uid?: number; gid?: number } = Deno.uid() === 0 ? { uid: 65534, gid: 65534 } : {};

/** The test's own user, and root, may use a bus with this configuration; a bus refuses others' connections else. */
const BUS_CONFIG = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>ADDRESS</listen>
  <auth>EXTERNAL</auth>
  SERVICES
  <policy context="default">
    <allow user="*"/>
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;

/** A running session. `await using` ends all of its programs and removes its folders. */
export class UserSession {
  private constructor(
    /** Everything of the session is in it; programs of the session may write there. */
    readonly folder: string,
    /** Environment of its programs, which {@linkcode UserSession.set} adds to. */
    readonly env: Record<string, string>,
  ) {}

  /**
   * Starts a session with its bus.
   * @param name For the folder's name.
   */
  static async start(name: string): Promise<UserSession> {
    const folder = await Deno.makeTempDir({ prefix: `deskhand-${name}-` });
    const home = `${folder}/home`, run = `${folder}/run`;
    for (const path of [home, run]) await Deno.mkdir(path, { mode: 0o700 });
    if (USER.uid !== undefined) {
      for (const path of [folder, home, run]) await Deno.chown(path, USER.uid, USER.gid!);
    }
    const session = new UserSession(folder, {
      PATH: "/usr/local/bin:/usr/bin:/bin", // the test's own may have folders that this user cannot enter
      HOME: home,
      XDG_RUNTIME_DIR: run,
      LC_ALL: "C.UTF-8",
      XDG_SESSION_TYPE: "wayland",
      DISPLAY: "",
    });
    session.set("DBUS_SESSION_BUS_ADDRESS", await session.startBus("bus", "<standard_session_servicedirs/>"));
    return session;
  }

  /** Adds to the environment of programs that are started from now on. */
  set(name: string, value: string): void {
    this.env[name] = value;
  }

  /**
   * Starts a bus and waits until it takes connections.
   * @param services Where its services are described, as the elements of its configuration.
   * @returns Its address.
   */
  async startBus(name: string, services = ""): Promise<string> {
    const config = `${this.folder}/${name}.conf`, path = `${this.env.XDG_RUNTIME_DIR}/${name}`;
    const address = `unix:path=${path}`;
    await Deno.writeTextFile(config, BUS_CONFIG.replace("ADDRESS", address).replace("SERVICES", services));
    this.launch("dbus-daemon", `--config-file=${config}`, "--nofork");
    await until(() => exists(path));
    return address;
  }

  /** Starts a program without a look at what it prints; it ends with the session. */
  launch(program: string, ...args: string[]): Deno.ChildProcess {
    const child = new Deno.Command(program, {
      args,
      ...USER,
      cwd: this.env.HOME,
      env: this.env,
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    runsFirst(child.pid);
    return child;
  }

  /** Starts a program whose output is kept. */
  spawn(program: string, ...args: string[]): Client {
    return new Client(program, args, this.env, USER);
  }

  /** Runs a program to its end; gives what it printed. */
  async run(program: string, ...args: string[]): Promise<string> {
    const { stdout, stderr, success } = await new Deno.Command(program, {
      args,
      ...USER,
      cwd: this.env.HOME,
      env: this.env,
      clearEnv: true,
      stdin: "null",
    }).output();
    const text = new TextDecoder().decode(stdout);
    if (!success) throw new Error(`${program} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}${text}`);
    return text;
  }

  /**
   * Ends every program of the session, those that the bus or a compositor has started too, and removes the folders.
   * They are found by their environment, since many of them are no children of the test.
   */
  async [Symbol.asyncDispose]() {
    await until(() => {
      const processes = processesWith(`XDG_RUNTIME_DIR=${this.env.XDG_RUNTIME_DIR}`);
      for (const pid of processes) endProcess(pid);
      return processes.length === 0;
    });
    await Deno.remove(this.folder, { recursive: true });
  }
}

/** Whether something is at a path. */
export async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

/** Processes that have a line in their environment and have not ended. */
function processesWith(line: string): number[] {
  const found: number[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const environment = Deno.readTextFileSync(`/proc/${name}/environ`); // empty for one that has ended
      if (environment.split("\0").includes(line)) found.push(Number(name));
    } catch {
      // It has ended, or is another user's.
    }
  }
  return found;
}

function endProcess(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
