/** Programs in a session: they run as its user, in the root. */

import { attempt } from "../../core/errors.ts";
import { effortOf } from "./rest.ts";
import { USER } from "./roots.ts";
import { mustCome, waitFor } from "./waiting.ts";

/** Maximum time for a program that runs until it exits, in milliseconds. */
const RUN_BOUND_MS = 20_000;
/** The environment variable by which a program's processes are found. */
const MARK = "DESKTOPS_PROGRAM";

/** The user's side of a running sandbox. */
export class Session {
  /** Environment for programs started from now on. */
  readonly env: Record<string, string> = {
    HOME: `/home/${USER.name}`,
    USER: USER.name,
    LOGNAME: USER.name,
    SHELL: "/bin/bash",
    PATH: "/usr/local/bin:/usr/bin:/bin",
    LANG: "en_US.UTF-8",
    XDG_RUNTIME_DIR: USER.runtime,
  };
  #count = 0;

  /** @param root The root's path on this system. */
  constructor(readonly root: string) {}

  /** The user's home folder, as seen from this system. */
  get home(): string {
    return this.root + this.env.HOME;
  }

  /**
   * Starts a shell command. Its output goes to `~/NAME.log`.
   * @returns The mark of its processes, for {@linkcode Session.end}.
   */
  launch(name: string, command: string, env: Record<string, string> = {}): string {
    const mark = `${name}-${++this.#count}`;
    const options = { stdin: "null", stdout: "null", stderr: "null" } as const;
    const args = this.#command(`exec ${command} >>~/${name}.log 2>&1`, { ...env, [MARK]: mark });
    new Deno.Command("chroot", { args, clearEnv: true, ...options }).spawn().unref();
    return mark;
  }

  /**
   * Runs a shell command until it exits.
   * @returns Its output, without the final line end.
   * @throws Error with what it printed, if it fails or takes too long.
   */
  async run(command: string): Promise<string> {
    const options = { stdin: "null", signal: AbortSignal.timeout(RUN_BOUND_MS) } as const;
    const program = new Deno.Command("chroot", { args: this.#command(command), clearEnv: true, ...options });
    const { success, stdout, stderr } = await program.output(), decoder = new TextDecoder();
    if (!success) throw new Error(`${command} failed: ${decoder.decode(stderr)}${decoder.decode(stdout)}`);
    return decoder.decode(stdout).trimEnd();
  }

  /** Waits until a command succeeds. */
  async ready(what: string, command: string, seconds = 30): Promise<void> {
    await mustCome(`${what} was not ready`, () => this.run(command).then(() => true), Boolean, seconds);
  }

  /** Whether the root contains an executable. */
  has(name: string): boolean {
    return attempt(() => Deno.statSync(`${this.root}/usr/bin/${name}`).isFile, false);
  }

  /** Writes a file in the user's home folder. */
  write(path: string, text: string): void {
    const whole = `${this.home}/${path}`;
    const folders = path.split("/").slice(0, -1).map((_, i, parts) => parts.slice(0, i + 1).join("/"));
    for (const folder of folders) {
      Deno.mkdirSync(`${this.home}/${folder}`, { recursive: true });
      Deno.chownSync(`${this.home}/${folder}`, USER.uid, USER.uid);
    }
    Deno.writeTextFileSync(whole, text);
    Deno.chownSync(whole, USER.uid, USER.uid);
  }

  /** The contents of a file in the user's home folder; undefined if it does not exist. */
  read(path: string): string | undefined {
    return attempt(() => Deno.readTextFileSync(`${this.home}/${path}`));
  }

  /** The last lines that a program printed, for a message. */
  log(name: string): string {
    return (this.read(`${name}.log`) ?? "").trimEnd().split("\n").slice(-3).join(" / ").slice(-400);
  }

  /** How long a program's processes have used a processor or waited for one, in milliseconds. */
  effort(mark: string): number {
    return effortOf(processesOf(mark));
  }

  /** Ends a program's processes, by their IDs. */
  async end(mark: string): Promise<void> {
    await waitFor(() => {
      const pids = processesOf(mark);
      for (const pid of pids) attempt(() => Deno.kill(pid, "SIGKILL")); // it may have exited
      return pids.length === 0;
    });
  }

  #command(script: string, env: Record<string, string> = {}): string[] {
    const pairs = Object.entries({ ...this.env, ...env }).map(([name, value]) => `${name}=${value}`);
    const user = `--userspec=${USER.uid}:${USER.uid}`;
    return [user, this.root, "/usr/bin/env", "-i", ...pairs, "/bin/sh", "-c", `cd; ${script}`];
  }
}

/** The sandbox's processes, except the first, that belong to a program. */
function processesOf(mark: string): number[] {
  const pids = Array.from(Deno.readDirSync("/proc"), ({ name }) => Number(name)).filter((pid) => pid > 1);
  return pids.filter((pid) => environment(pid).includes(`${MARK}=${mark}`));
}

function environment(pid: number): string[] {
  return attempt(() => Deno.readTextFileSync(`/proc/${pid}/environ`).split("\0"), []); // it has exited
}
