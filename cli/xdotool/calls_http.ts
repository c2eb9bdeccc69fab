/** The calls by the control API of a deskhand that runs. */

import type {
  Direction,
  Held,
  Point,
  Region,
  ScreenLayout,
  WindowInfo,
} from "../../control/desktop/desktop.ts";
import { readSmallFile } from "../../core/bytes.ts";
import { ExpectedError } from "../../core/errors.ts";
import { join } from "../../core/path.ts";
import { stateFolder } from "../../core/state_dir.ts";
import type { Running } from "../running.ts";
import type { Calls, WindowCall } from "./calls.ts";
import { type Ask, KeptConnection } from "./kept_connection.ts";

/** The address of a running deskhand. */
interface Server {
  /** The address, such as `http://127.0.0.1:4000`. */
  url: string;
  /** The token that the server asks for; undefined where it asks for none. */
  token?: string;
}

/** The error of a call that deskhand refused. */
export class RefusedError extends ExpectedError {
  override name = "RefusedError";

  /**
   * @param status The answer's status of HTTP.
   * @param done How many steps of several were done; undefined where the answer does not tell.
   */
  constructor(message: string, readonly status: number, readonly done?: number) {
    super(message);
  }
}

/** An input as a step: the action's path below `/api/`, and its fields. */
export interface Step {
  action: "move" | "press" | "release" | "scroll";
  fields: object;
}

/** Calls that can do several inputs in one request. */
export interface StepCalls {
  /**
   * Runs inputs in order until one fails.
   * @returns The failure, and the number of inputs that were done before; undefined if all were done.
   * @throws ExpectedError if that number is unknown.
   */
  steps(steps: readonly Step[]): Promise<{ error: RefusedError; done: number } | undefined>;
}

/** The status of an answer to a path that an earlier version of deskhand lacks. */
const NO_SUCH_PATH = 404;

/** The name under which logs and traces have these calls. */
const CLIENT = "xdotool";

/** A deskhand over HTTP. */
export class CallsOverHttp implements Calls, StepCalls {
  readonly #ask: Ask;

  /** @param server Its address, for messages. */
  private constructor(readonly server: string, ask: Ask, readonly close: () => Promise<void>) {
    this.#ask = ask;
  }

  /** The deskhand of this machine that a record names. */
  static here({ url, token }: Server): CallsOverHttp {
    const connection = new KeptConnection(url, headersOf(token));
    return new CallsOverHttp(url, connection.ask, () => Promise.resolve(connection.close()));
  }

  /** Makes calls on a deskhand at any address. */
  static anywhere({ url, token }: Server): CallsOverHttp {
    const ask: Ask = async (method, path, body) => {
      const response = await fetch(`${url}${path}`, { method, headers: headersOf(token), body });
      return { status: response.status, text: await response.text() };
    };
    return new CallsOverHttp(url, ask, () => Promise.resolve());
  }

  position = () => this.#look<Point>("position");
  move = (point: Point) => this.#act("move", point);
  press = (held: Held) => this.#act("press", named(held));
  release = (held: Held) => this.#act("release", named(held));
  scroll = (direction: Direction) => this.#act("scroll", { direction, amount: 1 });
  type = (text: string) => this.#act("type", { text });
  screen = () => this.#look<ScreenLayout>("screen");
  windows = async () => (await this.#look<{ windows: WindowInfo[] }>("windows")).windows;
  changeWindow = (id: string, change: WindowCall) => this.#act(`window/${change}`, { id });
  placeWindow = (id: string, region: Partial<Region>) => this.#act("window/place", { id, ...region });

  /** Tells that this deskhand takes one step a request, as earlier versions do. */
  #takesOne = false;

  async steps(steps: readonly Step[]): Promise<{ error: RefusedError; done: number } | undefined> {
    if (steps.length > 1 && !this.#takesOne) {
      const body = { steps: steps.map(({ action, fields }) => ({ action, ...fields })) };
      const error = await this.#refusal("steps", body);
      if (!error) return undefined;
      if (error.done !== undefined) return { error, done: error.done };
      if (error.status !== NO_SUCH_PATH) throw error;
      this.#takesOne = true;
    }
    for (const [done, { action, fields }] of steps.entries()) {
      const error = await this.#refusal(action, fields);
      if (error) return { error, done };
    }
  }

  async #refusal(path: string, values: object): Promise<RefusedError | undefined> {
    try {
      await this.#act(path, values);
    } catch (error) {
      if (error instanceof RefusedError) return error;
      throw error;
    }
  }

  async #act(path: string, values: object): Promise<void> {
    await this.#answer("POST", path, JSON.stringify(values));
  }

  async #look<T>(path: string): Promise<T> {
    return await this.#answer("GET", path) as T;
  }

  async #answer(method: "GET" | "POST", path: string, body?: string): Promise<unknown> {
    const { status, text } = await this.#ask(method, `/api/${path}`, body).catch((error) => {
      throw new ExpectedError(`deskhand at ${this.server} does not answer: ${error.message}`);
    });
    const answer = parsed(text);
    if (status >= 200 && status < 300) return answer;
    const { error = `deskhand at ${this.server} answered ${status}`, done } = answer;
    throw new RefusedError(error, status, done);
  }
}

function headersOf(token: string | undefined): Record<string, string> {
  return {
    "User-Agent": CLIENT,
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
}

function parsed(text: string): { error?: string; done?: number } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

const named = ([kind, name]: Held) => ({ [kind]: name });

// The calls of a running deskhand of this machine.

/** The largest file that is read as a token, in bytes. */
const TOKEN_LIMIT = 4096;

/** Makes the calls, with the token that the running deskhand asks for. */
export function callsOf(running: Running): CallsOverHttp {
  return CallsOverHttp.here({ url: running.url, token: tokenFor(running) });
}

/** Finds the token of the environment, or the one in the state folder; undefined if both are missing. */
function tokenFor({ hasKeptToken }: Running): string | undefined {
  const given = Deno.env.get("DESKHAND_TOKEN");
  if (given || !hasKeptToken) return given || undefined;
  try {
    return readSmallFile(join(stateFolder(), "token"), TOKEN_LIMIT).trim();
  } catch {
    return undefined;
  }
}
