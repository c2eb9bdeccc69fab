/** Requests to one deskhand, and retries of calls that are safe to repeat. */

import { apiError, ConnectionFailed } from "./errors.ts";

/** The default address of deskhand. */
export const DEFAULT_URL = "http://127.0.0.1:4000";
/** Maximum time for a response, in milliseconds, in addition to the call's own waiting time. */
const TIMEOUT_MS = 60_000;
/** Maximum pause before a retry, in milliseconds, regardless of Retry-After. */
const LONGEST_PAUSE_MS = 10_000;
/** Errors of a refused connection, in Node and other runtimes: nothing was sent. */
const REFUSED = /ECONNREFUSED|Connection refused|ENOTFOUND|EAI_AGAIN/;

/** deskhand's address, and settings for calls. */
export interface TransportOptions {
  /** deskhand's address; defaults to DESKHAND_URL, or port 4000 on this machine. */
  url?: string;
  /** deskhand's token; defaults to DESKHAND_TOKEN. Programs on the same machine usually need none. */
  token?: string;
  /**
   * Maximum time for a response besides the call's own waiting time, in milliseconds; defaults to a minute.
   */
  timeoutMs?: number;
  /**
   * How often a failed call is retried if that is safe; defaults to 3: a GET after a lost connection or a
   * 503, any call after a refused connection or a 503 with Retry-After. An action that may have happened is
   * never retried.
   */
  retries?: number;
  /** Replaces the runtime's own `fetch`. */
  fetch?: typeof fetch;
}

/** A call's request, and the wanted response. */
interface CallOptions {
  // deno-lint-ignore no-explicit-any -- each operation has its own fields
  query?: any;
  // deno-lint-ignore no-explicit-any -- each operation has its own fields
  body?: any;
  content?: Uint8Array | Blob;
  answer: "json" | "text" | "bytes";
}

/** Sends requests. */
export class Transport {
  /** deskhand's address. */
  readonly url: string;
  readonly #token: string | undefined;
  readonly #timeoutMs: number;
  readonly #retries: number;
  readonly #fetch: typeof fetch;

  constructor({ url, token, timeoutMs = TIMEOUT_MS, retries = 3, fetch: own }: TransportOptions = {}) {
    this.url = (url ?? fromEnvironment("DESKHAND_URL") ?? DEFAULT_URL).replace(/\/+$/, "");
    this.#token = token ?? fromEnvironment("DESKHAND_TOKEN");
    this.#timeoutMs = timeoutMs;
    this.#retries = retries;
    this.#fetch = own ?? ((...args) => globalThis.fetch(...args)); // fetch must not be called as a method
  }

  /**
   * Sends a call.
   * @throws ApiError for a response with a status other than 200; ConnectionFailed if there is none.
   */
  // deno-lint-ignore no-explicit-any -- each operation has its own answer
  protected async _call(method: string, path: string, options: CallOptions): Promise<any> {
    const { query = {}, body, content, answer } = options;
    const init = {
      method,
      headers: this.#headers(body !== undefined || content !== undefined),
      body: content ?? (body === undefined ? undefined : JSON.stringify(body)),
    } as RequestInit;
    const wait = this.#timeoutMs + waitsOf({ ...query, ...body });
    const response = await this.#answered(`${path}${queryText(query)}`, init, wait);
    if (response.status !== 200) throw await errorOf(response);
    if (answer === "json") return await response.json();
    return answer === "text" ? await response.text() : new Uint8Array(await response.arrayBuffer());
  }

  /** Yields server-sent events until the iteration ends. */
  protected async *_events(
    method: string,
    path: string,
    { query = {} }: { query?: object },
  ): AsyncGenerator<Record<string, unknown>> {
    const stop = new AbortController();
    const init = { method, headers: this.#headers(false), signal: stop.signal };
    const response = await this.#send(`${path}${queryText(query)}`, init);
    if (response.status !== 200) throw await errorOf(response);
    try {
      let rest = "";
      for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + text).split("\n");
        rest = lines.pop()!;
        for (const line of lines) if (line.startsWith("data:")) yield JSON.parse(line.slice(5));
      }
    } finally {
      stop.abort();
    }
  }

  /** Sends a request, and retries it if that is safe. */
  async #answered(target: string, init: RequestInit, waitMs: number): Promise<Response> {
    for (let attempt = 0;; attempt++) {
      const isLast = attempt >= this.#retries;
      let pause = Math.min(100 * 2 ** attempt, LONGEST_PAUSE_MS);
      try {
        const response = await this.#send(target, { ...init, signal: AbortSignal.timeout(waitMs) });
        const after = response.headers.get("retry-after");
        // A 503 with Retry-After is sent before anything is done.
        const isPassing = response.status === 503 && (init.method === "GET" || after !== null);
        if (isLast || !isPassing) return response;
        await response.body?.cancel();
        if (after !== null && Number(after) >= 0) pause = Math.min(Number(after) * 1000, LONGEST_PAUSE_MS);
      } catch (error) {
        if (!(error instanceof ConnectionFailed)) throw error;
        if (isLast || error.mayHaveHappened && init.method !== "GET") throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  async #send(target: string, init: RequestInit): Promise<Response> {
    try {
      return await this.#fetch(this.url + target, init);
    } catch (cause) {
      // Node's own message is "fetch failed", with the reason as its cause.
      const { cause: reason } = cause as Error, why = reason ? `${cause}: ${reason}` : `${cause}`;
      if (REFUSED.test(why)) {
        const advice = "start one with `deskhand --http`, or name its address in DESKHAND_URL";
        throw new ConnectionFailed(`no deskhand answers at ${this.url}: ${advice}`, false, { cause });
      }
      const path = target.replace(/\?.*/, "");
      throw new ConnectionFailed(`${this.url}${path}: no answer came (${why})`, true, { cause });
    }
  }

  #headers(hasBody: boolean): Record<string, string> {
    return {
      ...hasBody ? { "content-type": "application/json" } : {},
      ...this.#token ? { authorization: `Bearer ${this.#token}` } : {},
    };
  }
}

function queryText(query: object): string {
  const present = Object.entries(query).filter(([, value]) => value !== undefined);
  return present.length
    ? `?${new URLSearchParams(present.map(([name, value]) => [name, String(value)]))}`
    : "";
}

/** How many milliseconds a call waits because of its own fields. */
function waitsOf(fields: Record<string, unknown>): number {
  const waits = ["timeout_ms", "wait_ms", "hold_ms"].map((name) => Number(fields[name] ?? 0));
  return waits.reduce((sum, wait) => sum + wait, 0) * Number(fields.repeat ?? 1);
}

async function errorOf(response: Response): Promise<Error> {
  const text = await response.text();
  let refusal;
  try {
    refusal = JSON.parse(text);
  } catch {
    // The response did not come from deskhand.
  }
  const { error = text.slice(0, 200) || "no message", done, changed, picture } = refusal ?? {};
  const failure = apiError(response.status, String(error), done);
  if (changed) Object.assign(failure, { changed }, picture && { picture });
  return failure;
}

/** A variable of the environment, where there is one and it may be read. */
function fromEnvironment(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name] || undefined;
  } catch {
    return undefined;
  }
}
