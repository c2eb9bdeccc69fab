/** The Worker that call_worker_test.ts starts. */

import { InputError } from "../../core/errors.ts";
import { answerCalls } from "../../core/worker_entry.ts";

let calls = 0;

answerCalls<string | Uint8Array, string | Uint8Array<ArrayBuffer>>((call) => {
  calls++;
  if (typeof call !== "string") return `${call} ${calls}`;
  if (call === "refuse") throw new InputError("the input is wrong");
  if (call === "leave") throw new DOMException("the caller has left", "AbortError");
  if (call === "bytes") return new Uint8Array([1, 2, 3]);
  if (call === "hang") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (call === "crash") {
    setTimeout(() => {
      throw new Error("a bug in a timer");
    });
    return new Promise<never>(() => {});
  }
  return `${call} ${calls}`;
}, (answer) => answer instanceof Uint8Array ? [answer.buffer] : []);
