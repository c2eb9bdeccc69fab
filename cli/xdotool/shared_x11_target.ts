/**
 * An X server that a running deskhand controls as well: deskhand runs the commands that have the same effect in both
 * programs.
 */

import type { XdoSession } from "../../ffi/x11/xdotool/session.ts";
import type { Running } from "../running.ts";
import type { Calls, WindowCall } from "./calls.ts";
import { RefusedError, type StepCalls } from "./calls_http.ts";
import { callsOf } from "./calls_of.ts";
import type { Printer } from "./output.ts";
import { SharedInput } from "./shared_input.ts";
import { Steps } from "./steps.ts";
import type { Later, WindowAct } from "./target.ts";
import { X11Input } from "./x11_input.ts";
import { X11Target } from "./x11_target.ts";

/** Changes of windows that deskhand asks for with the same messages. */
const SHARED: Partial<Record<WindowAct, WindowCall>> = {
  activate: "activate",
  minimize: "minimize",
  quit: "close",
};
/** Statuses of answers: deskhand does not list the window; the change has not shown in time. */
const NOT_FOUND = 404, TIME_LIMIT = 408;

/** xdotool's actions on X11: by deskhand where the result is the same, otherwise by libxdo. */
export class SharedX11Target extends X11Target {
  override readonly steps: Steps;
  readonly #session: XdoSession;

  constructor(session: XdoSession, print: Printer, readonly calls: Calls & StepCalls) {
    const steps = new Steps(calls);
    super(session, print, new SharedInput(new X11Input(session), calls, steps));
    this.steps = steps;
    this.#session = session;
  }

  /** A display whose input goes to a running deskhand. */
  static of(running: Running, session: XdoSession, print: Printer): SharedX11Target {
    return new SharedX11Target(session, print, callsOf(running));
  }

  override act(act: WindowAct, window: number): Later<number> {
    const change = this.#isOther(act, window) ? undefined : SHARED[act];
    return change ? this.#ask(act, change, window) : super.act(act, window);
  }

  /** Tells whether xdotool refuses the change, or changes more: the workspace. */
  #isOther(act: WindowAct, window: number): boolean {
    const session = this.#session, root = session.root(0);
    if (session.number(root, "_NET_SUPPORTING_WM_CHECK") === undefined) return true;
    if (act !== "activate") return false;
    const desktop = session.number(window, "_NET_WM_DESKTOP");
    return desktop !== session.number(root, "_NET_CURRENT_DESKTOP");
  }

  async #ask(act: WindowAct, change: WindowCall, window: number): Promise<number> {
    try {
      await this.calls.changeWindow(`0x${window.toString(16)}`, change);
      return 0;
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      if (error.status === TIME_LIMIT) return 0; // xdotool asks, and does not look
      if (error.status === NOT_FOUND) return await super.act(act, window);
      throw error;
    }
  }

  override async close(): Promise<void> {
    await this.calls.close();
    super.close();
  }
}
