import { assertEquals, assertThrows } from "@std/assert";
import { Capacity } from "../../core/coalesced_read.ts";
import { BusyError } from "../../core/errors.ts";

Deno.test("a lease past the limit is refused, and a place that is given back is free again", () => {
  const capacity = new Capacity(2, "2 are here already");
  const first = capacity.enter();
  using _second = capacity.enter();
  assertThrows(() => capacity.enter(), BusyError, "2 are here already");
  first[Symbol.dispose]();
  using _third = capacity.enter();
  assertEquals(capacity.taken, 2);
});

Deno.test("a lease that is disposed of twice gives back one place", () => {
  const capacity = new Capacity(1, "full");
  const lease = capacity.enter();
  lease[Symbol.dispose]();
  lease[Symbol.dispose]();
  assertEquals(capacity.taken, 0);
  using _only = capacity.enter();
  assertThrows(() => capacity.enter(), BusyError);
});
