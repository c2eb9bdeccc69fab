/**
 * The portal's restore token: it restores a consent without a question. Each token is good for one start, whose
 * answer has the next token. Every program of this user can use it, so it is stored like the API's token, in the
 * user's state folder, closed to other users.
 */

import { join } from "../../../core/path.ts";
import { replaceFile } from "../../../core/replace_file.ts";
import { readSmallFile } from "../../../core/bytes.ts";
import { checkOwn, stateFile, stateFolder } from "../../../core/state_dir.ts";

/** The name of the file in the state folder that keeps the portal's token. */
const TOKEN_FILE = "portal-token";
/** The largest length of a token that deskhand keeps; portals give 36 characters. */
const LIMIT = 4096;

/**
 * Takes the stored token, and removes it from the folder, since it is good for one use.
 * @param notice Receives a line for the user if the token cannot be used.
 * @returns undefined if no token is stored.
 */
export function takeToken(notice: (text: string) => void): string | undefined {
  try {
    const file = stateFile(TOKEN_FILE);
    const token = readOwn(file);
    if (token !== undefined) Deno.removeSync(file);
    return token || undefined;
  } catch (error) {
    notice(`the stored consent cannot be used: ${(error as Error).message}`);
    return undefined;
  }
}

/** Whether a token is kept. */
export function hasToken(): boolean {
  try {
    return readOwn(join(stateFolder(), TOKEN_FILE)) !== undefined;
  } catch {
    return false;
  }
}

/** Forgets the kept token, so that the next start asks. */
export function forgetToken(): void {
  takeToken(() => {});
}

/**
 * Keeps a token for the next start.
 * @param notice Gets a line for the user if it cannot be kept.
 */
export function keepToken(token: string, notice: (text: string) => void): void {
  try {
    if (new TextEncoder().encode(token).length > LIMIT) throw new Error("it is too long");
    replaceFile(stateFile(TOKEN_FILE), token, 0o600);
  } catch (error) {
    notice(`the consent cannot be stored for the next start: ${(error as Error).message}`);
  }
}

function readOwn(file: string): string | undefined {
  try {
    checkOwn(file, "file");
    return readSmallFile(file, LIMIT);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
