/**
 * Calls through a running deskhand's control API, over one connection. With `fetch` the first request takes
 * 11 ms and each further one 0.4 ms; with this connection 1.5 and 0.05 ms (Deno 2.9.6).
 */

import type {
  Direction,
  Held,
  Point,
  Region,
  ScreenLayout,
  WindowInfo,
} from "../../control/desktop/desktop.ts";
import { concat, readSmallFile } from "../../core/bytes.ts";
import { attempt, ExpectedError, on } from "../../core/errors.ts";
import { join } from "../../core/path.ts";
import { stateFolder } from "../../core/state_files.ts";
import { whileAnswering } from "../../core/until.ts";
import { ASK_MS, checkAlive, type Running } from "../running.ts";
import type { Calls, WindowCall } from "./desktop_target.ts";

/** A running deskhand. */
interface Server {
  /** The address, such as `http://127.0.0.1:4000`. */
  url: string;
  /** The token that the server requires; undefined if it requires none. */
  token?: string;
}

/** The client name of these calls in logs and traces. */
const CLIENT = "xdotool";

/** A deskhand over HTTP. */
export class CallsOverHttp implements Calls {
  readonly #ask: Ask;
  /** Keys and buttons that these calls hold, by name. */
  readonly #held = new Map<string, Held>();

  /**
   * @param server The address, for messages.
   * @param another Opens another connection.
   */
  private constructor(
    readonly server: string,
    ask: Ask,
    readonly close: () => Promise<void>,
    readonly another: () => Ask,
  ) {
    this.#ask = ask;
  }

  /** A deskhand on this machine, named by a record. */
  static here({ url, token }: Server): CallsOverHttp {
    const headers = headersOf(token), connection = new KeptConnection(url, headers);
    const another = () => new KeptConnection(url, headers).ask;
    return new CallsOverHttp(url, connection.ask, () => Promise.resolve(connection.close()), another);
  }

  /** A deskhand at any address. */
  static anywhere({ url, token }: Server): CallsOverHttp {
    const ask: Ask = async (method, path, body) => {
      const response = await fetch(`${url}${path}`, { method, headers: headersOf(token), body });
      return { status: response.status, text: await response.text() };
    };
    return new CallsOverHttp(url, ask, () => Promise.resolve(), () => ask);
  }

  position = () => this.#look<Point>("position");
  move = (point: Point) => this.#act("move", point);
  press = async (held: Held) => {
    this.#held.set(held.join(" "), held);
    await this.#act("press", named(held));
  };
  release = async (held: Held) => {
    await this.#act("release", named(held));
    this.#held.delete(held.join(" "));
  };
  scroll = (direction: Direction) => this.#act("scroll", { direction, amount: 1 });
  type = (text: string) => this.#act("type", { text });
  screen = () => this.#look<ScreenLayout>("screen");
  windows = async () => (await this.#look<{ windows: WindowInfo[] }>("windows")).windows;
  changeWindow = (id: string, change: WindowCall) => this.#act(`window/${change}`, { id });
  placeWindow = (id: string, region: Partial<Region>) => this.#act("window/place", { id, ...region });

  async letGo(): Promise<void> {
    const ask = this.another(); // the other connection may be waiting for an answer
    for (const held of [...this.#held.values()].toReversed()) {
      await ask("POST", "/api/release", JSON.stringify(named(held)));
    }
  }

  async #act(path: string, values: object): Promise<void> {
    await this.#answer("POST", path, JSON.stringify(values));
  }

  async #look<T>(path: string): Promise<T> {
    return await this.#answer("GET", path) as T;
  }

