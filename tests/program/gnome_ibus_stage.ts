/** A GNOME desktop with IBus and deskhand, and programs that report the input they receive. */

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { Gnome } from "../support/gnome.ts";
import type { Program } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { startInSession } from "../support/ordinary_user.ts";
import type { Client } from "../support/xvfb.ts";

const WITNESSES = { gtk: "gtk_witness.py", gtk4: "gtk4_witness.py" };

/** A desktop, and deskhand in it. */
export class Stage implements AsyncDisposable {
  #program: Program | undefined;
  #url = "";
  #file = "";
  #window: Client | undefined;

  private constructor(readonly gnome: Gnome) {}

  static async start(): Promise<Stage> {
    const stage = new Stage(await Gnome.start({ ibus: true }));
    await until(() => stage.engine(), (engine) => engine !== "");
    return stage;
  }

  /** Starts deskhand, ending the previous one. */
  async restart(): Promise<Program> {
    await this.#program?.[Symbol.asyncDispose]();
    const env = { XDG_STATE_HOME: `${this.gnome.env.HOME}/state` };
    this.#program = await startInSession(this.gnome.session, ["--http", "0"], { env });
    this.#url = await this.#program.controlUrl();
    return this.#program;
  }

  async post(path: string, body: unknown = {}): Promise<[status: number, body: string]> {
    const answer = await fetch(`${this.#url}/api/${path}`, { method: "POST", body: JSON.stringify(body) });
    return [answer.status, await answer.text()];
  }

  /** Waits until neither a recording nor a replay is running. @returns The state, with how the last replay ended. */
  async idle(): Promise<Record<string, unknown>> {
    const state = async () => await (await fetch(`${this.#url}/api/recording/state`)).json();
    return await until(state, ({ state }) => state === "idle");
  }

  async act(path: string, body: unknown = {}): Promise<void> {
    assertEquals(await this.post(path, body), [200, '{"ok":true}'], path);
  }

  /** The active engine, as IBus's own program prints it. */
  async engine(): Promise<string> {
    return (await this.gnome.run("ibus", "engine").catch(() => "")).trim();
  }

  /** The engine process of a plain layout. */
  engineProcess(): number {
    const [pid] = this.gnome.session.processesOf("ibus-engine-simple");
    assert(pid, "ibus-engine-simple does not run");
    return pid;
  }

  /** Starts a program in place of the previous one, and waits until it has the focus. */
  async show(wmClass: string, program: string, ...args: string[]): Promise<void> {
    await this.#window?.[Symbol.asyncDispose]();
    await until(() => this.gnome.evaluate<boolean>("global.display.focus_window === null"));
    this.#window = this.gnome.spawn(program, ...args);
    await until(() => this.gnome.evaluate<string>("global.display.focus_window?.wm_class ?? ''"), (name) => {
      return name.toLowerCase().includes(wmClass);
    });
  }

  /** Starts a terminal, or a GTK window, whose text is in a file. */
  async witness(kind: "terminal" | keyof typeof WITNESSES): Promise<void> {
    const file = this.#file = `${this.gnome.env.HOME}/${kind}-${crypto.randomUUID()}`;
    const shell = `stty raw -echo; echo >${file}.events; exec dd bs=1 of=${file} 2>/dev/null`;
    if (kind === "terminal") await this.show("foot", "foot", "-e", "sh", "-c", shell);
    else await this.show("", "/usr/bin/python3", "-c", witness(WITNESSES[kind]), file);
    await until(() => this.events());
    if (this.#program) await this.takesText();
  }

  /**
   * Waits until a text field has the focus. That needs a keyboard, which the seat gets with the first key.
   */
  async takesText(): Promise<void> {
    await this.act("key", { keys: "shift" });
    await until(() => this.hasField());
  }

  /** Whether a text field has reported to the shell that it accepts text. */
  async hasField(): Promise<boolean> {
    return await this.gnome.evaluate<boolean>("Main.inputMethod.currentFocus !== null");
  }

  async received(): Promise<string> {
    return await Deno.readTextFile(this.#file).catch(() => "");
  }

  /** The GTK window's events, one per line. */
  async events(): Promise<string> {
    return await Deno.readTextFile(`${this.#file}.events`).catch(() => "");
  }

  /** Types, and waits until the witness has received the text after its earlier text. */
  async arrives(text: string): Promise<void> {
    const before = await this.received();
    await this.act("type", { text });
    await until(() => this.received(), (received) => received.length >= (before + text).length);
    assertEquals(await this.received(), before + text);
  }

  async [Symbol.asyncDispose]() {
    await this.#window?.[Symbol.asyncDispose]();
    await this.#program?.[Symbol.asyncDispose]();
    await this.gnome[Symbol.asyncDispose]();
  }
}

/** A test program's source, since the session's user may not be allowed to read the file. */
function witness(name: string): string {
  return Deno.readTextFileSync(fromFileUrl(new URL(`../support/${name}`, import.meta.url)));
}
