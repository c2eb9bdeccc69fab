/** Comparison of secrets in constant time, so that the time does not reveal how much was right. */

import { attempt } from "../core/errors.ts";
import { nodeModule } from "../core/path.ts";
import { networkOf } from "./host.ts";

/**
 * Makes a comparison with a secret. It compares digests, in the same time for every text of the same length.
 * @returns A function that tells whether a text is the secret.
 * @example
 * secretComparer("secret")("secret"); // true
 */
export function secretComparer(secret: string): (text: string) => boolean {
  let right: Uint8Array | undefined;
  return (text) => nodeModule("node:crypto").timingSafeEqual(digest(text), right ??= digest(secret));
}

function digest(text: string): Uint8Array {
  return nodeModule("node:crypto").createHash("sha256").update(text).digest();
}

// Paths of shared files, which hold a secret: the log shows them without it.

/** The path below which files are shared. */
export const SHARE_PATH = "/.share";

/** Whether a path is one of shares. */
export function isSharePath(path: string): boolean {
  return path === SHARE_PATH || path.startsWith(`${SHARE_PATH}/`);
}

/**
 * A path as a log may show it.
 * @example
 * withoutToken("/.share/secret/a.txt"); // "/.share/…/a.txt"
 */
export function withoutToken(path: string): string {
  return path.replace(/^(\/\.share\/)[^/]+/, "$1…");
}

/**
 * The user and password of Basic authentication (RFC 7617 section 2), with a colon between them.
 * @returns Empty if they are not encoded as they must be; undefined if the header has none.
 * @example
 * basicCredentials("Basic YTpi"); // "a:b"
 */
export function basicCredentials(authorization: string | null | undefined): string | undefined {
  const encoded = /^basic +([A-Za-z0-9+/=]+)$/i.exec(authorization ?? "")?.[1];
  if (encoded === undefined) return undefined;
  return attempt(() => new TextDecoder().decode(Uint8Array.fromBase64(encoded)), "");
}

// Limits how many wrong secrets a caller may send.

/** Wrong secrets that a caller may send within {@linkcode WINDOW_MS}. */
const ALLOWED = 10;
const WINDOW_MS = 60_000;
/** The largest number of remembered callers. The caller whose last attempt is the oldest is forgotten first. */
const CALLERS = 10_000;

/**
 * Counts wrong secrets by caller, in bounded memory. Callers with too many wrong secrets have to wait; other callers
 * are not affected. The guard decides the effect of waiting: it still checks tokens, which cannot be guessed, but no
 * passwords.
 */
export class AttemptLimiter {
  readonly #attempts = new Map<string, { count: number; until: number }>();

  /** @param now Milliseconds, never less than before. */
  constructor(readonly now: () => number = () => performance.now()) {}

  /**
   * Whether a caller has to wait.
   * @param address The caller's address.
   * @returns Seconds, 1 or more, if the caller sent as many wrong secrets as it may; undefined otherwise.
   */
  wait(address: string): number | undefined {
    if (!this.#attempts.size) return undefined;
    const now = this.now();
    const entry = this.#attempts.get(networkOf(address));
    return entry && entry.until > now && entry.count >= ALLOWED ? secondsTo(entry.until, now) : undefined;
  }

  /**
   * Counts a wrong secret.
   * @param address The caller's address.
   * @returns Seconds to wait, 1 or more, if this one exceeds the limit; undefined otherwise.
   */
  failed(address: string): number | undefined {
    const now = this.now();
    const caller = networkOf(address);
    const known = this.#attempts.get(caller);
    const entry = known && known.until > now ? known : { count: 0, until: now + WINDOW_MS };
    entry.count++;
    this.#attempts.delete(caller);
    this.#attempts.set(caller, entry);
    if (this.#attempts.size > CALLERS) this.#attempts.delete(this.#attempts.keys().next().value!);
    return entry.count > ALLOWED ? secondsTo(entry.until, now) : undefined;
  }

  /** Takes back what {@linkcode failed} counted before the secret was checked, since it was right. */
  forgive(address: string): void {
    const entry = this.#attempts.get(networkOf(address));
    if (entry) entry.count = Math.max(0, entry.count - 1);
  }
}

function secondsTo(until: number, now: number): number {
  return Math.ceil((until - now) / 1000);
}
