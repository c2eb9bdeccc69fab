/**
 * Links that let guests in: each has its own token, fewer rights than the main token, and an expiry time.
 * Links exist only in memory, so they all end with the program.
 */

import { BusyError, NotFoundError } from "../../../core/errors.ts";
import { nodeModule } from "../../../core/path.ts";
import type { Refusal } from "../../../http/request.ts";
import { freshToken } from "./token.ts";

/** A link's rights: only look, as under `--read-only`, or also act. */
export const LINK_RIGHTS = ["look", "act"] as const;
type LinkRights = typeof LINK_RIGHTS[number];

/** Maximum number of open links. */
const OPEN = 100;
/** Number of ended links remembered, so that their callers learn that the link has ended. */
const OVER = 100;
/**
 * Interval between two checks of the clock, in milliseconds: timers stop while the machine sleeps, and the
 * sockets of a link that expired meanwhile close at the next check.
 */
const LOOK_MS = 30_000;

export interface Link {
  id: string;
  /** Name of the guest the link is for. */
  name: string;
  rights: LinkRights;
  /** Expiry time, in milliseconds since 1970. */
  ends: number;
  /** Aborted when the link expires or is revoked. */
  signal: AbortSignal;
}

interface Entry extends Link {
  digest: string;
  end: AbortController;
  /** Expiry time on the clock that is never set back. */
  steadyEnd: number;
  /** The next check of the clocks. */
  timer?: ReturnType<typeof setTimeout>;
}

/**
 * The clocks of links, in milliseconds: a link expires by the earlier of the two, since either may stop or be
 * set.
 */
const CLOCKS = { now: Date.now, steady: () => performance.now() };

/** Every link of a control API. */
export class Links {
  /**
   * Links by the digest of their token, so that a lookup takes the same time for every token, however much of
   * it is correct.
   */
  readonly #byDigest = new Map<string, Entry>();
  /** Links of callers, by request. */
  readonly #callers = new WeakMap<Request, Link>();
  #made = 0;

  constructor(readonly clocks = CLOCKS) {}

  /**
   * Creates a link.
   * @param ms How long the link is open, in milliseconds.
   * @returns The link and its token, which is not stored anywhere.
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

  /** The open links, oldest first. */
  list(): Link[] {
    return [...this.#byDigest.values()].filter((link) => !this.#isOver(link));
  }

  /**
   * Ends a link immediately, with the live pictures and streams opened through it.
   * @throws NotFoundError if no open link has this id.
   */
  revoke(id: string): void {
    const link = [...this.#byDigest.values()].find((link) => link.id === id);
    if (!link || this.#isOver(link)) throw new NotFoundError(`there is no open link ${JSON.stringify(id)}`);
    this.#end(link);
  }

  /** Whether a token belongs to an open link. */
  isOpen(token: string): boolean {
    return this.byToken(token) !== undefined;
  }

  /** The open link of a token; undefined if there is none. */
  byToken(token: string): Link | undefined {
    const link = this.#of(token);
    return link && !this.#isOver(link) ? link : undefined;
  }

  /** Records the link of a request, or returns a refusal if the link has ended. */
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

  /** The link of a request; undefined for callers with full rights. */
  of(request: Request): Link | undefined {
    return this.#callers.get(request);
  }

  #of(token: string): Entry | undefined {
    return this.#byDigest.get(digestOf(token));
  }

  /** Whether a link has ended; ends it if it has expired. */
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
