/** A desktop with a session bus on which programs show their elements, and deskhand beside it. */

import { need } from "./need.ts";
import { Program } from "./program.ts";
import { SESSION_BUS, SessionBus } from "./session_bus.ts";
import { Xvfb } from "./xvfb.ts";

/** The needs of every test on a stage. */
export const STAGE = {
  ignore: SESSION_BUS.ignore ||
    need("Xvfb", "openbox", "xev", "xprop", "/usr/libexec/at-spi2-registryd").ignore,
};

/** An element as the API lists it. */
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
   * @param args The arguments of deskhand, beside those of its API.
   */
  static async start(...args: string[]): Promise<ElementsStage> {
    const stack = new AsyncDisposableStack();
    const server = stack.use(await Xvfb.start()), bus = stack.use(await SessionBus.start(server.env));
    const env = { ...server.env, ...bus.env, NO_AT_BRIDGE: "0", GTK_IM_MODULE: "gtk-im-context-simple" };
    stack.use(await server.manager("openbox"));
    const program = stack.use(new Program(["--http", "0", "--desktop", "x11", ...args], { env }));
    return new ElementsStage(env, program, await program.controlUrl(), stack);
  }

  /** Starts a program, which ends with the stage. */
  start(command: string, ...args: string[]): Deno.ChildProcess {
    const { env } = this;
    const child = new Deno.Command(command, { args, env, stdin: "null", stdout: "piped", stderr: "null" })
      .spawn();
    this.stack.defer(async () => {
      try {
        child.kill("SIGKILL");
      } catch {
        // it has ended
      }
      await child.status;
    });
    return child;
  }

  /** Posts a body; gives the status beside the answer. */
  async post(path: string, body: unknown) {
    const answer = await fetch(this.url + path, { method: "POST", body: JSON.stringify(body) });
    return { status: answer.status, ...await answer.json() };
  }

  async get(path: string) {
    return await (await fetch(this.url + path)).json();
  }

  /** The elements of a window; none while it is not there. */
  async list(query: string): Promise<StageElement[]> {
    return (await this.get(`/api/elements?${query}`)).elements ?? [];
  }

  async [Symbol.asyncDispose]() {
    await this.stack[Symbol.asyncDispose]();
  }
}