  async #answer(method: "GET" | "POST", path: string, body?: string): Promise<unknown> {
    const asked = this.#ask(method, `/api/${path}`, body), isAlive = () => checkAlive(this.server);
    const { status, text } = await whileAnswering(asked, ASK_MS, isAlive).catch((error) => {
      throw new ExpectedError(`deskhand at ${this.server} is not responding: ${error.message}`);
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
  return attempt(() => JSON.parse(text), {});
}

const named = ([kind, name]: Held) => ({ [kind]: name });

// Calls to a running deskhand on this machine.

/** Maximum size of a token file, in bytes. */
const TOKEN_LIMIT = 4096;

/** Creates the calls, with the token that the running deskhand requires. */
export function callsOf(running: Running): CallsOverHttp {
  return CallsOverHttp.here({ url: running.url, token: tokenFor(running) });
}

/** The token from the environment, or the one in the state folder; undefined if both are missing. */
function tokenFor({ hasKeptToken }: Running): string | undefined {
  const given = Deno.env.get("DESKHAND_TOKEN");
  if (given || !hasKeptToken) return given || undefined;
  return attempt(() => readSmallFile(join(stateFolder(), "token"), TOKEN_LIMIT).trim());
}

interface HttpAnswer {
  status: number;
  text: string;
}

/** Sends a request to a server, with a JSON body. Rejects if there is no response. */
type Ask = (method: "GET" | "POST", path: string, body?: string) => Promise<HttpAnswer>;

const encoder = new TextEncoder(), decoder = new TextDecoder();
/** The end of a response's headers. */
const HEAD_END = "\r\n\r\n";
const PIECE = 16 * 1024;
const DEFAULT_PORT = 80;
/** Idle time in milliseconds after which the event loop runs once, to detect a closed connection. */
const REST_MS = 20;

/** No byte of a request was sent. */
class UnsentError extends Error {
  override name = "UnsentError";
}

/** The connection closed before the first byte of a response. */
class EndedError extends Error {
  override name = "EndedError";
}

/** A connection that is opened by its first request. */
export class KeptConnection {
  readonly #address: { hostname: string; port: number };
  /** The header lines of each request. */
  readonly #fields: string;
  #opened: Opened | undefined;

  /**
   * @param url Such as `http://127.0.0.1:4000`.
   * @param headers Sent with each request.
   */
  constructor(url: string, headers: Readonly<Record<string, string>>) {
    const { hostname, port, host } = new URL(url);
    this.#address = { hostname: hostname.replace(/^\[|\]$/g, ""), port: Number(port) || DEFAULT_PORT };
    this.#fields = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
      .join("");
  }

  /**
   * A server may close an idle connection. deskhand then repeats the request over a new connection if no byte
   * was sent, or if a GET received no response. A POST may have had an effect, and is never repeated (RFC
   * 9110, 9.2.2).
   */
  ask: Ask = async (method, path, body = "") => {
    const length = encoder.encode(body).length;
    const request = encoder.encode(
      `${method} ${path} HTTP/1.1\r\n${this.#fields}Content-Length: ${length}\r\n\r\n${body}`,
    );
    if (await this.#opened?.hasEnded()) this.close();
    const wasKept = this.#opened !== undefined;
    try {
      return await this.#exchange(request);
    } catch (error) {
      this.close();
      const mayRepeat = error instanceof UnsentError || method === "GET" && error instanceof EndedError;
      if (wasKept && mayRepeat) return await this.#exchange(request);
      throw error;
    }
  };

  close(): void {
    this.#opened?.close();
    this.#opened = undefined;
  }

  async #exchange(request: Uint8Array<ArrayBuffer>): Promise<HttpAnswer> {
    const opened = this.#opened ??= await Opened.to(this.#address);
    await opened.send(request);
    return await opened.answer();
  }
}

/** An open connection, which is always being read, so that its end is detected before the next request. */
class Opened {
  readonly #connection: Deno.TcpConn;
  readonly #piece = new Uint8Array(PIECE);
  #next!: Promise<number | null>;
  #hasEnded = false;
  #restsSince = 0;

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
    this.#read();
  }

  static async to(address: { hostname: string; port: number }): Promise<Opened> {
    const connection = await Deno.connect(address);
    connection.setNoDelay();
    return new Opened(connection);
  }

  #read(): void {
    this.#restsSince = performance.now();
    const next = this.#next = this.#connection.read(this.#piece);
    // Bytes without a request also end the connection.
    next.catch(() => null).then(() => this.#hasEnded ||= this.#next === next);
  }

  /** Whether the server has closed the connection since the last response. */
  async hasEnded(): Promise<boolean> {
    if (performance.now() - this.#restsSince > REST_MS) await new Promise((resolve) => setTimeout(resolve));
    return this.#hasEnded;
  }

  /** @throws UnsentError if the system accepted no byte. */
  async send(request: Uint8Array<ArrayBuffer>): Promise<void> {
    for (let at = 0; at < request.length;) {
      try {
        at += await this.#connection.write(request.subarray(at));
      } catch (cause) {
        const message = (cause as Error).message;
        throw at ? new EndedError(message, { cause }) : new UnsentError(message, { cause });
      }
    }
  }

  /** Reads a response whose headers contain its length, as in all of deskhand's JSON responses. */
  async answer(): Promise<HttpAnswer> {
    let bytes = new Uint8Array();
    for (;;) {
      const count = await this.#next.catch(on(Deno.errors.ConnectionReset, null));
      if (count === null) throw new (bytes.length ? Error : EndedError)("the connection ended");
      bytes = concat(bytes, this.#piece.subarray(0, count));
      this.#hasEnded = false;
      this.#read();
      const answer = answerOf(bytes);
      if (answer) return answer;
    }
  }

  close(): void {
    this.#connection.close();
  }
}

/**
 * Parses an HTTP/1.1 response.
 * @returns undefined while bytes are missing.
 * @throws Error if the headers contain no length.
 * @example
 * answerOf(new TextEncoder().encode("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")); // { status: 200, text: "{}" }
 */
export function answerOf(bytes: Uint8Array<ArrayBuffer>): HttpAnswer | undefined {
  // Each byte becomes one character, so that offsets in the text equal offsets in the bytes.
  const plain = String.fromCharCode(...bytes.subarray(0, PIECE)), end = plain.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const head = plain.slice(0, end), status = Number(/^HTTP\/1\.\d (\d{3})/.exec(head)?.[1]);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? NaN);
  if (!status || Number.isNaN(length)) throw new Error("this is not a response from deskhand");
  const from = end + HEAD_END.length;
  if (bytes.length < from + length) return undefined;
  return { status, text: decoder.decode(bytes.subarray(from, from + length)) };
}
