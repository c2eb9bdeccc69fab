/** The calls by the control API of a deskhand that runs. */

import type { Direction, Held, Point, Region, ScreenLayout, WindowInfo } from "../../control/desktop.ts";
import { ExpectedError } from "../../core/errors.ts";
import type { Calls, WindowCall } from "./calls.ts";

/** Where a deskhand answers. */
export interface Server {
  /** Such as `http://127.0.0.1:4000`. */
  url: string;
  /** The token that it asks for; undefined where it asks for none. */
  token?: string;
}

/** A deskhand over HTTP. */
export class CallsOverHttp implements Calls {
  constructor(readonly server: Server) {}

  position = () => this.#ask<Point>("position");
  move = (point: Point) => this.#act("move", point);
  press = (held: Held) => this.#act("press", named(held));
  release = (held: Held) => this.#act("release", named(held));
  scroll = (direction: Direction) => this.#act("scroll", { direction, amount: 1 });
  type = (text: string) => this.#act("type", { text });
  screen = () => this.#ask<ScreenLayout>("screen");
  windows = async () => (await this.#ask<{ windows: WindowInfo[] }>("windows")).windows;
  changeWindow = (id: string, change: WindowCall) => this.#act(`window/${change}`, { id });
  placeWindow = (id: string, region: Partial<Region>) => this.#act("window/place", { id, ...region });
  close = () => Promise.resolve();

  async #act(path: string, values: object): Promise<void> {
    await this.#ask(path, values);
  }

  /** @param values What is sent; nothing is where it is left out. */
  async #ask<T>(path: string, values?: object): Promise<T> {
    const { url, token } = this.server;
    let response: Response;
    try {
      response = await fetch(`${url}/api/${path}`, {
        method: values ? "POST" : "GET",
        headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
        body: values && JSON.stringify(values),
      });
    } catch (error) {
      throw new ExpectedError(`deskhand at ${url} does not answer: ${(error as Error).message}`);
    }
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return answer as T;
    throw new ExpectedError(answer.error ?? `deskhand at ${url} answered ${response.status}`);
  }
}

const named = ([kind, name]: Held) => ({ [kind]: name });
