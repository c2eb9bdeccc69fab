/**
 * WebDAV locks (RFC 4918 sections 6 and 7), which are stored in memory and expire, and the If header (section
 * 10.4), which sets conditions on locks and on file versions.
 */

import { BusyError } from "../../core/errors.ts";
import { isWithinFolder } from "../../core/path.ts";
import { RequestError } from "../../http/request.ts";
import { textOf } from "./xml.ts";

/** Default and maximum duration of a lock, in seconds. */
const SECONDS = 600, SECONDS_LIMIT = 3600;
/** Maximum number of locks at the same time. */
const LOCKS_LIMIT = 1000;

interface NewLock {
  /** The real path of the locked file or folder. */
  path: string;
  /** The URL path under which it was locked. */
  href: string;
  /** Whether the lock covers everything below a folder. */
  isDeep: boolean;
  /** Whether others may hold such a lock at the same time. */
  isShared: boolean;
  /** The client's description of its user, in XML. */
  owner: string;
  seconds: number;
}

export interface Lock extends NewLock {
  token: string;
  /** Expiry time, in milliseconds since 1970. */
  ends: number;
}

/** An action was refused because of a lock whose token was not sent. */
export class LockedError extends Error {
  override name = "LockedError";

  /** @param condition The precondition's name (RFC 4918 section 16). */
  constructor(readonly condition: "lock-token-submitted" | "no-conflicting-lock", readonly lock: Lock) {
    super("It is locked by another program.");
  }
}

/** The locks of a served folder. */
export class Locks {
  readonly #locks = new Map<string, Lock>();

  /** @param now Returns the time, in milliseconds since 1970. */
  constructor(readonly now: () => number = Date.now) {}

  /**
   * Locks a file or folder.
   * @throws LockedError if the file or folder, or part of it, is locked; BusyError if there are too many
   * locks.
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

  /** Extends a lock. @returns undefined if the path has no such lock. */
  refresh(path: string, tokens: ReadonlySet<string>, seconds: number): Lock | undefined {
    const lock = this.on(path).find(({ token }) => tokens.has(token));
    if (lock) [lock.seconds, lock.ends] = [seconds, this.#end(seconds)];
    return lock;
  }

  /** Removes a lock. @returns false if the path has no such lock. */
  remove(path: string, token: string): boolean {
    return this.on(path).some((lock) => lock.token === token) && this.#locks.delete(token);
  }

  /** Removes the locks on something that no longer exists. */
  forget(path: string): void {
    for (const { token } of this.below(path)) this.#locks.delete(token);
  }

  /** The locks covering a path. */
  on(path: string): Lock[] {
    return this.#open().filter((lock) =>
      lock.path === path || lock.isDeep && isWithinFolder(path, lock.path)
    );
  }

  /** The locks on a path and on everything below it. */
  below(path: string): Lock[] {
    return this.#open().filter((lock) => isWithinFolder(lock.path, path));
  }

  /**
   * Checks that a client holds the token of one of the locks on each place that it changes.
   * @param locks The locks on one place.
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

/**
 * Parses the Timeout header (RFC 4918 section 10.7).
 * @returns The seconds that deskhand grants.
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

/** The `lockdiscovery` property (RFC 4918 section 15.8): the locks in XML. */
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

/** The `supportedlock` property (RFC 4918 section 15.10). */
export const SUPPORTED_LOCKS = ["exclusive", "shared"].map((scope) =>
  `<D:lockentry><D:lockscope><D:${scope}/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry>`
).join("");

interface Condition {
  isNegated: boolean;
  /** A lock token, or an entity tag with its quotes. */
  token?: string;
  etag?: string;
}

/** Conditions that must all hold. */
interface ConditionList {
  /** The URL that the conditions apply to; defaults to the request's own. */
  resource?: string;
  conditions: Condition[];
}

/** The state of a resource that conditions test. */
export interface State {
  /** Tokens of the locks covering the resource. */
  tokens: readonly string[];
  etag?: string;
}

/** Maximum length of the header, in characters. */
const LIMIT = 8 * 1024;
const PART = /\s*(?:<([^<>]*)>|(\()|(\))|(Not)(?=[\s<[])|\[((?:W\/)?"[^"]*")\])/giy;

/**
 * Parses the If header.
 * @throws RequestError 400 if it is malformed.
 * @example
 * parseIf('(<urn:uuid:1> ["a"])'); // [{ resource: undefined, conditions: [{ isNegated: false, token: "urn:uuid:1" }, { isNegated: false, etag: "\"a\"" }] }]
 */
export function parseIf(header: string): ConditionList[] {
  const lists: ConditionList[] = [];
  let resource: string | undefined, list: Condition[] | undefined, isNegated = false;
  const text = header.trim();
  if (text.length > LIMIT) throw malformed();
  for (PART.lastIndex = 0; PART.lastIndex < text.length;) {
    const part = PART.exec(text);
    if (!part) throw malformed();
    const [, angled, opens, closes, not, etag] = part;
    if (opens && !list) list = [];
    else if (closes && list?.length && !isNegated) {
      lists.push({ resource, conditions: list });
      list = undefined;
    } else if (angled !== undefined && !list) resource = angled;
    else if (not && list && !isNegated) isNegated = true;
    else if (list && (angled ?? etag) !== undefined) {
      list.push({ isNegated, ...angled === undefined ? { etag } : { token: angled } });
      isNegated = false;
    } else throw malformed();
  }
  if (list || !lists.length) throw malformed();
  return lists;
}

/** The lock tokens that a header submits, except negated ones. */
export function tokensIn(lists: readonly ConditionList[]): Set<string> {
  const all = lists.flatMap(({ conditions }) => conditions);
  return new Set(all.flatMap(({ token, isNegated }) => token === undefined || isNegated ? [] : [token]));
}

/**
 * Whether one of the lists holds.
 * @param stateOf Returns the state of a list's resource; of the request's own without a resource.
 */
export async function holds(
  lists: readonly ConditionList[],
  stateOf: (resource?: string) => Promise<State>,
): Promise<boolean> {
  for (const { resource, conditions } of lists) {
    const { tokens, etag } = await stateOf(resource);
    const isTrue = (condition: Condition) =>
      condition.token === undefined
        ? etag !== undefined && opaque(condition.etag!) === opaque(etag)
        : tokens.includes(condition.token);
    if (conditions.every((condition) => isTrue(condition) !== condition.isNegated)) return true;
  }
  return false;
}

/** An entity tag without its weakness indicator: the comparison may be weak (RFC 4918 section 10.4.4). */
function opaque(etag: string): string {
  return etag.replace(/^W\//, "");
}

function malformed(): RequestError {
  return new RequestError(400, "The If header is malformed (RFC 4918 section 10.4.2).");
}
