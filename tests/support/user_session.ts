/** A session of an ordinary user: a home, a runtime folder and a session bus of its own, and programs that run in it. */

import { basename } from "@std/path";
import { giveToUser, ORDINARY_USER } from "./ordinary_user.ts";
import { runsFirst } from "./waits.ts";
import { busConfig, isListening, STANDARD_SERVICES, withoutEmptyDisplays } from "./session_bus.ts";
import { mustRun, removeBusy, until } from "./shell.ts";
import { Client } from "./xvfb.ts";

/** A running session. `await using` ends all of its programs and removes its folders. */
export class UserSession {
  #isOver = false;

  private constructor(
    /** The folder of everything in the session; programs of the session may write there. */
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
    for (const path of [folder, home, run]) await giveToUser(path);
    const session = new UserSession(folder, {
      PATH: "/usr/local/bin:/usr/bin:/bin", // the test's own may have folders that this user cannot enter
      HOME: home,
      XDG_RUNTIME_DIR: run,
      LC_ALL: "C.UTF-8",
      XDG_SESSION_TYPE: "wayland",
      DISPLAY: "",
    });
    session.set("DBUS_SESSION_BUS_ADDRESS", await session.startBus("bus", STANDARD_SERVICES));
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

  /** The line that is in the environment of all its programs. */
  get #line(): string {
    return `XDG_RUNTIME_DIR=${this.env.XDG_RUNTIME_DIR}`;
  }

  get #options(): Deno.CommandOptions {
    return { ...ORDINARY_USER, cwd: this.env.HOME, env: this.env, clearEnv: true };
  }

  /** Starts a program whose output is not read; it ends with the session. */
  launch(program: string, ...args: string[]): Deno.ChildProcess {
    const options = { ...this.#options, args, stdin: "null", stdout: "null", stderr: "null" } as const;
    const child = new Deno.Command(program, options).spawn();
    runsFirst(child.pid);
    child.status.then(({ code, signal }) => {
      // A test that fails later shows it, and hardly any other trace of it is left.
      if (!this.#isOver) console.error(`ended (${signal ?? code}): ${[program, ...args].join(" ")}`);
    });
    return child;
  }

  /** Starts a program that ends with the session; the caller reads its output, which may be any bytes. */
  produce(program: string, ...args: string[]): Deno.ChildProcess {
    const options = { ...this.#options, args, stdin: "null", stdout: "piped", stderr: "null" } as const;
    return new Deno.Command(program, options).spawn();
  }

  /** Starts a program whose output is kept. */
  spawn(program: string, ...args: string[]): Client {
    return new Client(program, args, this.env, ORDINARY_USER);
  }

  /** Runs a program to its end; gives its output. */
  async run(program: string, ...args: string[]): Promise<string> {
    return await mustRun(program, args, this.#options);
  }

  /** The processes of a program that runs in the session, by the program's name. */
  processesOf(program: string): number[] {
    return processesWith(this.#line).filter((pid) => basename(programOf(pid)) === program);
  }

  /**
   * Ends every program of the session, those that the bus or a compositor has started too, and removes the folders.
   * They are found by their environment, since many of them are no children of the test.
   */
  async [Symbol.asyncDispose]() {
    this.#isOver = true;
    await endProgramsWith(this.#line);
    for (const path of mountsBelow(this.folder)) await unmount(path);
    await removeBusy(this.folder);
  }
}

/** Mounts that killed programs leave behind, such as that of xdg-document-portal: not even root may enter them. */
function mountsBelow(folder: string): string[] {
  const lines = Deno.readTextFileSync("/proc/self/mounts").split("\n");
  return lines.map((line) => line.split(" ")[1]).filter((path) => path?.startsWith(`${folder}/`)).reverse();
}

/** Takes a mount away from the folders; fusermount3(1) is for users who may not use umount(8). */
async function unmount(path: string): Promise<void> {
  if (Deno.uid() === 0) await mustRun("umount", ["--lazy", path]);
  else await mustRun("fusermount3", ["-u", "-z", path]);
}

/** Whether a path exists. */
export async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

/** Ends the programs that have a line in their environment, also those that others have started. */
export async function endProgramsWith(line: string): Promise<void> {
  await until(() => {
    const processes = processesWith(line);
    for (const pid of processes) endProcess(pid);
    return processes.length === 0;
  });
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

/** The path of a process's program, as its command line has it; empty for one that has ended. */
function programOf(pid: number): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0")[0];
  } catch {
    return "";
  }
}

/** Kills a process, unless it has ended. */
export function endProcess(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
