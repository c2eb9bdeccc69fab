/** The handler of WebDriver: its sessions, and the way from a request to a command. */

import { Capacity } from "../../../core/coalesced_read.ts";
import { isJsonObject } from "../../../core/json.ts";
import { VERSION } from "../../../core/version.ts";
import type { Guard, Handler, Peer } from "../../../http/handler.ts";
import { targetOf } from "../../../http/target.ts";
import type { ActionRunner } from "../../actions/runner.ts";
import { BODIES, parseJsonBody, readBody } from "../request_body.ts";
import { type HasLeft, WatchedClient } from "../watched_client.ts";
import { answeredCapabilities, capabilitiesOf } from "./capabilities.ts";
import { Command, type CommandCaller, runOwn } from "./command.ts";
import { commandAt } from "./commands.ts";
import { errorResponse, failure, invalid, success, WebDriverError } from "./errors.ts";
import { Session } from "./session.ts";

/** Parts of the handler. */
export interface WebDriverOptions {
  runner: ActionRunner;
  /** Refuses requests before anything else looks at them. */
  guard: Guard;
  /** The programs that sessions may start; `*` for any. */
  programs: readonly string[];
  /** The implicit wait of sessions that set none, in milliseconds. */
  implicitMs: number;
  hasLeft?: HasLeft;
  /** Gets errors that are bugs. */
  report(error: unknown): void;
}

/** Sessions at once, commands under way, and bytes of a body: clients send scripts of 80 KB. */
const LIMITS = { sessions: 16, commands: 64, body: 1024 * 1024 };

/** The sessions of all clients. */
export class WebDriver {
  readonly #sessions = new Map<string, OpenSession>();
  readonly #commands = new Capacity(
    LIMITS.commands,
    `${LIMITS.commands} commands are under way; try again later`,
  );
  /** Sessions that are being made. */
  #making = 0;
  #isClosed = false;

  constructor(readonly options: WebDriverOptions) {}

  /** Answers a request. Never throws. */
  readonly handler: Handler = async (request, peer) => {
    try {
      const refused = this.options.guard(request, peer);
      if (refused) {
        const { "www-authenticate": _, ...headers } = refused.headers ?? {};
        return errorResponse(
          "unknown error",
          refusalText(refused.status, refused.message),
          refused.status,
          headers,
        );
      }
      return success(await this.#answer(request, peer));
    } catch (error) {
      return failure(error, this.options.report);
    } finally {
      BODIES.release(request);
    }
  };

  async #answer(request: Request, peer: Peer): Promise<unknown> {
    using _lease = this.#commands.enter();
    const path = targetOf(request.url).path.replace(/^\/wd\/hub(?=\/|$)/, "").replace(/(.)\/$/, "$1"),
      { method } = request;
    const own = OWN_COMMANDS[path];
    if (own && own !== method) throw new WebDriverError("unknown method", `${path} does not take ${method}`);
    if (path === "/status") return this.#status();
    if (path === "/sessions") return this.#list();
    const [, id, rest = ""] = /^\/session\/([^/]+)(\/.*)?$/.exec(path) ?? [];
    if (!own && id === undefined) {
      throw new WebDriverError("unknown command", `there is no command ${method} ${path}`);
    }
    using watched = new WatchedClient(request, peer, this.options.hasLeft);
    if (own) return await this.#make(await bodyOf(request), callerOf(watched, ""));
    const open = this.#sessions.get(id);
    if (!open) throw new WebDriverError("invalid session id", `there is no session ${id}`);
    const caller = callerOf(watched, id), { runner } = this.options;
    if (method === "DELETE" && !rest) {
      return await runOwn(runner, caller, "endSession", "read", {}, () => this.#end(open));
    }
    const { run, given } = commandAt(method, rest);
    const body = method === "POST" ? await bodyOf(request) : {};
    open.begins();
    try {
      return await run(new Command(runner, open.session, given, body, caller));
    } finally {
      open.ended();
    }
  }

  #status() {
    const isReady = !this.#isClosed && this.#sessions.size + this.#making < LIMITS.sessions;
    const message = isReady ? "deskhand takes sessions" : "deskhand takes no further sessions";
    return { ready: isReady, message, build: { version: VERSION } };
  }

  #list() {
    return Array.from(this.#sessions.values(), ({ session: { id, capabilities, timeouts } }) => ({
      id,
      capabilities: answeredCapabilities(capabilities, timeouts),
    }));
  }

  async #make(body: Record<string, unknown>, caller: CommandCaller): Promise<unknown> {
    const { runner, programs, implicitMs } = this.options, capabilities = capabilitiesOf(body);
    if (this.#isClosed) throw new WebDriverError("session not created", "deskhand is ending");
    await this.#makeRoom();
    this.#making++;
    try {
      const { app = "Root" } = capabilities, starts = !/^(?:root|\d+)$/i.test(String(app));
      const session = await runOwn(
        runner,
        caller,
        "newSession",
        starts && capabilities.appTopLevelWindow === undefined ? "act" : "read",
        { program: String(app) },
        ({ operator, signal }) =>
          Session.open(operator, capabilities, { allowed: programs, implicitMs, signal }),
      );
      if (this.#isClosed) {
        await session.end();
        throw new WebDriverError("session not created", "deskhand is ending");
      }
      const open = new OpenSession(session, () => this.#end(open));
      this.#sessions.set(session.id, open);
      return { sessionId: session.id, capabilities: answeredCapabilities(capabilities, session.timeouts) };
    } finally {
      this.#making--;
    }
  }

  /**
   * Ends sessions whose programs have ended, if there is no place for another one.
   * @throws WebDriverError if there still is none.
   */
  async #makeRoom(): Promise<void> {
    const isFull = () => this.#sessions.size + this.#making >= LIMITS.sessions;
    if (!isFull()) return;
    const left = [...this.#sessions.values()].filter(({ session }) => session.program?.hasEnded);
    for (const open of left) await this.#end(open);
    if (!isFull()) return;
    throw new WebDriverError(
      "session not created",
      `${LIMITS.sessions} sessions are open already: end one, or let sessions end by newCommandTimeout`,
    );
  }

  async #end(open: OpenSession): Promise<void> {
    this.#sessions.delete(open.session.id);
    open.close();
    await open.session.end();
  }

  /** Ends all sessions and their programs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([...this.#sessions.values()].map((open) => this.#end(open)));
  }

  /** Kills the programs of all sessions, at once: for the end of deskhand. */
  abort(): void {
    this.#isClosed = true;
    for (const { session } of this.#sessions.values()) session.program?.kill();
  }
}

