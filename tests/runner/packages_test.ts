/** The notice before the tests' packages are installed. */

import { assertEquals, assertMatch } from "@std/assert";
import { need } from "../support/need.ts";
import { announcement, sizes } from "../support/packages.ts";

/** The end of apt-get(8)'s output with --assume-no. */
const CASES: [printed: string, said: string][] = [
  [
    "0 upgraded, 3 newly installed, 0 to remove and 129 not upgraded.\nNeed to get 44.0 kB of archives.\n" +
    "After this operation, 198 kB of additional disk space will be used.\n",
    "3 packages, 44.0 kB to fetch, 198 kB on the disk",
  ],
  [
    "1 upgraded, 412 newly installed, 0 to remove and 0 not upgraded.\n" +
    "Need to get 95.1 MB/1,020 MB of archives.\nAfter this operation, 3,210 MB of additional disk space will",
    "412 packages, 1,020 MB to fetch, 3,210 MB on the disk",
  ],
  ["E: Unable to locate package frob\n", "apt-get tells no sizes"],
];

Deno.test("the sizes of an installation are those that apt-get tells", () => {
  for (const [printed, said] of CASES) assertEquals(sizes(printed), said);
});

Deno.test(
  { ...need("apt-get"), name: "an installation is announced with its size, and how to leave it" },
  async () => {
    const said = await announcement(["bash"]);
    assertMatch(said, /^Installing for the tests: bash\nWith what these need: 0 packages/);
    assertMatch(said, /DESKHAND_TEST_INSTALL=no leaves that/);
  },
);
