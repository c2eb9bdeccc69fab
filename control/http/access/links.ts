/**
 * Links that let others in: each has a token of its own, fewer rights than the main token, and an end. Links are kept
 * in memory alone, so that they all end with the program.
 */

import { BusyError, NotFoundError } from "../../../core/errors.ts";
import { nodeModule } from "../../../core/path.ts";
import type { Refusal } from "../../../http/handler.ts";
import { freshToken } from "./token.ts";

/** Rights of a link: to look, as under `--read-only`, or to act as well. */
export const LINK_RIGHTS = ["look", "act"] as const;
/** A right of a link. */
export type LinkRights = typeof LINK_RIGHTS[number];

/** Links that may be open at once. */
const OPEN = 100;
/** Ended links that are kept, so that their callers read that the link has ended. */
const OVER = 100;
/** The longest time that `setTimeout` takes, in milliseconds (WHATWG HTML: a signed 32-bit number). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A link. */
export interface Link {
  id: string;
  /** The name of the guest that the link is for. */
  name: string;
  rights: LinkRights;
  /** The end of the link, by `Date.now()`. */
  ends: number;
  /** A signal that is aborted when the link ends or is revoked. */
  signal: AbortSignal;
}

interface Entry extends Link {
  digest: string;
  end: AbortController;
}

/** Every link of a control API. */
export class Links {
  /** Links by their token's digest: a lookup takes as long for each token, whatever part of it is right. */
  readonly #byDigest = new Map<string, Entry>();
  /** Callers that came by a link, by their requests. */
  readonly #callers = new WeakMap<Request, Link>();
  #made = 0;

  /**
   * Makes a link.
   * @param ms The time for which the link is open, in milliseconds.
   * @returns The link and its token, which is kept nowhere.
   * @throws BusyError if there are too many.
   */
  make(
    { rights, name, ms }: { rights: LinkRights; name: string; ms: number },
  ): { link: Link; token: string } {
    if (this.list().length >= OPEN) throw new BusyError(`${OPEN} links are open already: revoke one`);
    const token = freshToken(), end = new AbortController(), id = String(++this.#made);
    const link = {
      id,
      name,
      rights,
      ends: Date.now() + ms,
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
    return [...this.#byDigest.values()].filter(({ signal }) => !signal.aborted);
  }

  /**
   * Ends a link at once, with the live pictures and streams that came by it.
   * @throws NotFoundError if no open link has this id.
   */
  revoke(id: string): void {
    const link = [...this.#byDigest.values()].find((link) => link.id === id);
    if (!link || link.signal.aborted) throw new NotFoundError(`there is no open link ${JSON.stringify(id)}`);
    this.#end(link);
  }

  /** Tells whether a token is that of an open link. */
  isOpen(token: string): boolean {
    return this.#of(token)?.signal.aborted === false;
  }

  /** Notes the link by which a request came, or tells that the link has ended. */
  admit(request: Request, tokens: readonly string[]): Refusal | undefined {
    if (!this.#byDigest.size) return undefined;
    const links = tokens.map((token) => this.#of(token)).filter((link) => link !== undefined);
    if (links.some(({ signal }) => signal.aborted)) {
      return { status: 401, message: "this link has ended", headers: { "www-authenticate": "Bearer" } };
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

  #endLater(link: Entry): void {
    const left = link.ends - Date.now();
    if (left <= 0) return this.#end(link);
    const timer = setTimeout(() => this.#endLater(link), Math.min(left, LONGEST_TIMER_MS));
    Deno.unrefTimer(timer);
    link.signal.addEventListener("abort", () => clearTimeout(timer));
  }

  #end(link: Entry): void {
    link.end.abort(new NotFoundError("this link has ended"));
    const over = [...this.#byDigest.values()].filter(({ signal }) => signal.aborted);
    if (over.length > OVER) this.#byDigest.delete(over[0].digest);
  }
}

function digestOf(token: string): string {
  return nodeModule("node:crypto").createHash("sha256").update(token).digest("hex");
}
