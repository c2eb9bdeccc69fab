/** The order of a stream's buffers: a buffer that was lost on the way is read once, between its neighbours. */

import { assertEquals } from "@std/assert";
import { BufferOrder } from "../../../../ffi/linux/pipewire/buffer_order.ts";

/** A buffer, which the compositor fills again and again. */
interface Filled {
  time: number | undefined;
}

/**
 * Events of a case: the compositor fills buffers at the given times, PipeWire delivers some of them, and these are
 * read.
 */
type Turn = [filled: Record<number, number | undefined>, come: number[] | "nothing", read: number[]];

/** Turns of a stream of four buffers, which are named by their numbers. */
const STREAMS: [name: string, turns: Turn[]][] = [
  ["each one comes", [
    [{ 0: 10 }, [0], [0]],
    [{ 1: 20, 2: 30 }, [1, 2], [1, 2]],
    [{ 3: 40 }, [3], [3]],
    [{ 0: 50 }, [0], [0]],
    [{}, "nothing", []],
  ]],
  ["one is lost before the next", [
    [{ 0: 10 }, [0], [0]],
    [{ 1: 20, 2: 30 }, [2], [1, 2]],
    [{ 3: 40 }, [3], [3]],
  ]],
  ["the first is lost", [[{ 0: 10, 1: 20 }, [1], [0, 1]]]],
  ["two are lost between two", [
    [{ 0: 10, 1: 20, 2: 30, 3: 40 }, [0, 3], [0, 1, 2, 3]],
  ]],
  ["one is on its way yet", [
    [{ 0: 10, 1: 20 }, [0], [0]],
    [{}, [1], [1]],
  ]],
  ["the newest is lost", [
    [{ 0: 10, 1: 20 }, [0], [0]],
    [{ 2: 30 }, "nothing", [1, 2]],
    [{}, "nothing", []],
    [{ 3: 40 }, [3], [3]],
  ]],
  ["those that did not come for a while come late", [
    [{ 0: 10, 1: 20 }, "nothing", [0, 1]],
    [{}, [0], []],
    [{ 2: 30 }, [1, 2], [2]],
    [{ 0: 40 }, [0], [0]],
  ]],
  ["one that was taken for lost comes late", [
    [{ 0: 10, 1: 20 }, [1], [0, 1]],
    [{}, [0], []],
    [{ 2: 30, 3: 40 }, [3], [2, 3]],
  ]],
  ["one is filled again before it is read", [
    [{ 0: 10, 1: 20, 2: 30, 3: 40 }, [0], [0]],
    [{ 1: 60 }, [1, 2, 3], [2, 3, 1]],
  ]],
  ["the compositor tells no times", [
    [{ 0: undefined, 1: undefined, 2: undefined }, [2, 0], [2, 0]],
    [{}, "nothing", []],
  ]],
  ["the compositor's clock goes back", [
    [{ 0: 1000, 1: 1010 }, [0, 1], [0, 1]],
    [{ 2: 5 }, [2], [2]],
    [{ 3: 10 }, [3], [3]],
  ]],
];

for (const [name, turns] of STREAMS) {
  Deno.test(`buffers are read in the order of their times where ${name}`, () => {
    const all: Filled[] = Array.from({ length: 4 }, () => ({ time: undefined })),
      order = new BufferOrder<Filled>();
    for (const [filled, come, read] of turns) {
      for (const [i, time] of Object.entries(filled)) all[Number(i)].time = time;
      const found = come === "nothing" ? order.rest(all) : order.next(come.map((i) => all[i]), all);
      assertEquals(found.map((one) => all.indexOf(one)), read);
    }
  });
}
