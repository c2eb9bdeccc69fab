/** Why Windows refuses, in words that say what to do. Pure. */

import type { Session } from "./session.ts";

/**
 * Why there is no desktop for this process.
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
 * Why a call was refused.
 * @param call What was asked for, e.g. `SendInput`.
 * @param session Where the process runs and which desktop gets input now.
 * @param elevated Whether the window in front has a higher integrity level than deskhand.
 */
export function refusalReason(call: string, session: Session, elevated: boolean): string {
  const reason = noDesktopReason(session) ?? inputReason(session.inputDesktop, elevated);
  return `Windows refuses ${call}: ${reason}`;
}

function inputReason(desktop: string | undefined, elevated: boolean): string {
  if (desktop === undefined || desktop === "Winlogon") {
    return "the screen is locked, or a question for administrator rights is open. Unlock it or answer it, then try again";
  }
  if (desktop === "Screen-saver") return "the screen saver is on. End it, then try again";
  if (elevated) {
    return "the window in front runs as administrator. Start deskhand as administrator, or bring another window to the front";
  }
  return `another program blocks input (BlockInput), or the desktop ${desktop} is closing. Try again`;
}
