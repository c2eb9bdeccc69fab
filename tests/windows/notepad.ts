/** A notepad as the window of another program. */

import { join } from "@std/path";

const PROCESS_SUSPEND_RESUME = 0x800;

/** A running notepad with a file of its own. `await using` ends it. */
export class Notepad {
  readonly #child: Deno.ChildProcess;

  private constructor(
    /** The text of the window's title bar. */
    readonly title: string,
    readonly folder: string,
    file: string,
  ) {
    this.#child = new Deno.Command("notepad.exe", { args: [file] }).spawn();
  }

  /** Starts a program; its window comes soon. */
  static async open(name: string, text = "hello"): Promise<Notepad> {
    const folder = await Deno.makeTempDir(), file = join(folder, `${name}.txt`);
    await Deno.writeTextFile(file, text);
    return new Notepad(`${name}.txt - Notepad`, folder, file);
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Stops all threads of the program. */
  suspend(): void {
    callOfProcess(this.pid, "NtSuspendProcess");
  }

  /** Lets the program's threads run again. */
  resume(): void {
    callOfProcess(this.pid, "NtResumeProcess");
  }

  /** Waits until the program has ended by itself. */
  async ended(): Promise<void> {
    await this.#child.status;
  }

  async [Symbol.asyncDispose]() {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has ended by itself.
    }
    await this.#child.status;
    await Deno.remove(this.folder, { recursive: true });
  }
}

function callOfProcess(pid: number, name: "NtSuspendProcess" | "NtResumeProcess"): void {
  const kernel32 = Deno.dlopen("kernel32.dll", {
    OpenProcess: { parameters: ["u32", "i32", "u32"], result: "pointer" },
    CloseHandle: { parameters: ["pointer"], result: "i32" },
  });
  const ntdll = Deno.dlopen("ntdll.dll", { [name]: { parameters: ["pointer"], result: "u32" } });
  const process = kernel32.symbols.OpenProcess(PROCESS_SUSPEND_RESUME, 0, pid);
  const status = ntdll.symbols[name](process);
  kernel32.symbols.CloseHandle(process);
  ntdll.close();
  kernel32.close();
  if (status !== 0) throw new Error(`${name} of ${pid} failed with ${Number(status).toString(16)}`);
}
