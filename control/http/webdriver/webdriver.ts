/** The WebDriver handler: its sessions, and the routing of requests to commands. */

import { Capacity } from "../../../core/coalesced_read.ts";
import { STOPPING } from "../../../core/errors.ts";
import { isJsonObject } from "../../../core/json.ts";
import { VERSION } from "../../../core/version.ts";
import { type Guard, type Handler, type Peer, targetOf } from "../../../http/request.ts";
import type { ActionContext } from "../../actions/action.ts";
import type { ActionRunner } from "../../actions/runner.ts";
import { BODIES, type HasLeft, parseJsonBody, readBody, WatchedClient } from "../request.ts";
import { answeredBy, type Capabilities, capabilitiesOf } from "./capabilities.ts";
import { Command, type CommandCaller, runOwn } from "./command.ts";
import { commandAt } from "./commands.ts";
import { errorResponse, failure, invalid, notCreated, success, WebDriverError } from "./errors.ts";
import { kindOf, LONGEST_START_MS, Session } from "./session.ts";

/** The parts of the handler. */
interface WebDriverOptions {
  runner: ActionRunner;
  /** Rejects requests before anything else sees them. */
  guard: Guard;
  /** The programs that sessions may start; `*` for any. */
  programs: readonly string[];
  /** The implicit wait of sessions that set none, in milliseconds. */
  implicitMs: number;
  hasLeft?: HasLeft;
  /** Receives errors that are bugs. */
  report(error: unknown): void;
}

/**
 * Maximum number of sessions and of running commands, and maximum size of a body in bytes: clients send
 * scripts of 80 KB.
 */
const LIMITS = { sessions: 16, commands: 64, body: 1024 * 1024 };
/** Length of a session ID in traces, in characters. */
const SHOWN_ID = 8;
/** Commands outside a session, with their methods. */
const OWN_COMMANDS: Readonly<Record<string, string | undefined>> = {
  "/status": "GET",
  "/sessions": "GET",
  "/appium/sessions": "GET",
  "/session": "POST",
};

