/** A short run of the fuzzer; the long one is `deno task fuzz`. */

import { needTime } from "../support/need.ts";
import { until } from "../support/shell.ts";
import { fuzz } from "./fuzz.ts";

Deno.test({
  name: "thousands of hostile cases find nothing and leave no file open",
  ...needTime("makes five thousand cases"),
}, async () => {
  const open = () => Deno.build.os === "linux" ? [...Deno.readDirSync("/proc/self/fd")].length : 0;
  await fuzz(400, 1); // opens what is opened once
  const before = open();
  const seed = Date.now() % 2 ** 32;
  console.log(`seed ${seed}`);
  await fuzz(3000, seed);
  // A terminated thread, such as one that searched folders, closes its files a little later.
  await until(open, (after) => after <= before, (after) => `${before} files open before, ${after} after`);
});
