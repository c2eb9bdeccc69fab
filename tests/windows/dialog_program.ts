/** The test's side of the dialog program: starts it, and reads its output. */

import { fromFileUrl } from "@std/path";
import { until } from "../support/until.ts";

const PROGRAM = fromFileUrl(new URL("dialog.ts", import.meta.url));

/** The contents of the dialog's fields when a button was pressed. */
export interface Pressed {
  /** Number of the button. */
  pressed: number;
  name: string;
  secret: string;
  notes: string;
  gift: boolean;
}

/** The dialog in a process of its own. `await using` ends it. */
export class Dialog {
  readonly #child: Deno.ChildProcess;
  readonly #read: Promise<unknown>;
  #lines: unknown[] = [];
  #error = "";
  #taken = 0;

  private constructor(readonly title: string, ...places: number[]) {
    this.#child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--cached-only", PROGRAM, title, ...places.map(String)],
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#read = Promise.all([
      this.#collect(),
      new Response(this.#child.stderr).text().then((text) => this.#error = text),
    ]);
  }

  /**
   * Starts the dialog and waits until its controls are there.
   * @param sleep How long it sleeps when it is asked for its title, in milliseconds.
   */
  static async open(title: string, { left = 100, top = 80, sleep = 0 } = {}): Promise<Dialog> {
    const dialog = new Dialog(title, left, top, sleep);
    await dialog.#line(0);
    return dialog;
  }

  async #collect() {
    let rest = "";
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      this.#lines.push(...lines.map((line) => JSON.parse(line)));
    }
  }

  async #line(index: number): Promise<unknown> {
    return await until(
      () => this.#lines[index],
      Boolean,
      () => `the dialog's lines are ${JSON.stringify(this.#lines)} ${this.#error}`,
    );
  }

  /** The middle of each control's place on the screen, by the control's number, as Windows tells its own program. */
  get middles(): Map<number, [x: number, y: number]> {
    const { places } = this.#lines[0] as { places: number[][] };
    return new Map(
      places.map(([id, left, top, right, bottom]) => [id, [(left + right) >> 1, (top + bottom) >> 1]]),
    );
  }

  /** Waits for the next press of a button. */
  async pressed(): Promise<Pressed> {
    return await this.#line(++this.#taken) as Pressed;
  }

  /** The presses of buttons that no call has taken yet. */
  get others(): number {
    return this.#lines.length - 1 - this.#taken;
  }

  /** Waits until the dialog has ended by itself. */
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
    await this.#read;
  }
}
