/** The reasons why Windows refuses a call, and the user's remedies. Pure. */

import type { Session } from "./session.ts";

/**
 * Tells why there is no desktop for this process.
 * @returns undefined if there is one.
 */
export function noDesktopReason(session: Session): string | undefined {
  if (session.interactive) return undefined;
  const where = session.id === 0
    ? "it runs in session 0, that of services and of programs started over SSH"
    : `its window station ${session.station ?? "(none)"} has no screen`;
  return `No desktop to control: ${where}. Start deskhand from the desktop of the person who is logged on ` +
    "(or by a scheduled task that runs only when the user is logged on), or use --desktop virtual";
}

/**
 * Tells why a call was refused.
 * @param call The refused call, e.g. `SendInput`.
 * @param session Where the process runs and which desktop gets input now.
 * @param elevated Whether the window in front has a higher integrity level than deskhand.
 */
export function refusalReason(call: string, session: Session, elevated: boolean): string {
  const reason = noDesktopReason(session) ?? inputReason(session, elevated);
  return `Windows refuses ${call}: ${reason}`;
}

function inputReason({ desktop, inputDesktop }: Session, elevated: boolean): string {
  const elsewhere = elsewhereReason(desktop, inputDesktop);
  if (elsewhere) return `${elsewhere}, then try again`;
  if (elevated) {
    return "the window in front runs as administrator. Start deskhand as administrator, or bring another window to the front";
  }
  return "another program blocks input (BlockInput). Try again";
}

/**
 * Tells why the desktop of this process does not get input.
 * @param own The name of that desktop.
 * @param input The name of the desktop that gets input; undefined if Windows does not tell.
 * @returns The cause and the remedy, without a final full stop; undefined if this process's desktop gets input.
 */
export function elsewhereReason(own: string | undefined, input: string | undefined): string | undefined {
  if (input === undefined || input === "Winlogon") {
    return "the screen is locked, or a question for administrator rights is open. Unlock it or answer it";
  }
  if (input === "Screen-saver") return "the screen saver is on. End it";
  return input === own
    ? undefined
    : `the desktop ${input} is shown, and deskhand runs on ${own}. Switch to that`;
}
