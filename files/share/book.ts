/**
 * File shares: each has its own token, an expiry time, and optionally a password and a download limit. Shares
 * are stored in a file to survive a restart; the file contains only digests of tokens and passwords.
 */

import { sha256 } from "../../core/bytes.ts";
import { delay } from "@std/async/delay";
import { BusyError, describeFileError, NotFoundError, StateError } from "../../core/errors.ts";

/** Maximum number of shares at the same time. */
const SHARES_LIMIT = 1000;
/** PBKDF2 rounds: 30 ms, which each password guess costs too. */
const ROUNDS = 100_000;

/** A share as its owner sees it. */
export interface Share {
  /** The share's name, with which its owner revokes it. */
  id: string;
  /** The names in the path from the root to the shared file or folder. */
  names: string[];
  /** Milliseconds since 1970. */
  ends: number;
  /** Maximum number of downloads; undefined for any number. */
  limit?: number;
  /** The number of downloads so far. */
  uses: number;
  hasPassword: boolean;
  /** Whether the share accepts uploads into a folder, and shows nothing; defaults to false. */
  collects?: boolean;
}

/** Values for a new share. */
interface NewShare {
  names: string[];
  /** How long the share is open, in milliseconds. */
  ms: number;
  limit?: number;
  password?: string;
  collects?: boolean;
}

/** A share as stored. */
interface Entry extends Omit<Share, "hasPassword"> {
  /** The token's digest. */
  digest: string;
  password?: { salt: string; digest: string };
}

/** Stores a text across restarts. */
export interface Keeper {
  /** Returns the stored text; undefined if there is none. */
  read(): string | undefined;
  /** Stores a text. @throws If it cannot be stored. */
  write(text: string): void;
  /**
   * Locks the text against other processes until the result is disposed of; omitted if only this process uses
   * it.
   * @returns undefined while another process holds the lock.
   * @throws If the lock cannot be created.
   */
  tryLock?(): Disposable | undefined;
}

/** Maximum wait for another process, and the interval between attempts, in milliseconds. */
const LOCK_MS = 2000, TRY_MS = 20;

/**
 * All shares of a served folder. The stored text is authoritative, because another process may serve the same
 * folder: each change reads, modifies and stores it under a lock before the response.
 */
export class ShareBook {
  readonly #entries = new Map<string, Entry>();
  /** The stored text that the entries were read from. */
  #text: string | undefined;

  constructor(readonly keeper: Keeper, readonly now: () => number = Date.now) {}

