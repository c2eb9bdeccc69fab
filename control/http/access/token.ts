/** The secret of the control API: given by the user, or made once and kept. */

import { describeFileError, UsageError } from "../../../core/errors.ts";
import { stateFile } from "../../../core/state_dir.ts";

/** What a token may look like: what fits in an Authorization header (RFC 6750 section 2.1), and long enough. */
const TOKEN = /^[A-Za-z0-9._~+/=-]{16,}$/;
const RULE = "16 characters or more of A-Z a-z 0-9 . _ ~ + / = -";

/** A token, and where it is from. */
export interface Token {
  value: string;
  /** Whether the user gave it, which means that nobody goes without. */
  given: boolean;
  /** Something to tell the user. */
  notice?: string;
}

/** Where tokens come from. */
export interface TokenSource {
  /** `--token` or `DESKHAND_TOKEN`. */
  token?: string;
  /** `--token-file`. */
  tokenFile?: string;
}

/**
 * Gives the token to use.
 * @throws UsageError if the one given is too weak or its file cannot be read.
 */
export function readToken({ token, tokenFile }: TokenSource): Token {
  if (tokenFile !== undefined) return { value: fromFile(tokenFile), given: true };
  if (token !== undefined) return { value: checked(token, "the token"), given: true };
  return keptToken();
}

function checked(token: string, what: string): string {
  if (!TOKEN.test(token)) throw new UsageError(`${what} must be ${RULE}`);
  return token;
}

function fromFile(file: string): string {
  try {
    return checked(Deno.readTextFileSync(file).trim(), `the token in ${file}`);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`--token-file ${file} cannot be read: ${describeFileError(error)}`, {
      cause: error,
    });
  }
}

/**
 * Made by the first start, and the same for all later ones. One that cannot be kept, or not be read or closed to
 * others (another user's, after a start with sudo), is made for this run alone.
 */
function keptToken(): Token {
  const fresh = crypto.getRandomValues(new Uint8Array(32)).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });
  try {
    const file = stateFile("token");
    keep(fresh, file);
    const value = checked(
      Deno.readTextFileSync(file).trim(),
      `the token in ${file} is damaged; delete the file, or it`,
    );
    return { value, given: false, notice: tightened(file) };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const why = (error as Error).message;
    return {
      value: fresh,
      given: false,
      notice: `the token is for this run only, it cannot be kept: ${why}`,
    };
  }
}

/** Keeps a token where there is none; two first starts at once agree on one. */
function keep(token: string, file: string) {
  const draft = `${file}.${crypto.randomUUID()}`;
  Deno.writeTextFileSync(draft, token + "\n", { createNew: true, mode: 0o600 });
  try {
    Deno.linkSync(draft, file); // fails if it exists, and is whole if it does not
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  } finally {
    Deno.removeSync(draft);
  }
}

/** A token that others could read is closed to them, and the user is told. */
function tightened(file: string): string | undefined {
  const { mode } = Deno.statSync(file);
  if (mode === null || Deno.build.os === "windows" || (mode & 0o077) === 0) return undefined;
  Deno.chmodSync(file, 0o600);
  return `others could read ${file}; it is closed to them now. Delete it to have a new token made`;
}
