/** `deskhand xdotool`: chooses the desktop that xdotool's commands act on. */

import { ExpectedError } from "../../core/errors.ts";
import { XdoSession } from "../../ffi/x11/xdotool/session.ts";
import { findRunning } from "../running.ts";
import type { XdotoolCall } from "./call.ts";
import type { Calls } from "./calls.ts";
import { type Printer, STREAMS } from "./output.ts";
import { runXdotool } from "./start.ts";
import type { Target } from "./target.ts";
import { X11Target } from "./x11_target.ts";

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

/** Opens the desktop that `--desktop` names: an X server directly, any other desktop by deskhand's actions. */
async function open(call: Required<XdotoolCall>, print: Printer): Promise<Target | undefined> {
  const { desktop, program } = call;
  const url = Deno.env.get("DESKHAND_URL");
  if (url) {
    const token = Deno.env.get("DESKHAND_TOKEN") || undefined,
      { CallsOverHttp } = await import("./calls_http.ts");
    return await targetOf(CallsOverHttp.anywhere({ url: url.replace(/\/+$/, ""), token }), print);
  }
  if (isX11(desktop)) return await openX11(print);
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

/** Tells whether the name means an X server, and not a compositor with Xwayland. */
function isX11(desktop: string): boolean {
  if (desktop !== "auto") return desktop === "x11";
  return Deno.build.os !== "windows" && !Deno.env.get("WAYLAND_DISPLAY");
}

/** Opens the server; undefined, with a message printed, if none is there. */
async function openX11(print: Printer): Promise<Target | undefined> {
  const running = findRunning("x11");
  if (running) {
    const { SharedX11Target } = await import("./shared_x11_target.ts");
    // A connection of its own takes a command 4 to 6 ms, and many commands need none.
    return SharedX11Target.of(running, new XdoSession(), print);
  }
  const session = XdoSession.open();
  return session && new X11Target(session, print);
}

/** The calls of a running deskhand that has a desktop; undefined if there is none. */
async function callsOfRunning(desktop: string): Promise<Calls | undefined> {
  const running = findRunning(desktop);
  if (!running) return undefined;
  const { callsOf } = await import("./calls_http.ts");
  return callsOf(running);
}

/** A desktop on which deskhand's actions are done. */
async function targetOf(calls: Calls, print: Printer): Promise<Target> {
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
  if (desktop.kind === "x11") {
    desktop.close();
    return await openX11(print);
  }
  const { CallsHere } = await import("./calls_here.ts");
  return await targetOf(new CallsHere(desktop), print);
}