/** The commands beside those of a session, with their methods. */
const OWN_COMMANDS: Readonly<Record<string, string | undefined>> = {
  "/status": "GET",
  "/sessions": "GET",
  "/session": "POST",
};

/** A session that commands find, which ends when none has come for as long as the client said. */
class OpenSession {
  #running = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param expire Ends the session. */
  constructor(readonly session: Session, readonly expire: () => void) {
    this.#wait();
  }

  /** Notes the beginning of a command. */
  begins(): void {
    this.#running++;
    clearTimeout(this.#timer);
  }

  /** Notes the end of a command. */
  ended(): void {
    if (!--this.#running) this.#wait();
  }

  #wait(): void {
    const { newCommandTimeout: seconds = 0 } = this.session.capabilities;
    const ms = Math.min(1000 * seconds, LONGEST_TIMER_MS);
    clearTimeout(this.#timer);
    if (ms && !this.#isClosed) this.#timer = setTimeout(this.expire, ms);
  }

  #isClosed = false;

  /** Stops waiting for commands. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}

/** The longest time that `setTimeout` takes, in milliseconds (WHATWG HTML: a signed 32-bit number). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Characters of a session's id in traces. */
const SHOWN_ID = 8;

/** The caller of a command: the client with its session. Its signal is aborted when the client leaves. */
function callerOf(watched: WatchedClient, session: string): CommandCaller {
  const { client = "unknown", signal } = watched;
  return {
    by: "webdriver",
    client: session ? `${client} ${session.slice(0, SHOWN_ID)}` : client,
    signal,
    isSensitive: false,
    hasLeft: () => watched.hasLeft(),
  };
}

/** @throws WebDriverError if the body is no object of JSON. */
async function bodyOf(request: Request): Promise<Record<string, unknown>> {
  const body = parseJsonBody(await readBody(request, LIMITS.body));
  if (!isJsonObject(body)) throw invalid("the body must be an object");
  return body;
}

/** A refusal in words. Clients of WebDriver have no way to send a token but in the address. */
function refusalText(status: number, message: string): string {
  if (status !== 401) return message;
  return `${
    message.replace(/: send Authorization: Bearer <token>$/, "")
  }: give it in the address, as in http://deskhand:TOKEN@localhost`;
}
