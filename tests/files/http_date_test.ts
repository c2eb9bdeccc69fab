/** HTTP dates in their three forms. */

import { assertEquals } from "@std/assert";
import { httpDate } from "../../files/conditional.ts";

/** The reference time for two-digit years. */
const NOW = Date.UTC(2026, 5, 15);
/** The time of RFC 9110's examples. */
const EXAMPLE = 784111777;

const DATES: [text: string | null, seconds: number | undefined][] = [
  ["Sun, 06 Nov 1994 08:49:37 GMT", EXAMPLE],
  ["Sunday, 06-Nov-94 08:49:37 GMT", EXAMPLE],
  ["Sun Nov  6 08:49:37 1994", EXAMPLE],
  ["Sun Nov 06 08:49:37 1994", EXAMPLE],
  ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
  ["Wed, 31 Dec 1969 23:59:59 GMT", -1],
  ["Tue, 31 Dec 9999 23:59:59 GMT", 253402300799],
  ["Mon, 01 Jan 0001 00:00:00 GMT", -62135596800],
  ["Sat, 31 Dec 2016 23:59:60 GMT", Date.UTC(2017, 0, 1) / 1000], // a leap second
  ["Thu, 29 Feb 2024 00:00:00 GMT", Date.UTC(2024, 1, 29) / 1000],
  ["Monday, 01-Mar-60 00:00:00 GMT", Date.UTC(2060, 2, 1) / 1000],
  ["Sunday, 14-Jun-76 00:00:00 GMT", Date.UTC(2076, 5, 14) / 1000],
  ["Wednesday, 16-Jun-76 00:00:00 GMT", Date.UTC(1976, 5, 16) / 1000], // more than 50 years ahead
  ["Friday, 31-Dec-99 23:59:59 GMT", Date.UTC(1999, 11, 31, 23, 59, 59) / 1000],
  [null, undefined],
  ["", undefined],
  ["5", undefined],
  ["Mon 2030", undefined],
  ["Mon, 2024", undefined],
  ["Monday 2001", undefined],
  ["2026-06-15T00:00:00Z", undefined],
  ["Sun, 06 Nov 1994 08:49:37", undefined],
  ["Sun, 06 Nov 1994 08:49:37 EST", undefined],
  ["Sun, 06 Nov 1994 08:49:37 +0100", undefined],
  ["Sun, 6 Nov 1994 08:49:37 GMT", undefined],
  ["Sun, 06 nov 1994 08:49:37 GMT", undefined],
  ["Sun, 06 Nov 94 08:49:37 GMT", undefined],
  ["Sun, 06-Nov-94 08:49:37 GMT", undefined],
  ["Sun, 06 Nov 1994 24:00:00 GMT", undefined],
  ["Sun, 06 Nov 1994 08:60:00 GMT", undefined],
  ["Sun, 06 Nov 1994 08:49:61 GMT", undefined],
  ["Wed, 30 Feb 2024 00:00:00 GMT", undefined],
  ["Wed, 00 Feb 2024 00:00:00 GMT", undefined],
  ["Sun Nov 6 08:49:37 1994", undefined],
  ["Sun Nov  6 08:49:37 1994 GMT", undefined],
  ["Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT", undefined],
];

Deno.test("HTTP dates are parsed in their three forms, and other texts are refused", () => {
  for (const [text, seconds] of DATES) assertEquals(httpDate(text, NOW), seconds, `${text}`);
});

Deno.test("a date is parsed as UTC in any time zone", async () => {
  const module = new URL("../../files/conditional.ts", import.meta.url);
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "eval",
      `import { httpDate } from "${module}"; console.log(httpDate("Sun Nov  6 08:49:37 1994"));`,
    ],
    env: { TZ: "America/New_York", NO_COLOR: "1" },
  }).output();
  assertEquals(new TextDecoder().decode(stdout).trim(), `${EXAMPLE}`);
});
