/** Bringing a window to the front, where Windows does not let it come there: Wine always does. */

import { assertEquals, assertRejects } from "@std/assert";
import { StateError } from "../../../core/errors.ts";
import { bringToFront } from "../../../ffi/windows/activation.ts";
import type { Libraries } from "../../../ffi/windows/symbols.ts";
import type { InputSender } from "../../../ffi/windows/input.ts";

const FRONT = 1n, WINDOW = 2n;
const OWN_THREAD = 10;

/** The behaviour of a Windows with two windows, each of a thread with its number. */
interface Behaviour {
  /** The thread that may choose the window in front. */
  allows: "all" | "threads of the front window" | "none";
  /** Windows whose program does not react. */
  hung?: bigint[];
  /** The integrity level of the front window. */
  refusal?: string;
}

/** @returns The parts of such a Windows that are used, and the calls that were made. */
function windowsOf({ allows, hung = [], refusal }: Behaviour) {
  let front = FRONT;
  const calls: string[] = [], shared = new Set<number>();
  const user32 = {
    IsWindow: () => 1,
    GetForegroundWindow: () => front,
    GetWindowThreadProcessId: (window: bigint) => Number(window),
    SetWindowPos: () => 1,
    SetForegroundWindow(window: bigint) {
      calls.push(`front ${window}`);
      if (allows === "all" || allows !== "none" && shared.has(Number(front))) front = window;
      return 1; // in any case
    },
    AttachThreadInput(own: number, other: number, attach: number) {
      calls.push(`${attach ? "attach" : "detach"} ${own} ${other}`);
      if (attach) shared.add(other);
      else shared.delete(other);
      return 1;
    },
    SendMessageTimeoutW: (window: bigint) => Promise.resolve(hung.includes(window) ? 0n : 1n),
  };
  const sender = { send: () => calls.push("input"), guard: { refusal: () => refusal } };
  return {
    bring: () =>
      bringToFront(
        { user32, kernel32: { GetCurrentThreadId: () => OWN_THREAD } } as unknown as Libraries,
        sender as unknown as InputSender,
        WINDOW,
      ),
    calls,
    front: () => front,
  };
}

Deno.test("a window comes to the front at the first request, after input of deskhand's own", async () => {
  const { bring, calls, front } = windowsOf({ allows: "all" });
  await bring();
  assertEquals([front(), calls], [WINDOW, ["input", "front 2"]]);
});

Deno.test("where the front program alone may choose, its input is shared for the second request", async () => {
  const { bring, calls, front } = windowsOf({ allows: "threads of the front window" });
  await bring();
  assertEquals(front(), WINDOW);
  assertEquals(calls, ["input", "front 2", "attach 10 1", "front 2", "detach 10 1"]);
});

Deno.test("a window that Windows keeps back is refused with the reason", async () => {
  const kept = windowsOf({ allows: "none" });
  await assertRejects(kept.bring, StateError, "Windows did not let it come to the front");
  const elevated = windowsOf({ allows: "none", refusal: "its level is high" });
  await assertRejects(
    elevated.bring,
    StateError,
    "Windows did not let it come to the front: the window in front keeps it, and its level is high",
  );
});

Deno.test("input is not shared with a program that does not react", async () => {
  for (
    const [hung, error] of [
      [FRONT, "Windows did not let it come to the front"],
      [WINDOW, "the window does not come to the front: its program does not react"],
    ] as const
  ) {
    const { bring, calls } = windowsOf({ allows: "threads of the front window", hung: [hung] });
    await assertRejects(bring, StateError, error);
    assertEquals(calls, ["input", "front 2"]);
  }
});
