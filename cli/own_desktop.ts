/**
 * `deskhand run`: runs a command on a separate desktop, for testing programs where there is no user's desktop
 * or none should be used: an in-memory X server, a session bus with accessibility, a window manager if one is
 * installed, and the control API with a trace. All of it ends with the command.
 */

import { delay } from "@std/async/delay";
import { NoDesktopError, UsageError } from "../core/errors.ts";
import type { Lifetime } from "../core/lifetime.ts";
import type { Output } from "../core/output.ts";
import { join } from "../core/path.ts";
import { until } from "../core/until.ts";
import { hasWindowManager } from "../ffi/x11/windows.ts";
import type { Settings } from "./option_table.ts";
import { bindServers } from "./serve.ts";
import { openServices, type ScreenRange, sizeOf } from "./services.ts";

/** Window managers that support EWMH, lightest first. */
const MANAGERS = ["openbox", "xfwm4", "marco", "metacity", "icewm", "fluxbox", "kwin_x11"] as const;
/** The default screen size, and the range of sizes that Xvfb supports, in pixels. */
const SIZE = "1280x720", SIZES: ScreenRange = { width: [64, 16_384], height: [64, 16_384] };
const TRACES = "deskhand-traces";
/** Maximum time for a part of the desktop to start, and the interval between checks, in milliseconds. */
const START_MS = 15_000, LOOK_MS = 20;
/** The exit code that a shell reports for a command that SIGTERM ended: 128 plus the signal's number. */
const ENDED_BY_TERM = 143;
/**
 * How long the command may take to exit after Ctrl-C, which the terminal also sends to it, in milliseconds.
 */
const END_MS = 700;
/**
 * Ends the desktop's programs, with the services that the bus has started, and removes the runtime folder, in which
 * they may create files until they have ended. Its input has the programs' process ids, the X server's first, and
 * ends with deskhand, even if that is killed. The X server ends last: if it exits while a Worker connects to it,
 * libXext 1.3.4 frees a structure in use (Xge.c, _xgeGetExtensionVersion), and deskhand crashes.
 */
const ENDING = `folder=$1 groups=
read -r server
while read -r pid; do groups="$groups -$pid"; done
kill -9 $groups
for _ in 1 2 3 4 5 6 7 8 9; do rm -rf "$folder"; [ -e "$folder" ] || break; sleep 0.05; done
kill "$server"`;

/**
 * Runs a command on a separate desktop.
 * @param words The command and its arguments.
 * @param lifetime Ends the desktop.
 * @returns The command's exit code; 128 plus the signal number if a signal ended it.
 * @throws UsageError if there is no such command or a setting is invalid; NoDesktopError if the X server does
 * not start.
 */
export async function runOnOwnDesktop(
  words: readonly string[],
  settings: Settings,
  output: Output,
  lifetime: Lifetime,
): Promise<number> {
  const [name, ...args] = words;
  if (Deno.build.os !== "linux") throw new UsageError("run needs Xvfb, which is available on Linux only");
  if (!name) throw new UsageError("run takes a command: deskhand run [--size WIDTHxHEIGHT] -- COMMAND");
  const { width, height } = sizeOf(settings.size ?? SIZE, SIZES);
  lifetime.watch(output.report);
  const desk = new OwnDesktop(output, lifetime);
  await desk.start(width, height);
  const trace = settings.trace ?? TRACES;
  const url = await serve({ ...settings, trace }, output, lifetime);
  const code = await desk.command(name, args, url);
  if (code !== 0) output.notice(`run: ${name} ended with ${code}; the trace of what was done is in ${trace}`);
  return code;
}

/** Starts the control API on the desktop named in the environment. @returns Its address. */
async function serve(settings: Settings, output: Output, lifetime: Lifetime): Promise<string> {
  const own: Settings = { ...settings, desktop: "x11", size: undefined, http: settings.http ?? 0 };
  const quiet: Output = { ...output, result() {} }; // standard output belongs to the command
  const servers = await bindServers(own, quiet, lifetime);
  const services = await openServices(own, quiet, lifetime, servers);
  for (const server of servers) await server.start(services);
  return services().runner.url!;
}

/** The desktop's parts. */
class OwnDesktop {
  /** The runtime folder, which is removed at the end. */
  readonly #runtime = Deno.makeTempDirSync({ prefix: "deskhand-run-" });
  /** The input of the program that ends the others; it stays open until the end of this process. */
  #ending: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>> | undefined;

  constructor(readonly output: Output, readonly lifetime: Lifetime) {}

