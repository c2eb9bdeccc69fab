/** That the written reference says what the program does. */

import { assertEquals } from "@std/assert";
import { apiReference, REFERENCE } from "../../tools/api_reference.ts";

Deno.test("docs/api.md is what `deno task reference` writes", async () => {
  assertEquals(await Deno.readTextFile(REFERENCE), await apiReference());
});
