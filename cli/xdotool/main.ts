/** `deskhand xdotool`: chooses what xdotool's commands act on. */

import { ExpectedError } from "../../core/errors.ts";
import type { XdotoolCall } from "./call.ts";
import { type Printer, STREAMS } from "./output.ts";
import { runXdotool } from "./start.ts";
import type { Target } from "./target.ts";
import { X11Target } from "./x11_target.ts";

/**
 * Runs a call of xdotool.
 * @returns The exit code, which is xdotool's; 2 for a desktop that is not in the table.
 */
export async function main({ program, words, desktop = "auto" }: XdotoolCall): Promise<number> {
  if (desktop !== "auto") {
    const { DESKTOP_CHOICES } = await import("../../ffi/open.ts");
    if (!(DESKTOP_CHOICES as readonly string[]).includes(desktop)) {
      STREAMS.err(`deskhand: --desktop takes ${DESKTOP_CHOICES.join(", ")}, not ${JSON.stringify(desktop)}`);
      return 2;
    }
  }
  return await runXdotool(words, { program, print: STREAMS, open: (print) => open(desktop, print, program) });
}

/** Opens what `--desktop` names: an X server itself, or what deskhand does with another desktop. */
async function open(desktop: string, print: Printer, program: string): Promise<Target | undefined> {
  const url = Deno.env.get("DESKHAND_URL");
  if (url) return await overHttp(url.replace(/\/+$/, ""), Deno.env.get("DESKHAND_TOKEN") || undefined, print);
  if (isX11(desktop)) return X11Target.open(print);
  const { findRunning } = await import("../running.ts");
  const running = findRunning(desktop);
  if (running) {
    const { tokenFor } = await import("./token.ts");
    return await overHttp(running.url, tokenFor(running), print);
  }
  try {
    return await opened(desktop, print, program);
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    print.err(`${program}: ${error.message}`);
    return undefined;
  }
}

/** Tells whether an X server is meant, and no compositor that shows its windows. */
function isX11(desktop: string): boolean {
  if (desktop !== "auto") return desktop === "x11";
  return Deno.build.os !== "windows" && !Deno.env.get("WAYLAND_DISPLAY");
}

async function overHttp(url: string, token: string | undefined, print: Printer): Promise<Target> {
  const [{ DesktopTarget }, { CallsOverHttp }] = await Promise.all([
    import("./desktop_target.ts"),
    import("./calls_http.ts"),
  ]);
  return new DesktopTarget(new CallsOverHttp({ url, token }), print);
}

async function opened(name: string, print: Printer, program: string): Promise<Target | undefined> {
  const { openDesktop } = await import("../../ffi/open.ts");
  const notice = (text: string) => print.err(`${program}: ${text}`);
  const desktop = await openDesktop(name as Parameters<typeof openDesktop>[0], notice);
  if (desktop.kind === "x11") {
    desktop.close();
    return X11Target.open(print);
  }
  const [{ DesktopTarget }, { CallsHere }] = await Promise.all([
    import("./desktop_target.ts"),
    import("./calls_here.ts"),
  ]);
  return new DesktopTarget(new CallsHere(desktop), print);
}
