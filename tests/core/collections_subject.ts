/** A program whose heap has garbage: begins a collection if it is told to, and goes on for a while. */

import { delay } from "@std/async/delay";
import { beginCollection } from "../../core/collections.ts";

/** Makes garbage; V8 looks at its limits only as a program allocates. */
async function work(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) {
    Array.from({ length: 400 }, (_, x) => ({ x, text: `${x}` }));
    await delay(0);
  }
}

await work();
const before = Deno.memoryUsage().rss;
if (Deno.args[0] === "collect") beginCollection();
console.log(`the buffer took ${Math.round((Deno.memoryUsage().rss - before) / 1e6)} MB`);
await work();
await work();
