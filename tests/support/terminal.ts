/** A real terminal in which to run the prompt: tmux. */

import { fromFileUrl } from "@std/path";
import { removeBusy, until } from "./shell.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));

/** A program in a terminal, of 100 by 60 characters by default. `await using` ends it. */
export class Terminal {
  readonly #socket: string;
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#socket = `${folder}/tmux`;
  }

  /** The state folder of the terminal's programs. */
  get state(): string {
    return `${this.#folder}/deskhand`;
  }

  /** @param command A shell command, run in the project's folder; `exit CODE` is shown when it ends. */
  static async open(command: string, columns = 100, rows = 60): Promise<Terminal> {
    const terminal = new Terminal(await Deno.makeTempDir());
    await terminal.#tmux(
      "-f",
      "/dev/null",
      "new-session",
      "-d",
      "-x",
      `${columns}`,
      "-y",
      `${rows}`,
      "-c",
      ROOT,
      "-e",
      `XDG_STATE_HOME=${terminal.#folder}`, // tests do not touch the user's own state
      `${command}; echo "exit $?"; sleep 600`,
    );
    return terminal;
  }

  /** Types text, or keys by tmux name (`C-c`, `Tab`, `Up`, `Enter`). */
  async keys(...keys: string[]): Promise<void> {
    await this.#tmux("send-keys", ...keys);
  }

  /** Types a line. */
  async line(text: string): Promise<void> {
    await this.#tmux("send-keys", "-l", text);
    await this.keys("Enter");
  }

  /** Pastes text, which the program receives all at once, with line ends like those of Enter. */
  async paste(text: string): Promise<void> {
    await this.#tmux("set-buffer", text);
    await this.#tmux("paste-buffer");
  }

  /** The text on the screen. */
  async screen(): Promise<string> {
    return await this.#tmux("capture-pane", "-p");
  }

  /** The text on the screen with its style sequences. */
  async styledScreen(): Promise<string> {
    return await this.#tmux("capture-pane", "-p", "-e");
  }

  /**
   * Waits until the screen shows a text.
   * @throws Error with the screen if it does not appear.
   */
  async shows(pattern: RegExp): Promise<string> {
    return await until(
      () => this.screen(),
      (screen) => pattern.test(screen),
      (screen) => `the terminal does not show ${pattern}:\n${screen}`,
    );
  }

  /** Closes the terminal, like a lost connection. */
  async hangUp(): Promise<void> {
    await this.#tmux("kill-server");
  }

  async [Symbol.asyncDispose]() {
    const pid = (await this.#tmux("display-message", "-p", "#{pane_pid}")).trim();
    await this.hangUp();
    // A shell may still write its history into a folder that the test removes next; its programs end after it.
    await until(() => !isRunning(pid));
    await removeBusy(this.#folder);
  }

  async #tmux(...args: string[]): Promise<string> {
    const { stdout } = await new Deno.Command("tmux", {
      args: ["-S", this.#socket, ...args],
      env: { LC_ALL: "C.UTF-8", TERM: "xterm-256color" },
    }).output();
    return new TextDecoder().decode(stdout);
  }
}

function isRunning(pid: string): boolean {
  try {
    return pid !== "" && Deno.statSync(`/proc/${pid}`).isDirectory;
  } catch {
    return false;
  }
}

// Reads QR codes shown by a terminal.

/** The halves of a character that are light: upper, lower. */
const HALVES: Record<string, [upper: boolean, lower: boolean]> = {
  "█": [true, true],
  "▀": [true, false],
  "▄": [false, true],
  " ": [false, false],
};
/** Pixels per module: a decoder needs several. */
const SCALE = 4;

/** Reads a code with two rows of modules per line, with light modules drawn. */
export async function readTerminalQr(code: string): Promise<string> {
  // deno-lint-ignore no-control-regex
  const lines = code.replaceAll(/\x1b\[[\d;]*m/g, "").split("\n");
  const width = Math.max(...lines.map((line) => line.length));
  const rows = lines.flatMap((line) => {
    const halves = [...line.padEnd(width)].map((character) => HALVES[character]);
    return [halves.map(([upper]) => upper), halves.map(([, lower]) => lower)];
  });
  const data = new Uint8Array(width * rows.length * SCALE * SCALE * 4);
  for (let y = 0, at = 0; y < rows.length * SCALE; y++) {
    for (let x = 0; x < width * SCALE; x++, at += 4) {
      const isLight = rows[Math.floor(y / SCALE)][Math.floor(x / SCALE)];
      data.set(isLight ? [255, 255, 255, 255] : [0, 0, 0, 255], at);
    }
  }
  const { default: decodeQR } = await import("qr/decode"); // which Wine's tests lack
  return decodeQR({ width: width * SCALE, height: rows.length * SCALE, data });
}
