/**
 * The finding of `deskhand doctor` on the accessibility of a session: whether programs show elements, and the remedy
 * if not.
 */

import { ExpectedError } from "../../core/errors.ts";
import type { Finding } from "../permission.ts";
import type { Bus } from "../linux/dbus/bus.ts";
import { accessibilityState, isEnabled, onSession } from "./bus.ts";

/** Programs that the switch does not reach. */
const FLAGGED = "Chromium and Electron show none unless started with --force-renderer-accessibility";

/**
 * Reports the state of accessibility, without starting it. The finding is never a fault, since deskhand works without
 * accessibility.
 */
export function inspectAccessibility(): Finding {
  const name = "elements";
  try {
    return { name, ok: true, ...onSession(stateOf) };
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    return { name, ok: true, isAbsent: true, detail: `none (optional): ${error.message}` };
  }
}

function stateOf(session: Bus): Pick<Finding, "isAbsent" | "detail"> {
  const state = accessibilityState(session);
  if (state !== "missing") return { detail: stateText(session, state) };
  const detail =
    "none (optional): this session has no accessibility bus. To install it: apt install at-spi2-core " +
    "(Fedora: dnf install at-spi2-core, Arch: pacman -S at-spi2-core)";
  return { isAbsent: true, detail };
}

function stateText(session: Bus, state: "startable" | "running"): string {
  if (state === "startable") {
    return `of programs that request accessibility, which starts the bus; ${FLAGGED}`;
  }
  return isEnabled(session)
    ? `accessibility is on: programs show them; ${FLAGGED}`
    : "accessibility is off: GTK programs and LibreOffice show them anyway, others do not. To turn it on, type at " +
      `the prompt: elements on; the setting persists, and Qt programs must be restarted. ${FLAGGED}`;
}
