/** A virtual desktop whose windows have elements defined by a test. */

import type {
  ElementChange,
  ElementInfo,
  Elements,
  ElementTree,
  WindowInfo,
} from "../../control/desktop/desktop.ts";
import { fromFileUrl } from "@std/path";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import { need } from "./need.ts";
import { Program } from "./program.ts";
import { SESSION_BUS, SessionBus } from "./session_bus.ts";
import { killed, until } from "./shell.ts";
import { Client, Xvfb } from "./xvfb.ts";

/** An element as defined by a test; omitted fields have usual values. */
type MadeElement = Partial<ElementInfo> & { key: string };

/** A desktop with elements. */
export class ElementsDesktop extends VirtualDesktop {
  /** The elements of every window, which a test may change. */
  made: MadeElement[];
  /** Why the windows show none. */
  silent: string | undefined;
  /** How many elements a busy program returns in each of the next readings, which it answers only in part. */
  parts: number[] = [];
  /** The changes requested from programs. */
  readonly changes: [key: string, change: ElementChange][] = [];
  /** The program's reaction to a request; returns whether it carried it out. */
  onChange: (element: MadeElement, change: ElementChange) => boolean = () => false;

  constructor(made: MadeElement[] = []) {
    super();
    this.made = made;
    Object.assign(this, { state: undefined }); // the desk does not know these elements
  }

  override readonly elements: Elements = {
    read: (_: WindowInfo, hidden: boolean): Promise<ElementTree> => {
      const part = this.parts.shift(), late = part === undefined ? {} : { isWhole: false, isLate: true };
      const elements = this.made.slice(0, part).map(whole)
        .filter(({ states }) => hidden || !states.includes("hidden"));
      const silent = this.silent === undefined ? {} : { silent: this.silent };
      return Promise.resolve({ elements, places: "screen", isWhole: true, ...late, ...silent });
    },
    reread: (_, key) => {
      const found = this.made.find((element) => element.key === key);
      return Promise.resolve(found && whole(found));
    },
    change: (key, change) => {
      this.changes.push([key, change]);
      const element = this.made.find((element) => element.key === key);
      return Promise.resolve(element !== undefined && this.onChange(element, change));
    },
    close: () => {},
  };
}

function whole(element: MadeElement): ElementInfo {
  return { role: "button", name: "", states: [], depth: 1, ...element };
}

// A desktop with a session bus on which programs expose their elements, and a deskhand on it.

/** The needs of every test on a stage. */
export const STAGE = {
  ignore: SESSION_BUS.ignore ||
    need("Xvfb", "openbox", "xev", "xprop", "/usr/libexec/at-spi2-registryd").ignore,
};

/** An element as listed by the API. */
export interface StageElement {
  ref: string;
  role: string;
  name: string;
  value?: string;
  states: string[];
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A program with controls of one toolkit in a window "Controls", and its needs. */
export interface ControlsProgram {
  name: string;
  args: string[];
  needs: string[];
}

const PYTHON = "/usr/bin/python3";
const pathOf = (name: string) => fromFileUrl(new URL(name, import.meta.url));

/** The program for a GTK release. */
export function gtkControls(release: 3 | 4): ControlsProgram {
  const typelib = `/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-${release}.0.typelib`;
  const args = [pathOf("controls_gtk.py"), `${release}.0`, "Controls"];
  return { name: `GTK ${release}`, args, needs: [PYTHON, typelib] };
}

/** Qt 6's platform plugin for Wayland (package qt6-wayland). */
export const QT6_WAYLAND = "/usr/lib/x86_64-linux-gnu/qt6/plugins/platforms/libqwayland-generic.so";

/** The program for a Qt release. */
export function qtControls(release: 5 | 6): ControlsProgram {
  const widgets = `/usr/lib/python3/dist-packages/PyQt${release}/QtWidgets.abi3.so`;
  const args = [pathOf("controls_qt.py"), "Controls", `PyQt${release}`];
  return { name: `Qt ${release}`, args, needs: [PYTHON, widgets] };
}

/** A running stage. `await using` ends it with all programs on it. */
export class ElementsStage {
  private constructor(
    readonly env: Record<string, string>,
    readonly program: Program,
    readonly url: string,
    readonly stack: AsyncDisposableStack,
  ) {}

  /**
   * Starts a stage.
   * @param args deskhand's arguments, in addition to those of its API.
   */
  static start(...args: string[]): Promise<ElementsStage> {
    return ElementsStage.under("openbox", ...args);
  }

  /** Starts a stage with another window manager. */
  static async under(manager: string, ...args: string[]): Promise<ElementsStage> {
    const stack = new AsyncDisposableStack();
    const server = stack.use(await Xvfb.start()), bus = stack.use(await SessionBus.start(server.env));
    const env = { ...server.env, ...bus.env, NO_AT_BRIDGE: "0", GTK_IM_MODULE: "gtk-im-context-simple" };
    const variables = Object.entries(bus.env).map(([name, value]) => `${name}=${value}`);
    stack.use(await server.manager("env", ...variables, manager)); // xfwm4 reads its settings over the bus
    const program = stack.use(new Program(["--http", "0", "--desktop", "x11", ...args], { env }));
    return new ElementsStage(env, program, await program.controlUrl(), stack);
  }

  /** Starts a program, which is ended with the stage. */
  start(command: string, ...args: string[]): Deno.ChildProcess {
    const { env } = this;
    const child = new Deno.Command(command, { args, env, stdin: "null", stdout: "piped", stderr: "null" })
      .spawn();
    this.stack.defer(() => killed(child));
    return child;
  }

  /** Starts a program with controls, and waits until it exposes its elements. */
  async controls({ args }: ControlsProgram): Promise<Client> {
    await this.post("/api/elements", { enabled: true }); // Qt queries the bus when it starts
    const program = this.stack.use(new Client(PYTHON, args, this.env));
    await until(() => this.list("title=Controls"), (elements) => elements.length > 20);
    return program;
  }

  /** Posts a body; returns the status with the response's fields. */
  async post(path: string, body: unknown) {
    const answer = await fetch(this.url + path, { method: "POST", body: JSON.stringify(body) });
    return { status: answer.status, ...await answer.json() };
  }

  async get(path: string) {
    return await (await fetch(this.url + path)).json();
  }

  /** The elements of a window; none while it does not exist. */
  async list(query: string): Promise<StageElement[]> {
    return (await this.get(`/api/elements?${query}`)).elements ?? [];
  }

  async [Symbol.asyncDispose]() {
    await this.stack[Symbol.asyncDispose]();
  }
}