/** The sessions of all clients. */
export class WebDriver {
  readonly #sessions = new Map<string, Session>();
  readonly #commands = new Capacity(
    LIMITS.commands,
    `${LIMITS.commands} commands are under way; try again later`,
  );
  /** Sessions being created. */
  readonly #making = new Set<Promise<Session>>();
  readonly #ending = new AbortController();

  constructor(readonly options: WebDriverOptions) {}

  /** Answers a request. Never throws. */
  readonly handler: Handler = async (request, peer) => {
    try {
      const refused = this.options.guard(request, peer);
      if (!refused) return success(await this.#answer(request, peer));
      const { status, message, headers: { "www-authenticate": _, ...headers } = {} } = refused;
      return errorResponse("unknown error", refusalText(status, message), { status, headers });
    } catch (error) {
      return failure(error, this.options.report);
    } finally {
      BODIES.release(request);
    }
  };

  async #answer(request: Request, peer: Peer): Promise<unknown> {
    using _lease = this.#commands.enter();
    const path = targetOf(request.url).path.replace(/^\/wd\/hub(?=\/|$)/, "").replace(/(.)\/$/, "$1");
    const { method } = request, own = OWN_COMMANDS[path];
    if (own && own !== method) {
      throw new WebDriverError("unknown method", `${path} does not support ${method}`);
    }
    if (path === "/status") return this.#status();
    if (own && path.endsWith("/sessions")) {
      return this.#all.map((session) => ({ id: session.id, capabilities: answeredBy(session) }));
    }
    const [, id, rest = ""] = /^\/session\/([^/]+)(\/.*)?$/.exec(path) ?? [];
    if (!own && id === undefined) {
      throw new WebDriverError("unknown command", `there is no command ${method} ${path}`);
    }
    using watched = new WatchedClient(request, peer, this.options.hasLeft);
    if (own) return await this.#make(await bodyOf(request), callerOf(watched, ""));
    const session = this.#sessions.get(id), caller = callerOf(watched, id), { runner } = this.options;
    if (!session) throw new WebDriverError("invalid session id", `there is no session ${id}`);
    if (method === "DELETE" && !rest) {
      return await runOwn(runner, caller, "endSession", "read", {}, () => this.#end(session));
    }
    const { run, given } = commandAt(method, rest), body = method === "POST" ? await bodyOf(request) : {};
    return await session.whileRunning(() => run(new Command(runner, session, given, body, caller)));
  }

  get #all(): Session[] {
    return [...this.#sessions.values()];
  }

  get #isFull(): boolean {
    return this.#sessions.size + this.#making.size >= LIMITS.sessions;
  }

  #status() {
    const ready = !this.#ending.signal.aborted && !this.#isFull;
    const message = ready ? "deskhand accepts new sessions" : "deskhand accepts no more sessions";
    return { ready, message, build: { version: VERSION } };
  }

  async #make(body: Record<string, unknown>, caller: CommandCaller): Promise<unknown> {
    const capabilities = capabilitiesOf(body);
    this.#ending.signal.throwIfAborted();
    if (this.#isFull) {
      for (const session of this.#all) if (session.program?.hasEnded) await this.#end(session);
    }
    if (this.#isFull) {
      const instead = "end one, or set a shorter newCommandTimeout";
      throw notCreated(`${LIMITS.sessions} sessions are open already: ${instead}`);
    }
    const making = this.#open(capabilities, caller);
    this.#making.add(making);
    try {
      const session = await making;
      this.#sessions.set(session.id, session);
      session.onSilence = () => this.#end(session);
      session.expectCommand();
      return { sessionId: session.id, capabilities: answeredBy(session) };
    } finally {
      this.#making.delete(making);
    }
  }

  async #open(capabilities: Capabilities, caller: CommandCaller): Promise<Session> {
    const { runner, programs: allowed, implicitMs } = this.options, { app = "Root" } = capabilities;
    const effect = kindOf(capabilities) === "started" ? "act" : "read";
    const open = (context: ActionContext) => {
      const signal = AbortSignal.any([context.signal, this.#ending.signal]);
      return Session.open(context.operator, capabilities, { allowed, implicitMs, signal });
    };
    return await runOwn(runner, caller, "newSession", effect, { program: app }, open, {
      takesMs: LONGEST_START_MS,
    });
  }

  async #end(session: Session): Promise<void> {
    this.#sessions.delete(session.id);
    await session.end();
  }

  /** Creates no more sessions, ends the programs of those that are being created, and ends waits for elements. */
  stop(): void {
    this.#ending.abort(notCreated(STOPPING));
    this.options.runner.endWaits();
  }

  /** Ends all sessions and their programs. */
  async close(): Promise<void> {
    this.stop();
    await Promise.allSettled(this.#making);
    await Promise.allSettled(this.#all.map((session) => this.#end(session)));
  }

  /** Immediately kills the programs of all sessions, when deskhand ends. */
  abort(): void {
    this.stop();
    for (const { program } of this.#all) program?.kill();
  }
}

/** The caller of a command: the client with its session. Its signal is aborted when the client leaves. */
function callerOf(watched: WatchedClient, session: string): CommandCaller {
  const { client = "unknown", signal } = watched;
  return {
    by: "webdriver",
    client: session ? `${client} ${session.slice(0, SHOWN_ID)}` : client,
    signal,
    isAgent: true,
    isSensitive: false,
    hasLeft: () => watched.hasLeft(),
  };
}

/** @throws WebDriverError if the body is not a JSON object. */
async function bodyOf(request: Request): Promise<Record<string, unknown>> {
  const body = parseJsonBody(await readBody(request, LIMITS.body));
  if (!isJsonObject(body)) throw invalid("the body must be an object");
  return body;
}

/** A refusal in words. WebDriver clients can send a token only in the address. */
function refusalText(status: number, message: string): string {
  const what = message.replace(/: send Authorization: Bearer <token>$/, "");
  return status === 401 ? `${what}: give it in the address, as in http://deskhand:TOKEN@localhost` : message;
}