  /**
   * Creates a share.
   * @returns The share, and its token, which is not stored.
   * @throws BusyError if there are too many; StateError if the share cannot be stored.
   */
  async make({ names, ms, limit, password, collects }: NewShare): Promise<{ share: Share; token: string }> {
    const token = crypto.getRandomValues(new Uint8Array(24)).toBase64({ alphabet: "base64url" });
    const digest = (await sha256(token)).toHex(), salt = crypto.getRandomValues(new Uint8Array(16)).toHex();
    const kept = password === undefined ? undefined : { salt, digest: await stretched(password, salt) };
    const entry: Entry = {
      id: digest.slice(0, 8),
      digest,
      names,
      ends: this.now() + ms,
      limit,
      uses: 0,
      password: kept,
      ...collects ? { collects } : {},
    };
    await this.#change(() => {
      if (this.#entries.size >= SHARES_LIMIT) throw new BusyError("There are too many shares; revoke some.");
      this.#entries.set(digest, entry);
    });
    return { share: shareOf(entry), token };
  }

  /** The open shares, in order of creation. */
  list(): Share[] {
    this.#load();
    return Array.from(this.#entries.values(), shareOf);
  }

  /**
   * Revokes a share now. @throws NotFoundError if there is none; StateError if the change cannot be stored.
   */
  async revoke(id: string): Promise<void> {
    await this.#change(() => {
      const entry = this.#entryOf(id);
      if (!entry) throw new NotFoundError(`There is no share ${JSON.stringify(id)}.`);
      this.#entries.delete(entry.digest);
    });
  }

  /**
   * Finds a share by its token.
   * @returns undefined if there is none, or it has expired.
   */
  async find(token: string): Promise<Share | undefined> {
    const digest = (await sha256(token)).toHex();
    this.#load();
    const entry = this.#entries.get(digest);
    return entry && shareOf(entry);
  }

  async isPassword({ id }: Share, password: string): Promise<boolean> {
    const kept = this.#entryOf(id)?.password;
    return kept !== undefined && await stretched(password, kept.salt) === kept.digest;
  }

  /**
   * Counts a download.
   * @returns false if the share has ended, or has no downloads left.
   * @throws StateError if the count of a limited share cannot be stored.
   */
  async count({ id, limit }: Share): Promise<boolean> {
    const counted = this.#change(() => {
      const entry = this.#entryOf(id);
      if (entry) entry.uses++;
      return entry !== undefined;
    });
    // Without a limit the count is only for the owner's information.
    return await (limit === undefined ? counted.catch(() => this.#entryOf(id) !== undefined) : counted);
  }

  #entryOf(id: string): Entry | undefined {
    return this.#entries.values().find((entry) => entry.id === id);
  }

  /** Reads the stored shares if they have changed, and drops expired ones. */
  #load(): void {
    const text = this.keeper.read();
    if (text !== this.#text) {
      this.#entries.clear();
      for (const entry of entriesIn(text)) this.#entries.set(entry.digest, entry);
      this.#text = text;
    }
    const now = this.now();
    for (const [digest, { ends, uses, limit }] of this.#entries) {
      if (ends <= now || uses >= (limit ?? Infinity)) this.#entries.delete(digest);
    }
  }

  /** Changes the stored shares. @throws The errors of the change; StateError if it cannot be stored. */
  async #change<T>(change: () => T): Promise<T> {
    using _lock = await this.#locked();
    this.#load();
    try {
      const result = change();
      const text = JSON.stringify({ version: 1, shares: [...this.#entries.values()] });
      kept(() => this.keeper.write(text));
      this.#text = text;
      return result;
    } catch (error) {
      this.#text = ""; // forces a reread
      throw error;
    }
  }

  async #locked(): Promise<Disposable | undefined> {
    if (!this.keeper.tryLock) return undefined;
    for (const end = performance.now() + LOCK_MS;; await delay(TRY_MS)) {
      const lock = kept(() => this.keeper.tryLock!());
      if (lock) return lock;
      if (performance.now() > end) {
        throw new BusyError("Another deskhand is changing the shares; try again later.");
      }
    }
  }
}

/** Runs a function that stores shares. @throws StateError if it fails. */
function kept<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new StateError(`Cannot save the shares: ${describeFileError(error)}.`, { cause: error });
  }
}

/** Parses the shares in a stored text; none if the text has another format. */
function entriesIn(text: string | undefined): Entry[] {
  try {
    const { version, shares } = JSON.parse(text ?? "{}");
    return version === 1 && Array.isArray(shares) ? shares.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(value: Entry): boolean {
  return typeof value?.digest === "string" && Array.isArray(value.names) && typeof value.ends === "number" &&
    typeof value.uses === "number" && typeof value.id === "string";
}

function shareOf({ id, names, ends, limit, uses, password, collects }: Entry): Share {
  return {
    id,
    names,
    ends,
    limit,
    uses,
    hasPassword: password !== undefined,
    ...collects ? { collects } : {},
  };
}

/** A password digest that is slow to guess (RFC 8018 section 5.2). */
async function stretched(password: string, salt: string): Promise<string> {
  const bytes = new TextEncoder().encode(password.normalize("NFC"));
  const key = await crypto.subtle.importKey("raw", bytes, "PBKDF2", false, ["deriveBits"]);
  const parameters = { name: "PBKDF2", hash: "SHA-256", salt: Uint8Array.fromHex(salt), iterations: ROUNDS };
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, key, 256)).toHex();
}
