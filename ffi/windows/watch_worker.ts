/**
 * The Worker that sees all input through low-level hooks. Windows calls them in the thread that installed them while
 * it waits in GetMessageW, so this thread does nothing else: it sits in that call, blocking, and ends by WM_QUIT.
 * Hooks delay the input of the whole desktop, and Windows removes slow ones; so they note the event and return.
 */

import { clockOf } from "../clock.ts";
import { EventRing, type HookEvent } from "./event_ring.ts";
import { readKeyHook, readMouseHook } from "./hook_events.ts";
import { type Libraries, openLibraries } from "./libraries.ts";
import { type WatchReport, type WatchStart, WM_REINSTALL } from "./watch_protocol.ts";

const WH_KEYBOARD_LL = 13;
const WH_MOUSE_LL = 14;
const PM_NOREMOVE = 0;
/** sizeof(MSG): hwnd 0, message 8. */
const MSG_BYTES = 48;

/** LRESULT CALLBACK LowLevelProc(int nCode, WPARAM wParam, LPARAM lParam). */
const HOOK_PROC = { parameters: ["i32", "usize", "pointer"], result: "isize" } as const;
type HookProc = Deno.UnsafeCallback<typeof HOOK_PROC>;

const worker = self as unknown as {
  onmessage: (event: MessageEvent<WatchStart>) => void;
  postMessage(report: WatchReport): void;
  close(): void;
};

worker.onmessage = ({ data }) => {
  try {
    watch(openLibraries(), new EventRing(data.memory), clockOf(data.skew));
    worker.postMessage({ type: "ended" });
  } catch (error) {
    worker.postMessage({ type: "failed", message: error instanceof Error ? error.message : String(error) });
  }
  worker.close();
};

/** Installs the hooks and stays until WM_QUIT. */
function watch(libraries: Libraries, ring: EventRing, now: () => number): void {
  const { user32, kernel32 } = libraries;
  const message = new DataView(new ArrayBuffer(MSG_BYTES));
  user32.PeekMessageW(message, null, 0, 0, PM_NOREMOVE); // makes the queue that WM_QUIT is posted to
  const note = (event: HookEvent) => {
    if (ring.write(event)) worker.postMessage({ type: "events" });
  };
  const procs: [kind: number, proc: HookProc][] = [
    [WH_MOUSE_LL, hookProc(libraries, readMouseHook, now, note)],
    [WH_KEYBOARD_LL, hookProc(libraries, readKeyHook, now, note)],
  ];
  let hooks: bigint[] = [];
  const uninstall = () => hooks.splice(0).forEach((hook) => user32.UnhookWindowsHookEx(hook));
  const install = () => {
    uninstall();
    hooks = procs.map(([kind, proc]) => {
      const hook = user32.SetWindowsHookExW(kind, proc.pointer, kernel32.GetModuleHandleW(null), 0);
      if (hook === 0n) throw new Error("SetWindowsHookExW refused the hooks that see input");
      return hook;
    });
  };
  try {
    install();
    worker.postMessage({ type: "ready", thread: kernel32.GetCurrentThreadId(), hooks });
    while (user32.GetMessageW(message, null, 0, 0) > 0) {
      if (message.getUint32(8, true) === WM_REINSTALL) install();
    }
  } finally {
    uninstall();
    for (const [, proc] of procs) proc.close();
  }
}

function hookProc(
  { user32 }: Libraries,
  read: (memory: Deno.UnsafePointerView) => number[],
  now: () => number,
  note: (event: HookEvent) => void,
): HookProc {
  return new Deno.UnsafeCallback(HOOK_PROC, (code, message, details) => {
    if (code >= 0 && details) {
      const data = read(new Deno.UnsafePointerView(details));
      note({ message: Number(message), data, at: now() });
    }
    return user32.CallNextHookEx(0n, code, message, details);
  });
}
