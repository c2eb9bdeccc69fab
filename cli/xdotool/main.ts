/** `deskhand xdotool`: chooses the desktop that xdotool's commands act on. */

import { ExpectedError } from "../../core/errors.ts";
import { findRunning } from "../running.ts";
import type { XdotoolCall } from "./call.ts";
import type { Calls } from "./calls.ts";
import type { DesktopTarget } from "./desktop_target.ts";
import { type Printer, STREAMS } from "./output.ts";
import { runXdotool } from "./start.ts";

/**
 * Runs a call of xdotool.
 * @returns The exit code, which is xdotool's; 2 for a desktop that is not in the table.
 */
export async function main(call: XdotoolCall): Promise<number> {
  const { program, words, desktop = "auto" } = call;
  if (desktop !== "auto") {
    const { DESKTOP_CHOICES } = await import("../../ffi/open.ts");
    if (!(DESKTOP_CHOICES as readonly string[]).includes(desktop)) {
      STREAMS.err(`deskhand: --desktop takes ${DESKTOP_CHOICES.join(", ")}, not ${JSON.stringify(desktop)}`);
      return 2;
    }
  }
  return await runXdotool(words, {
    program,
    print: STREAMS,
    open: (print) => open({ ...call, desktop }, print),
  });
}

/** Finds the running deskhand of the desktop that `--desktop` names, or opens the desktop. */
async function open(call: Required<XdotoolCall>, print: Printer): Promise<DesktopTarget | undefined> {
  const { desktop, program } = call;
  const url = Deno.env.get("DESKHAND_URL");
  if (url) {
    const token = Deno.env.get("DESKHAND_TOKEN") || undefined,
      { CallsOverHttp } = await import("./calls_http.ts");
    return await targetOf(CallsOverHttp.anywhere({ url: url.replace(/\/+$/, ""), token }), print);
  }
  const calls = await callsOfRunning(desktop);
  if (calls) return await targetOf(calls, print);
  try {
    return await opened(call, print);
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    print.err(`${program}: ${error.message}`);
    return undefined;
  }
}

/** The calls of a running deskhand that has a desktop; undefined if there is none. */
async function callsOfRunning(desktop: string): Promise<Calls | undefined> {
  const running = findRunning(desktop);
  if (!running) return undefined;
  const { callsOf } = await import("./calls_http.ts");
  return callsOf(running);
}

/** A desktop on which deskhand's actions are done. */
async function targetOf(calls: Calls, print: Printer): Promise<DesktopTarget> {
  const { DesktopTarget } = await import("./desktop_target.ts");
  return new DesktopTarget(calls, print);
}

/** The commands that press keys. */
const KEY_WORD = /^(?:key|keydown|keyup|type)$/i;

async function opened({ program, words, desktop: name }: Required<XdotoolCall>, print: Printer) {
  const { openDesktop } = await import("../../ffi/open.ts");
  const notice = (text: string) => print.err(`${program}: ${text}`);
  const desktop = await openDesktop(name as Parameters<typeof openDesktop>[0], notice, {
    hasKeys: words.some((word) => KEY_WORD.test(word)),
  });
  const { CallsHere } = await import("./calls_here.ts");
  return await targetOf(new CallsHere(desktop), print);
}