  /**
   * Starts the X server, the session bus and the window manager.
   * @param width The screen's width in pixels, like its height.
   * @throws NoDesktopError if the X server is missing, or it or the bus does not start.
   */
  async start(width: number, height: number): Promise<void> {
    const runtime = this.#runtime, quiet = { stdout: "null", stderr: "null" } as const;
    const ending = started("sh", {
      args: ["-c", ENDING, "sh", runtime],
      stdin: "piped",
      ...quiet,
      detached: true,
    });
    ending?.unref();
    this.#ending = ending?.stdin.getWriter();
    this.#set({
      XDG_RUNTIME_DIR: runtime, // otherwise programs would find the user's compositor there
      XDG_SESSION_TYPE: "x11",
      GDK_BACKEND: "x11",
      QT_QPA_PLATFORM: "xcb",
      QT_LINUX_ACCESSIBILITY_ALWAYS_ON: "1",
    });
    for (const other of ["WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS"]) {
      Deno.env.delete(other);
    }
    const cookie = join(runtime, "Xauthority");
    Deno.writeFileSync(cookie, authorityOf(crypto.getRandomValues(new Uint8Array(16))), { mode: 0o600 });
    this.#set({ XAUTHORITY: cookie }); // otherwise other users on this machine would have access
    const screen = [
      "-auth",
      cookie,
      "-screen",
      "0",
      `${width}x${height}x24`,
      "-displayfd",
      "1",
      "-nolisten",
      "tcp",
      "-noreset",
    ];
    const number = await this.#part("Xvfb", screen);
    if (!number) throw new NoDesktopError("run needs Xvfb: apt install xvfb");
    this.#set({ DISPLAY: `:${number}` });
    const bus = await this.#part("dbus-daemon", ["--session", "--nofork", "--print-address=1"]);
    if (bus) this.#set({ DBUS_SESSION_BUS_ADDRESS: bus });
    else this.output.notice("run: no session bus, so no elements: apt install dbus at-spi2-core");
    await this.#manage();
  }

  /**
   * Runs the command until it exits.
   * @param url The control API's address.
   * @returns The command's exit code.
   * @throws UsageError if there is no such command.
   */
  async command(name: string, args: readonly string[], url: string): Promise<number> {
    const child = started(name, { args: [...args], env: { DESKHAND_URL: url } });
    if (!child) throw new UsageError(`run: command not found: ${JSON.stringify(name)}`);
    let isOver = false;
    const kill = (signal: Deno.Signal) => isOver || child.kill(signal);
    this.lifetime.termCode = ENDED_BY_TERM; // an interrupted run is not a success
    this.lifetime.atTerm(async () => {
      kill("SIGTERM");
      this.lifetime.termCode = (await child.status).code;
    });
    this.lifetime.beforeEnd(async () => {
      await Promise.race([child.status, delay(END_MS)]);
      kill("SIGKILL");
    });
    const { code } = await child.status;
    isOver = true;
    return code;
  }

  async #manage(): Promise<void> {
    let name: string | undefined;
    for (const manager of MANAGERS) {
      if (await this.#spawn(manager, [], "null")) {
        name = manager;
        break;
      }
    }
    if (!name) {
      this.output.notice("run: no window manager, so windows have no frames: apt install openbox");
      return;
    }
    const display = Deno.env.get("DISPLAY")!;
    const runs = await until(() => hasWindowManager(display), { ms: START_MS, every: LOOK_MS });
    if (!runs) this.output.notice(`run: the window manager ${name} is not responding`);
  }

  /** Sets environment variables for all programs started from now on. */
  #set(variables: Record<string, string>): void {
    for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  }

  /**
   * Starts a program and waits for its first line.
   * @returns The line; undefined if the program is not installed.
   * @throws NoDesktopError if it prints none in time.
   */
  async #part(name: string, args: string[]): Promise<string | undefined> {
    const child = await this.#spawn(name, args, "piped");
    if (!child) return undefined;
    const pieces = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const end = delay(START_MS).then(() => ({ value: undefined }));
    for (let text = "";;) {
      const { value } = await Promise.race([pieces.read(), end]);
      if (value === undefined) throw new NoDesktopError(`run: ${name} did not start`);
      text += value;
      if (text.includes("\n")) return text.split("\n", 1)[0];
    }
  }

  /**
   * Starts a program that runs until the exit; undefined if it is not installed. It has a process group of its own,
   * so that the terminal's Ctrl-C and Ctrl-Z do not reach it: deskhand releases keys and ends its trace before.
   */
  async #spawn(
    name: string,
    args: string[],
    stdout: "null" | "piped",
  ): Promise<Deno.ChildProcess | undefined> {
    const child = started(name, { args, stdin: "null", stdout, stderr: "null", detached: true });
    child?.unref();
    if (child) await this.#ending?.write(new TextEncoder().encode(`${child.pid}\n`));
    return child;
  }
}

/**
 * An authority file (Xau(3)) with one entry, for every display.
 * @param cookie 16 bytes that clients present to the X server.
 */
function authorityOf(cookie: Uint8Array): Uint8Array {
  const name = new TextEncoder().encode("MIT-MAGIC-COOKIE-1"), anyFamily = [0xff, 0xff], empty = [0, 0];
  return Uint8Array.of(
    ...anyFamily,
    ...empty,
    ...empty,
    0,
    name.length,
    ...name,
    0,
    cookie.length,
    ...cookie,
  );
}

/** Starts a program found in PATH; undefined if there is none. */
function started(name: string, options: Deno.CommandOptions): Deno.ChildProcess | undefined {
  try {
    return new Deno.Command(name, options).spawn();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
