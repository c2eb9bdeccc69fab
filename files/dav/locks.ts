/** Locks of WebDAV (RFC 4918 sections 6 and 7). They are kept in memory, and end by themselves. */

import { BusyError } from "../../core/errors.ts";
import { SEPARATOR } from "../../core/path.ts";
import { textOf } from "./xml.ts";

/** The time of a lock that does not ask for one, and the longest, in seconds. */
const SECONDS = 600, SECONDS_LIMIT = 3600;
/** Locks at once. */
const LOCKS_LIMIT = 1000;

/** A lock to make. */
export interface NewLock {
  /** The real path of what is locked. */
  path: string;
  /** The path of the URL by which it was locked. */
  href: string;
  /** Whether the lock covers everything below a folder. */
  isDeep: boolean;
  /** Whether others may have such a lock, too. */
  isShared: boolean;
  /** The client's description of its user, in XML. */
  owner: string;
  seconds: number;
}

/** A lock. */
export interface Lock extends NewLock {
  token: string;
  /** Milliseconds since 1970. */
  ends: number;
}

/** An action is refused because of a lock whose token was not sent. */
export class LockedError extends Error {
  override name = "LockedError";

  /** @param condition The name of the precondition (RFC 4918 section 16). */
  constructor(readonly condition: "lock-token-submitted" | "no-conflicting-lock", readonly lock: Lock) {
    super("It is locked by another program.");
  }
}

/** The locks of a served folder. */
export class Locks {
  readonly #locks = new Map<string, Lock>();

  /** @param now Gives the time, in milliseconds since 1970. */
  constructor(readonly now: () => number = Date.now) {}

  /**
   * Locks a file or folder.
   * @throws LockedError if it, or part of it, is locked; BusyError if there are too many locks.
   */
  make(asked: NewLock): Lock {
    const others = [...this.on(asked.path), ...asked.isDeep ? this.below(asked.path) : []];
    const conflict = others.find(({ isShared }) => !isShared || !asked.isShared);
    if (conflict) throw new LockedError("no-conflicting-lock", conflict);
    if (this.#locks.size >= LOCKS_LIMIT) throw new BusyError("There are too many locks; try again later.");
    const lock = { ...asked, token: `urn:uuid:${crypto.randomUUID()}`, ends: this.#end(asked.seconds) };
    this.#locks.set(lock.token, lock);
    return lock;
  }

  /** Makes a lock last longer. @returns undefined if there is no such lock on the path. */
  refresh(path: string, tokens: ReadonlySet<string>, seconds: number): Lock | undefined {
    const lock = this.on(path).find(({ token }) => tokens.has(token));
    if (lock) [lock.seconds, lock.ends] = [seconds, this.#end(seconds)];
    return lock;
  }

  /** Ends a lock. @returns false if there is no such lock on the path. */
  remove(path: string, token: string): boolean {
    return this.on(path).some((lock) => lock.token === token) && this.#locks.delete(token);
  }

  /** Ends the locks of what is no longer there. */
  forget(path: string): void {
    for (const { token } of this.below(path)) this.#locks.delete(token);
  }

  /** The locks that cover a path. */
  on(path: string): Lock[] {
    return this.#open().filter((lock) => lock.path === path || lock.isDeep && isBelow(path, lock.path));
  }

  /** The locks of a path and of everything below it. */
  below(path: string): Lock[] {
    return this.#open().filter((lock) => lock.path === path || isBelow(lock.path, path));
  }

  /**
   * Checks that a client has the token of one of the locks of each place that it changes.
   * @param locks The locks of one place.
   * @throws LockedError
   */
  check(locks: readonly Lock[], tokens: ReadonlySet<string>): void {
    const missing = locks.find((lock) =>
      !locks.some((other) => other.path === lock.path && tokens.has(other.token))
    );
    if (missing) throw new LockedError("lock-token-submitted", missing);
  }

  #open(): Lock[] {
    const now = this.now();
    for (const { token, ends } of this.#locks.values()) if (ends <= now) this.#locks.delete(token);
    return [...this.#locks.values()];
  }

  #end(seconds: number): number {
    return this.now() + seconds * 1000;
  }
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(SEPARATOR) ? folder : folder + SEPARATOR);
}

/**
 * Reads the header Timeout (RFC 4918 section 10.7).
 * @returns Seconds that deskhand grants.
 * @example
 * secondsOf("Infinite, Second-4100000000"); // 3600
 */
export function secondsOf(header: string | null): number {
  for (const part of (header ?? "").split(",")) {
    if (/^\s*infinite\s*$/i.test(part)) return SECONDS_LIMIT;
    const seconds = Number(/^\s*second-(\d+)\s*$/i.exec(part)?.[1]);
    if (seconds > 0) return Math.min(seconds, SECONDS_LIMIT);
  }
  return SECONDS;
}

/** The property `lockdiscovery` (RFC 4918 section 15.8): the locks in XML. */
export function lockDiscovery(locks: readonly Lock[], now = Date.now()): string {
  return locks.map(({ token, href, isDeep, isShared, owner, ends }) =>
    `<D:activelock><D:locktype><D:write/></D:locktype><D:lockscope><D:${
      isShared ? "shared" : "exclusive"
    }/></D:lockscope><D:depth>${isDeep ? "infinity" : "0"}</D:depth>${owner}<D:timeout>Second-${
      Math.max(Math.ceil((ends - now) / 1000), 0)
    }</D:timeout><D:locktoken><D:href>${textOf(token)}</D:href></D:locktoken><D:lockroot><D:href>${
      textOf(href)
    }</D:href></D:lockroot></D:activelock>`
  ).join("");
}

/** The property `supportedlock` (RFC 4918 section 15.10). */
export const SUPPORTED_LOCKS = ["exclusive", "shared"].map((scope) =>
  `<D:lockentry><D:lockscope><D:${scope}/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry>`
).join("");
