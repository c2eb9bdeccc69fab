/**
 * Links that let others in: each has a token of its own, fewer rights than the main token, and an end. Links are kept
 * in memory alone, so that they all end with the program.
 */

import { BusyError, NotFoundError } from "../../../core/errors.ts";
import { nodeModule } from "../../../core/path.ts";
import type { Refusal } from "../../../http/request.ts";
import { freshToken } from "./token.ts";

/** Rights of a link: to look, as under `--read-only`, or to act as well. */
export const LINK_RIGHTS = ["look", "act"] as const;
type LinkRights = typeof LINK_RIGHTS[number];

/** Links that may be open at once. */
const OPEN = 100;
/** Ended links that are kept, so that their callers read that the link has ended. */
const OVER = 100;
/**
 * The time between two looks at the clock, in milliseconds: timers stand still while the machine sleeps, and the sockets
 * of a link that ended meanwhile end at the next look.
 */
const LOOK_MS = 30_000;

export interface Link {
  id: string;
  /** The name of the guest that the link is for. */
  name: string;
  rights: LinkRights;
  /** The end of the link, in milliseconds since 1970. */
  ends: number;
  /** A signal that is aborted when the link ends or is revoked. */
  signal: AbortSignal;
}

interface Entry extends Link {
  digest: string;
  end: AbortController;
  /** The end of the link by the clock that is never set back. */
  steadyEnd: number;
  /** The next look at the clocks. */
  timer?: ReturnType<typeof setTimeout>;
}

/** The clocks of links, in milliseconds: a link ends by the one that is first, since either may stand still or be set. */
const CLOCKS = { now: Date.now, steady: () => performance.now() };

/** Every link of a control API. */
export class Links {
  /** Links by their token's digest: a lookup takes as long for each token, whatever part of it is right. */
  readonly #byDigest = new Map<string, Entry>();
  /** Callers that came by a link, by their requests. */
  readonly #callers = new WeakMap<Request, Link>();
  #made = 0;

  constructor(readonly clocks = CLOCKS) {}

  /**
   * Makes a link.
   * @param ms The time for which the link is open, in milliseconds.
   * @returns The link and its token, which is kept nowhere.
   * @throws BusyError if there are too many.
   */
  make(
    { rights, name, ms }: { rights: LinkRights; name: string; ms: number },
  ): { link: Link; token: string } {
    if (this.list().length >= OPEN) throw new BusyError(`${OPEN} links are already open: revoke one`);
    const token = freshToken(), end = new AbortController(), id = String(++this.#made);
    const link: Entry = {
      id,
      name,
      rights,
      ends: this.clocks.now() + ms,
      steadyEnd: this.clocks.steady() + ms,
      signal: end.signal,
      digest: digestOf(token),
      end,
    };
    this.#byDigest.set(link.digest, link);
    this.#endLater(link);
    return { link, token };
  }

  /** The open links, the oldest first. */
  list(): Link[] {
    return [...this.#byDigest.values()].filter((link) => !this.#isOver(link));
  }

  /**
   * Ends a link at once, with the live pictures and streams that came by it.
   * @throws NotFoundError if no open link has this id.
   */
  revoke(id: string): void {
    const link = [...this.#byDigest.values()].find((link) => link.id === id);
    if (!link || this.#isOver(link)) throw new NotFoundError(`there is no open link ${JSON.stringify(id)}`);
    this.#end(link);
  }

  /** Whether a token is that of an open link. */
  isOpen(token: string): boolean {
    return this.byToken(token) !== undefined;
  }

  /** The open link that a token is of; undefined if there is none. */
  byToken(token: string): Link | undefined {
    const link = this.#of(token);
    return link && !this.#isOver(link) ? link : undefined;
  }

  /** Notes the link by which a request came, or tells that the link has ended. */
  admit(request: Request, tokens: readonly string[]): Refusal | undefined {
    if (!this.#byDigest.size) return undefined;
    const links = tokens.map((token) => this.#of(token)).filter((link) => link !== undefined);
    if (links.some((link) => this.#isOver(link))) {
      return {
        status: 401,
        message: "this link has expired or was revoked",
        headers: { "www-authenticate": "Bearer" },
      };
    }
    const least = links.find(({ rights }) => rights === "look") ?? links[0];
    if (least) this.#callers.set(request, least);
    return undefined;
  }

  /** The link that a request came by; undefined for callers with every right. */
  of(request: Request): Link | undefined {
    return this.#callers.get(request);
  }

  #of(token: string): Entry | undefined {
    return this.#byDigest.get(digestOf(token));
  }

  /** Whether a link has ended; ends it if its time is over. */
  #isOver(link: Entry): boolean {
    if (!link.signal.aborted && this.#left(link) <= 0) this.#end(link);
    return link.signal.aborted;
  }

  #left({ ends, steadyEnd }: Entry): number {
    return Math.min(ends - this.clocks.now(), steadyEnd - this.clocks.steady());
  }

  #endLater(link: Entry): void {
    if (this.#isOver(link)) return;
    link.timer = setTimeout(() => this.#endLater(link), Math.min(this.#left(link), LOOK_MS));
    Deno.unrefTimer(link.timer);
  }

  #end(link: Entry): void {
    clearTimeout(link.timer);
    link.end.abort(new NotFoundError("this link has expired or was revoked"));
    const over = [...this.#byDigest.values()].filter(({ signal }) => signal.aborted);
    if (over.length > OVER) this.#byDigest.delete(over[0].digest);
  }
}

function digestOf(token: string): string {
  return nodeModule("node:crypto").createHash("sha256").update(token).digest("hex");
}
