/** Compares secrets in constant time, so that timing does not reveal how much was right. */

import { attempt } from "../core/errors.ts";
import { nodeModule } from "../core/path.ts";
import { networkOf } from "./host.ts";

/**
 * Returns a function that compares texts with a secret. It compares digests, in the same time for all texts
 * of the same length.
 * @returns A function that returns whether a text is the secret.
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

// Paths of shared files, which contain a secret that the log omits.

/** The path below which files are shared. */
export const SHARE_PATH = "/.share";

/** Whether a path belongs to the shares. */
export function isSharePath(path: string): boolean {
  return path === SHARE_PATH || path.startsWith(`${SHARE_PATH}/`);
}

/**
 * A path in a form that is safe to log.
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

/** Maximum number of wrong secrets per caller within {@linkcode WINDOW_MS}. */
const ALLOWED = 10;
const WINDOW_MS = 60_000;
/** Maximum number of remembered callers. The caller whose last attempt is oldest is forgotten first. */
const CALLERS = 10_000;

/**
 * Counts wrong secrets per caller, in bounded memory. Callers with too many wrong secrets must wait; other
 * callers are not affected. The guard decides what waiting means: it still checks tokens, which cannot be
 * guessed, but not passwords.
 */
export class AttemptLimiter {
  readonly #attempts = new Map<string, { count: number; until: number }>();

  /** @param now Returns milliseconds that never decrease. */
  constructor(readonly now: () => number = () => performance.now()) {}

  /**
   * Whether a caller must wait.
   * @param address The caller's address.
   * @returns Seconds, at least 1, if the caller has used up its wrong secrets; undefined otherwise.
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
   * @returns Seconds to wait, at least 1, if this one exceeds the limit; undefined otherwise.
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

  /** Reverts what {@linkcode failed} counted before the secret was checked, because it was right. */
  forgive(address: string): void {
    const entry = this.#attempts.get(networkOf(address));
    if (entry) entry.count = Math.max(0, entry.count - 1);
  }
}

function secondsTo(until: number, now: number): number {
  return Math.ceil((until - now) / 1000);
}
