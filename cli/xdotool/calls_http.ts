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

/** The name under which logs and traces have these calls. */
const CLIENT = "xdotool";

/** A deskhand over HTTP. */
export class CallsOverHttp implements Calls {
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
    throw new ExpectedError(answer.error ?? `deskhand at ${this.server} answered ${status}`);
  }
}

function headersOf(token: string | undefined): Record<string, string> {
  return {
    "User-Agent": CLIENT,
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
}

function parsed(text: string): { error?: string } {
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
