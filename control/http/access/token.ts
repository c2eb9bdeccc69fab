/** The secret of the control API: given by the user, or created once and stored. */

import { describeFileError, UsageError } from "../../../core/errors.ts";
import { isThere } from "../../../core/path.ts";
import { readSmallFile } from "../../../core/bytes.ts";
import { checkOwn, closeToOthers, stateFile } from "../../../core/state_files.ts";

/** A token that is long enough and fits in an Authorization header (RFC 6750 section 2.1). */
const TOKEN = /^[A-Za-z0-9._~+/=-]{16,}$/;
/** Maximum size of a token file, in bytes. */
const FILE_LIMIT = 4096;
const RULE = "16 characters or more of A-Z a-z 0-9 . _ ~ + / = -";

/** A token and its source. */
export interface Token {
  value: string;
  /** Whether the user gave the token, so that every caller needs it. */
  given: boolean;
  /** A message for the user if something is wrong with the file. */
  notice?: string;
}

interface TokenSource {
  /** `--token` or `DESKHAND_TOKEN`. */
  token?: string;
  /** `--token-file`. */
  tokenFile?: string;
}

/**
 * Reads the token from its source; without a source, the stored token.
 * @throws UsageError if the given token is too weak or its file cannot be read.
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
    return checked(readSmallFile(file, FILE_LIMIT).trim(), `the token in ${file}`);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`--token-file ${file} cannot be read: ${describeFileError(error)}`, {
      cause: error,
    });
  }
}

/**
 * The token that the first start creates and later starts reuse. If it cannot be stored, or another user may
 * have written it, creates a new one for this run only.
 */
function keptToken(): Token {
  try {
    const file = stateFile("token");
    if (!isThere(file)) keep(freshToken(), file);
    const info = checkOwn(file, "file");
    const value = checked(
      readSmallFile(file, FILE_LIMIT).trim(),
      `the token in ${file} is damaged; delete the file, or it`,
    );
    const notice = closeToOthers(file, info)
      ? `other users could read ${file}; deskhand has restricted its permissions. Delete it to get a new token`
      : undefined;
    return { value, given: false, notice };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const why = (error as Error).message;
    return {
      value: freshToken(),
      given: false,
      notice: `the token is for this run only because it cannot be stored: ${why}`,
    };
  }
}

/** Creates an unguessable token: 32 random bytes in base64url. */
export function freshToken(): string {
  return crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Stores a token if none is stored; two simultaneous first starts agree on one token. */
function keep(token: string, file: string) {
  const draft = `${file}.${crypto.randomUUID()}`;
  Deno.writeTextFileSync(draft, token + "\n", { createNew: true, mode: 0o600 });
  try {
    Deno.linkSync(draft, file); // fails if the file exists, otherwise creates it complete
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  } finally {
    Deno.removeSync(draft);
  }
}
