/**
 * Permissions that deskhand needs on a desktop: `deskhand setup`, and the question at a start on a terminal.
 */

import { StateError } from "../core/errors.ts";
import type { Output } from "../core/output.ts";
import { type DesktopChoice, missingPermission, revokePermissions } from "../ffi/open.ts";

/**
 * Runs `deskhand setup`.
 * @param isRemoved Whether to revoke permissions rather than grant them.
 * @returns The exit code: 1 if the setup failed.
 */
export async function runSetup(choice: DesktopChoice, isRemoved: boolean, output: Output): Promise<number> {
  try {
    for (const line of await (isRemoved ? removed() : given(choice))) output.result(line);
    return 0;
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    output.notice(`deskhand: ${error.message}`);
    return 1;
  }
}

/**
 * Asks on the terminal whether to grant a missing permission. Does nothing without a terminal.
 * @param choice The desktop about to be opened.
 */
export async function offerPermission(choice: DesktopChoice, output: Output): Promise<void> {
  if (!Deno.stdin.isTerminal() || !Deno.stdout.isTerminal()) return;
  const permission = await missingPermission(choice);
  if (!permission) return;
  output.notice(permission.description);
  if (!confirm("Write it?")) return;
  try {
    output.notice(await permission.grant());
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    output.notice(error.message);
  }
}

async function given(choice: DesktopChoice): Promise<string[]> {
  const permission = await missingPermission(choice);
  return permission ? [permission.description, await permission.grant()] : ["deskhand needs no setup here."];
}

async function removed(): Promise<string[]> {
  const done = await revokePermissions();
  return done.length ? done : ["deskhand has no permission to remove here."];
}
