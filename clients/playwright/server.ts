/** A deskhand for one worker of the runner, with its own desktop. */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Readable, Writable } from "node:stream";

/** The desktop that a worker's deskhand controls. */
export type DesktopKind = "virtual" | "xvfb" | "x11" | "wayland" | "auto";

/** A running deskhand. */
export interface Server {
  /** The control API's address. */
  url: string;
  /** The environment variables that programs need to show their windows on its desktop. */
  environment: Record<string, string>;
  /** Stops it, and waits until it has exited. */
  end(): Promise<void>;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Maximum time for a start and for a stop, in milliseconds. */
const START_MS = 60_000, END_MS = 10_000;
/**
 * Runs a command until standard input ends, even because the worker was killed, and then removes the folder of
 * its traces: a worker that is gone can do neither.
 */
const KEEPER = `
  const { spawn } = require("node:child_process"), [, traces, command, ...args] = process.argv;
  const child = spawn(command, args, { stdio: ["pipe", "inherit", "inherit"] });
  const end = (code) => {
    require("node:fs").rmSync(traces, { recursive: true, force: true });
    process.exit(code);
  };
  child.on("error", ({ code, message }) => {
    console.error(code === "ENOENT"
      ? "program not found: set DESKHAND_EXECUTABLE or the option deskProgram to the deskhand executable"
      : message);
    end(127);
  });
  child.on("exit", (code) => end(code ?? 1));
  process.stdin.resume().on("end", () => {
    child.stdin.end();
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), ${END_MS});
  });
`;
/** Prints the address and environment of the desktop of `deskhand run`, and waits until its input ends. */
const REPORT =
  'printf "deskhand-at %s\\n" "$DESKHAND_URL"; env | sed "s/^/deskhand-env /"; echo deskhand-ready; ' +
  "cat >/dev/null";
/** The environment variables that identify a desktop. */
const VARIABLES = ["DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE"]
  .concat(["GDK_BACKEND", "QT_QPA_PLATFORM", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "DESKHAND_URL"]);

/**
 * Starts a deskhand on a free port.
 * @param program The deskhand command and its first arguments.
 * @param desktop `xvfb` is a separate X server, with a window manager if one is installed.
 * @throws Error with its output if it does not start.
 */
export async function startServer(
  program: readonly string[],
  desktop: DesktopKind,
  size: string | undefined,
): Promise<Server> {
  const isOwn = desktop === "xvfb", sized = size === undefined ? [] : ["--size", size];
  const [command, ...first] = program;
  const traces = mkdtempSync(join(tmpdir(), "deskhand-traces-")); // otherwise `run` leaves traces here
  const args = isOwn
    ? [...first, "run", "--trace", traces, ...sized, "--", "sh", "-c", REPORT]
    : [...first, "--http", "0", "--desktop", desktop, ...desktop === "virtual" ? sized : []];
  const child: Child = spawn(process.execPath, ["-e", KEEPER, traces, command, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    detached: process.platform !== "win32", // Ctrl-C is for the runner, which may still need the desktop
  });
  const ready = isOwn ? /^deskhand-ready$/m : /HTTP server started on port (\d+)/;
  const output = await outputUntil(child, ready, command);
  const url = isOwn ? /^deskhand-at (.*)$/m.exec(output)![1] : `http://127.0.0.1:${ready.exec(output)![1]}`;
  return {
    url,
    environment: isOwn ? environmentIn(output) : {},
    end: () => end(child),
  };
}

function environmentIn(output: string): Record<string, string> {
  const found = [...output.matchAll(/^deskhand-env (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  return Object.fromEntries(found.filter(([name]) => VARIABLES.includes(name)));
}

/** Reads a program's output until it matches, and all later output, so that the program never blocks. */
function outputUntil(child: Child, ready: RegExp, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    const fail = (why: string) =>
      reject(new Error(`${command} did not start: ${why}\n${output.slice(-2000)}`));
    const late = setTimeout(() => {
      child.stdin.end();
      fail(`it printed nothing within ${START_MS / 1000} s`);
    }, START_MS);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        if (output.length < 1e6) output += text;
        if (!ready.test(output)) return;
        clearTimeout(late);
        resolve(output);
      });
    }
    child.on("error", (error) => {
      clearTimeout(late);
      fail(`${error}`);
    });
    child.on("close", (code) => {
      clearTimeout(late);
      fail(`it exited with code ${code}`);
    });
  });
}

async function end(child: Child): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.stdin.on("error", () => {});
  child.stdin.end();
  const late = setTimeout(() => child.kill("SIGKILL"), 2 * END_MS);
  await ended;
  clearTimeout(late);
}
