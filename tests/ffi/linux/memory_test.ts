/** Memory that is shared with another process. */

import { assertEquals, assertThrows } from "@std/assert";
import { openLibc } from "../../../ffi/linux/libc.ts";
import { SharedMemory } from "../../../ffi/linux/memory.ts";

/** Counts this process's mappings of shared memory. */
function mapped(): number {
  return Deno.readTextFileSync("/proc/self/maps").split("memfd:deskhand").length - 1;
}

Deno.test({
  name: "shared memory is mapped until it is freed, and never if the other process is gone",
  ignore: Deno.build.os !== "linux",
  fn() {
    const c = openLibc();
    const memory = SharedMemory.make(c, 4096, () => {});
    assertEquals(mapped(), 1);
    memory.unmap();
    assertEquals(mapped(), 0);
    const gone = () => {
      throw new Error("gone");
    };
    assertThrows(() => SharedMemory.make(c, 4096, gone), Error, "gone");
    assertEquals(mapped(), 0);
  },
});
