/** Elements, read on a separate thread, so that waiting for a hung program blocks nothing else. */

import { answerCalls } from "../../core/worker_entry.ts";
import type { ElementsAnswer, ElementsCall, Switched } from "./mod.ts";
import { accessibilityAddress, isEnabled, onSession, openAccessibility, setEnabled } from "./bus.ts";
import type { Calls, SilentPrograms } from "./calls.ts";
import { changeElement, keysReturned } from "./changes.ts";
import { ProgramReader } from "./program_reader.ts";
import { WindowReader } from "./window_reader.ts";
import { objectOf } from "./objects.ts";

let reader: WindowReader | undefined;
let programs: ProgramReader | undefined;
/** The last attempt to connect that failed late, and when. */
let failed: { error: unknown; at: number } | undefined;
/** How long calls share that error, and how long a failure must take to be late, in milliseconds. */
const SHARED_MS = 1000;

answerCalls<ElementsCall, ElementsAnswer>((call) => {
  if (call.type === "switch") return switchTo(call.enabled);
  if (reader?.calls.isFlooded) reader.calls.close();
  if (!reader || reader.calls.isLost) {
    reader = new WindowReader(opened(reader?.calls.silent), call.origin);
    programs = new ProgramReader(reader);
  }
  reader.scale = call.scale;
  reader.calls.left = call.left;
  if (call.type === "read") return reader.read(call.window, call.hidden);
  if (call.type === "reread") return reader.reread(call.window, call.key);
  if (call.type === "named") return reader.named(call.window, call.name);
  if (call.type === "same") return reader.isSame(call.window);
  if (call.type === "dialog") return reader.dialogOver(call.window, call.isAlone, call.key);
  if (call.type === "menu") return reader.isUnderMenu(call.window, call.key, call.isRead);
  if (call.type === "keys") return keysReturned(reader.calls, objectOf(call.key));
  if (call.type === "windows") return reader.windows();
  if (call.type === "programs") return programs!.read(call.request);
  if (call.type === "describe") return programs!.describe(call.key, call.window, call.isBrief);
  if (call.type === "quiet") return programs!.isQuiet(call.pids);
  return changeElement(reader.calls, objectOf(call.key), call.change);
});

/**
 * Connects to the accessibility bus. Calls that waited while a silent bus was tried share its error: with an
 * attempt for each, the last of them would wait for the sum.
 */
function opened(silent?: SilentPrograms): Calls {
  const begun = performance.now();
  if (failed && begun - failed.at < SHARED_MS) throw failed.error;
  try {
    return openAccessibility(silent);
  } catch (error) {
    const at = performance.now();
    failed = at - begun > SHARED_MS ? { error, at } : undefined;
    throw error;
  }
}

/** Enables or disables accessibility. Starts the bus, too: Qt 5 programs only check whether it exists. */
function switchTo(enabled: boolean): Switched {
  return onSession((session) => {
    const changed = isEnabled(session) !== enabled;
    if (changed) setEnabled(session, enabled);
    return { changed, address: enabled ? accessibilityAddress(session) : "" };
  });
}
