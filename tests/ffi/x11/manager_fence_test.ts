/** The answers of a window manager after which a request counts as handled. */

import { assertEquals } from "@std/assert";
import { ManagerFence } from "../../../ffi/x11/windows.ts";
import type { WindowAtoms, WindowManager } from "../../../ffi/x11/window_rows.ts";
import type { XcbConnection } from "../../../ffi/x11/xcb_connection.ts";

const ATOMS = { _NET_REQUEST_FRAME_EXTENTS: 1, _NET_FRAME_EXTENTS: 2 } as WindowAtoms;

/** A fence, the questions that it asked, and a manager that answers when a test says so. */
function fenced(supports: number[] = [ATOMS._NET_REQUEST_FRAME_EXTENTS]) {
  let questions = 0, answers = 0;
  const xcb = {
    xcb: { xcb_generate_id: () => 5, xcb_create_window: () => {} },
    sendMessage: () => void questions++,
    askProperty: () => 0,
    property: () => answers > 0 ? (answers--, {}) : undefined,
  } as unknown as XcbConnection;
  const fence = new ManagerFence(xcb, ATOMS);
  return {
    raise: () => fence.raise({ supports: new Set(supports) } as unknown as WindowManager),
    answer: () => void answers++,
    state: () => `${fence.isPassed() ? "passed" : "waits"}, ${questions} asked`,
  };
}

Deno.test("a request is handled after two answers, and an answer to an older question does not count", () => {
  const cases: [steps: ("raise" | "answer")[], state: string][] = [
    [[], "passed, 0 asked"],
    [["raise"], "waits, 1 asked"],
    [["raise", "answer"], "waits, 2 asked"],
    [["raise", "answer", "answer"], "passed, 2 asked"],
    [["raise", "raise", "answer", "answer"], "waits, 3 asked"],
    [["raise", "raise", "answer", "answer", "answer"], "passed, 3 asked"],
    [["raise", "answer", "answer", "raise", "answer"], "waits, 4 asked"],
  ];
  for (const [steps, state] of cases) {
    const fence = fenced();
    let last = fence.state();
    for (const step of steps) {
      fence[step]();
      last = fence.state();
    }
    assertEquals(last, state, steps.join(", "));
  }
});

Deno.test("a manager that does not know the question is not asked", () => {
  const fence = fenced([]);
  fence.raise();
  assertEquals(fence.state(), "passed, 0 asked");
});
