/** PipeWire's loop on the calling thread: its callbacks run while {@linkcode Loop.iterate} is called. */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import type { PipeWire } from "./symbols.ts";

/**
 * Offsets of the functions that run a loop: the third pointer of `struct pw_loop` is its control, a `struct
 * spa_interface`, whose callbacks are a table of functions and their first argument (spa/support/loop.h).
 */
const CONTROL_AT = 16, FUNCTIONS_AT = 16, OBJECT_AT = 24;
const ENTER_AT = 24, LEAVE_AT = 32, ITERATE_AT = 40;

const ENTER = { parameters: ["pointer"], result: "void" } as const;
const ITERATE = { parameters: ["pointer", "i32"], result: "i32" } as const;

/** A loop, entered by this thread. */
export class Loop {
  readonly #object: Deno.PointerValue;
  readonly #functions: Deno.UnsafePointerView;

  private constructor(readonly pw: PipeWire, readonly pointer: Deno.PointerObject) {
    const control = new Deno.UnsafePointerView(new Deno.UnsafePointerView(pointer).getPointer(CONTROL_AT)!);
    this.#functions = new Deno.UnsafePointerView(control.getPointer(FUNCTIONS_AT)!);
    this.#object = control.getPointer(OBJECT_AT);
    this.#call(ENTER_AT);
  }

  /** @throws DesktopUnavailableError if the system refuses. */
  static open(pw: PipeWire): Loop {
    const pointer = pw.pw_loop_new(null);
    if (!pointer) throw new DesktopUnavailableError("PipeWire has no loop to run");
    return new Loop(pw, pointer);
  }

  /**
   * Handles events that have arrived; waits for them up to some milliseconds.
   * @returns Whether an event had arrived.
   */
  iterate(ms: number): boolean {
    const pointer = this.#functions.getPointer(ITERATE_AT) as Deno.PointerObject<typeof ITERATE>;
    return new Deno.UnsafeFnPointer(pointer, ITERATE).call(this.#object, ms) > 0;
  }

  /** Frees the loop, after everything that runs in it. */
  close(): void {
    this.#call(LEAVE_AT);
    this.pw.pw_loop_destroy(this.pointer);
  }

  #call(at: number): void {
    const pointer = this.#functions.getPointer(at) as Deno.PointerObject<typeof ENTER>;
    new Deno.UnsafeFnPointer(pointer, ENTER).call(this.#object);
  }
}
