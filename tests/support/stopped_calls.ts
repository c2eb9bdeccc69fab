/**
 * Calls of a Wayland desktop whose compositor is stopped just before, as if right after an answer: how long
 * each holds the thread. A test imports it, or runs it as a program of the compositor's user.
 */

import type { Desktop, WindowInfo } from "../../control/desktop/desktop.ts";

/** How a call went. */
export interface StoppedCall {
  /** How long the call held the thread before it returned a promise, in milliseconds. */
  heldMs: number;
  /** The error's message while the compositor was stopped; undefined if there was none by then. */
  error?: string;
}

/** The outcome of all calls. */
export interface StoppedCalls {
  /** Calls that use connections opened before. */
  used: Record<string, StoppedCall>;
  /** Calls that open a connection. */
  opening: Record<string, StoppedCall>;
  /** The longest time for which the thread did nothing else, in milliseconds. */
  longestMs: number;
}

type Call = (desktop: Desktop) => Promise<unknown>;

const USED: Record<string, Call> = {
  move: ({ pointer }) => pointer.move({ x: 20, y: 30 }),
  scroll: ({ pointer }) => pointer.scroll("down", 1),
  press: ({ pointer }) => pointer.button("middle", true),
  release: ({ pointer }) => pointer.button("middle", false),
  position: ({ pointer }) => pointer.position(),
  key: ({ keyboard }) => keyboard.key("shift", true),
  "its release": ({ keyboard }) => keyboard.key("shift", false),
  text: ({ keyboard }) => keyboard.type("ab"),
  "another text": ({ keyboard }) => keyboard.type("\u{1f600}"),
  windows: ({ windows }) => windows!.list(),
  "a window's state": async ({ windows }) => await windows!.change(WINDOW, { to: "active" }),
  "the clipboard's kinds": ({ clipboard }) => clipboard!.kinds("clipboard"),
  "the clipboard's text": ({ clipboard }) => clipboard!.read("text", "clipboard"),
  "a copied text": ({ clipboard }) => clipboard!.write({ text: "x" }, "clipboard"),
};
const OPENING: Record<string, Call> = {
  windows: USED.windows,
  clipboard: USED["the clipboard's kinds"],
};
/** A window that has been closed, so that its change only looks for it. */
const WINDOW = { id: "0xffff", state: "normal" } as WindowInfo;

/**
 * Makes the calls.
 * @param open Opens the desktop; called twice.
 * @param stop Stops the compositor, or resumes it.
 */
export async function stoppedCalls(
  open: () => Promise<Desktop>,
  stop: (signal: "SIGSTOP" | "SIGCONT") => void,
): Promise<StoppedCalls> {
  const desktop = await open(), fresh = await open();
  for (const call of Object.values(USED)) await call(desktop).catch(() => {}); // opens connections
  stop("SIGSTOP");
  let longestMs = 0, at = performance.now();
  const ticks = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - at);
    at = performance.now();
  }, 5);
  const used = begun(USED, desktop), opening = begun(OPENING, fresh);
  await Promise.all(Object.values(used).map(({ promise }) => promise));
  clearInterval(ticks);
  stop("SIGCONT");
  const plain = (calls: ReturnType<typeof begun>) =>
    Object.fromEntries(Object.entries(calls).map(([name, { seen }]) => [name, { ...seen }]));
  const result = { used: plain(used), opening: plain(opening), longestMs };
  await Promise.all(Object.values(opening).map(({ promise }) => promise));
  desktop.close();
  fresh.close();
  return result;
}

function begun(calls: Record<string, Call>, desktop: Desktop) {
  return Object.fromEntries(
    Object.entries(calls).map(([name, call]) => {
      const from = performance.now(),
        made = call(desktop),
        seen: StoppedCall = { heldMs: performance.now() - from };
      const promise = made.then(() => undefined, (error: Error) => void (seen.error = error.message));
      return [name, { seen, promise }];
    }),
  );
}

if (import.meta.main) {
  const [module, pid] = Deno.args, { openWayland } = await import(module);
  const seen = await stoppedCalls(openWayland, (signal) => Deno.kill(Number(pid), signal));
  console.log(JSON.stringify(seen));
  Deno.exit();
}
