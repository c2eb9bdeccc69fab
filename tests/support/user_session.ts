/** An ordinary user's session: its own home folder, runtime folder and session bus, and programs in it. */

import { basename } from "@std/path";
import { giveToUser, ORDINARY_USER } from "./ordinary_user.ts";
import { runsFirst } from "./waits.ts";
import { busConfig, isListening, STANDARD_SERVICES, withoutEmptyDisplays } from "./session_bus.ts";
import { mustRun, removeBusy, until } from "./shell.ts";
import { Client } from "./xvfb.ts";

/** A running session. `await using` ends all of its programs and removes its folders. */
export class UserSession {
  #isOver = false;
  /** The dynamic loader that starts deskhand in this session; none by default. */
  loader: string | undefined;

  private constructor(
    /** The folder that contains everything in the session; its programs may write there. */
    readonly folder: string,
    /** Environment of its programs, which {@linkcode UserSession.set} extends. */
    readonly env: Record<string, string>,
  ) {}

  /**
   * Starts a session with its bus.
   * @param name Part of the folder's name.
   */
  static async start(name: string): Promise<UserSession> {
    const folder = await Deno.makeTempDir({ prefix: `deskhand-${name}-` });
    const home = `${folder}/home`, run = `${folder}/run`;
    for (const path of [home, run]) await Deno.mkdir(path, { mode: 0o700 });
    for (const path of [folder, home, run]) await giveToUser(path);
    const session = new UserSession(folder, {
      PATH: "/usr/local/bin:/usr/bin:/bin", // the test's own may contain folders inaccessible to this user
      HOME: home,
      XDG_RUNTIME_DIR: run,
      LC_ALL: "C.UTF-8",
      XDG_SESSION_TYPE: "wayland",
      DISPLAY: "",
    });
    session.set("DBUS_SESSION_BUS_ADDRESS", await session.startBus("bus", STANDARD_SERVICES));
    return session;
  }

  /** Adds to the environment of programs started from now on. */
  set(name: string, value: string): void {
    this.env[name] = value;
  }

  /**
   * Starts a bus and waits until it accepts connections.
   * @param services Where its services are described, as elements of its configuration.
   * @returns Its address.
   */
  async startBus(name: string, services = ""): Promise<string> {
    const config = `${this.folder}/${name}.conf`, path = `${this.env.XDG_RUNTIME_DIR}/${name}`;
    await Deno.writeTextFile(config, busConfig(path, services));
    this.launch(
      "env",
      ...withoutEmptyDisplays(this.env),
      "dbus-daemon",
      `--config-file=${config}`,
      "--nofork",
    );
    await until(() => isListening(path));
    return `unix:path=${path}`;
  }

  /** The line in the environment of all its programs. */
  get #line(): string {
    return `XDG_RUNTIME_DIR=${this.env.XDG_RUNTIME_DIR}`;
  }

  get #options(): Deno.CommandOptions {
    return { ...ORDINARY_USER, cwd: this.env.HOME, env: this.env, clearEnv: true };
  }

  /** Starts a program whose output is not read; it is ended with the session. */
  launch(program: string, ...args: string[]): Deno.ChildProcess {
    const options = { ...this.#options, args, stdin: "null", stdout: "null", stderr: "null" } as const;
    const child = new Deno.Command(program, options).spawn();
    runsFirst(child.pid);
    child.status.then(({ code, signal }) => {
      // A test that fails later shows this, and hardly any other trace remains.
      if (!this.#isOver) console.error(`ended (${signal ?? code}): ${[program, ...args].join(" ")}`);
    });
    return child;
  }

  /** Starts a program that is ended with the session; the caller reads its output, which may be any bytes. */
  produce(program: string, ...args: string[]): Deno.ChildProcess {
    const options = { ...this.#options, args, stdin: "null", stdout: "piped", stderr: "null" } as const;
    return new Deno.Command(program, options).spawn();
  }

  /** Starts a program whose output is captured. */
  spawn(program: string, ...args: string[]): Client {
    return new Client(program, args, this.env, ORDINARY_USER);
  }

  /** Runs a program until it exits; returns its output. */
  async run(program: string, ...args: string[]): Promise<string> {
    return await mustRun(program, args, this.#options);
  }

  /** The processes of a program in the session, by the program's name. */
  processesOf(program: string): number[] {
    return processesWith(this.#line).filter((pid) => basename(programOf(pid)) === program);
  }

  /**
   * Ends all programs in the session, including those started by the bus or a compositor, and removes the
   * folders. The programs are found by their environment, because many of them are not children of the test.
   */
  async [Symbol.asyncDispose]() {
    this.#isOver = true;
    await endProgramsWith(this.#line);
    for (const path of mountsBelow(this.folder)) await unmount(path);
    await removeBusy(this.folder);
  }
}

/** Mounts left behind by killed programs, such as xdg-document-portal's: not even root may enter them. */
function mountsBelow(folder: string): string[] {
  const lines = Deno.readTextFileSync("/proc/self/mounts").split("\n");
  return lines.map((line) => line.split(" ")[1]).filter((path) => path?.startsWith(`${folder}/`)).reverse();
}

/** Unmounts a path; fusermount3(1) is for users who may not use umount(8). */
async function unmount(path: string): Promise<void> {
  if (Deno.uid() === 0) await mustRun("umount", ["--lazy", path]);
  else await mustRun("fusermount3", ["-u", "-z", path]);
}

/** Whether a path exists. */
export async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

/** Ends the programs that have a line in their environment, including those started by others. */
export async function endProgramsWith(line: string): Promise<void> {
  await until(() => {
    const processes = processesWith(line);
    for (const pid of processes) endProcess(pid);
    return processes.length === 0;
  });
}

/** Running processes that have a line in their environment. */
function processesWith(line: string): number[] {
  const found: number[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const environment = Deno.readTextFileSync(`/proc/${name}/environ`); // empty if it has exited
      if (environment.split("\0").includes(line)) found.push(Number(name));
    } catch {
      // It has exited, or belongs to another user.
    }
  }
  return found;
}

/** The path of a process's program on its command line; empty if it has exited. */
function programOf(pid: number): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0")[0];
  } catch {
    return "";
  }
}

/** Kills a process, unless it has exited. */
export function endProcess(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch {
    // It has exited.
  }
}
