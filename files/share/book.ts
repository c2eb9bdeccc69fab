/**
 * Shares of files: each has a token of its own, an end, and if asked for a password and a number of downloads. Shares
 * are kept in a file, so that they survive a restart; the file holds only digests of tokens and passwords.
 */

import { delay } from "@std/async/delay";
import { BusyError, describeFileError, NotFoundError, StateError } from "../../core/errors.ts";

/** Shares at once. */
const SHARES_LIMIT = 1000;
/** Rounds of PBKDF2: 30 ms, which a guess of a password costs too. */
const ROUNDS = 100_000;

/** A share as its owner sees it. */
export interface Share {
  /** The share's name, by which its owner ends it. */
  id: string;
  /** The names in the path from the root to the shared file or folder. */
  names: string[];
  /** Milliseconds since 1970. */
  ends: number;
  /** The number of downloads that are allowed; undefined for any number. */
  limit?: number;
  /** The number of downloads so far. */
  uses: number;
  hasPassword: boolean;
  /** Whether the share takes uploads into a folder, and shows nothing; no if left out. */
  collects?: boolean;
}

/** Values from which a share is made. */
interface NewShare {
  names: string[];
  /** The time that the share is open, in milliseconds. */
  ms: number;
  limit?: number;
  password?: string;
  collects?: boolean;
}

/** A share in the form in which it is stored. */
interface Entry extends Omit<Share, "hasPassword"> {
  /** The digest of the token. */
  digest: string;
  password?: { salt: string; digest: string };
}

/** Keeps a text over a new start. */
export interface Keeper {
  /** Gives the kept text; undefined if there is none. */
  read(): string | undefined;
  /** Keeps a text. @throws If it cannot be kept. */
  write(text: string): void;
  /**
   * Locks the text against other processes until the result is disposed of; left out where only this process has it.
   * @returns undefined while another process has it.
   * @throws If it cannot be kept.
   */
  tryLock?(): Disposable | undefined;
}

/** The longest wait for another process, and the time between two tries, in milliseconds. */
const LOCK_MS = 2000, TRY_MS = 20;

/**
 * All shares of a served folder. The kept text is what counts, since another process may serve the same folder: each
 * change reads it, changes it and keeps it under a lock, before the change is answered.
 */
export class ShareBook {
  readonly #entries = new Map<string, Entry>();
  /** The kept text that the entries are of. */
  #text: string | undefined;

  constructor(readonly keeper: Keeper, readonly now: () => number = Date.now) {}

  /**
   * Makes a share.
   * @returns The share, and its token, which is not kept.
   * @throws BusyError if there are too many; StateError if the share cannot be kept.
   */
  async make({ names, ms, limit, password, collects }: NewShare): Promise<{ share: Share; token: string }> {
    const token = crypto.getRandomValues(new Uint8Array(24)).toBase64({ alphabet: "base64url" });
    const digest = await digestOf(token), salt = crypto.getRandomValues(new Uint8Array(16)).toHex();
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

  /** The shares that are open, in the order in which they were made. */
  list(): Share[] {
    this.#load();
    return Array.from(this.#entries.values(), shareOf);
  }

  /** Ends a share at once. @throws NotFoundError if there is no such share; StateError if its end cannot be kept. */
  async revoke(id: string): Promise<void> {
    await this.#change(() => {
      const entry = this.#entryOf(id);
      if (!entry) throw new NotFoundError(`There is no share ${JSON.stringify(id)}.`);
      this.#entries.delete(entry.digest);
    });
  }

  /**
   * Finds the share of a token.
   * @returns undefined if there is none, or it is over.
   */
  async find(token: string): Promise<Share | undefined> {
    const digest = await digestOf(token);
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
   * @throws StateError if a count that is limited cannot be kept.
   */
  async count({ id, limit }: Share): Promise<boolean> {
    const counted = this.#change(() => {
      const entry = this.#entryOf(id);
      if (entry) entry.uses++;
      return entry !== undefined;
    });
    // Without a limit the number is the owner's information alone.
    return await (limit === undefined ? counted.catch(() => this.#entryOf(id) !== undefined) : counted);
  }

  #entryOf(id: string): Entry | undefined {
    return this.#entries.values().find((entry) => entry.id === id);
  }

  /** Reads the kept shares, if they have changed, and leaves out those that are over. */
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

  /** Changes the kept shares. @throws The errors of the change; StateError if the change cannot be kept. */
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
      this.#text = ""; // read again
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

/** Runs a function that keeps shares. @throws StateError if it fails. */
function kept<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new StateError(`Cannot save the shares: ${describeFileError(error)}.`, { cause: error });
  }
}

/** Reads the shares in a kept text; gives none if the text has another form. */
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

async function digestOf(token: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token))).toHex();
}

/** A digest of a password that takes long to guess (RFC 8018 section 5.2). */
async function stretched(password: string, salt: string): Promise<string> {
  const bytes = new TextEncoder().encode(password.normalize("NFC"));
  const key = await crypto.subtle.importKey("raw", bytes, "PBKDF2", false, ["deriveBits"]);
  const parameters = { name: "PBKDF2", hash: "SHA-256", salt: Uint8Array.fromHex(salt), iterations: ROUNDS };
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, key, 256)).toHex();
}
