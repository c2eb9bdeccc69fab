/** The written references match the program. */

import { assertEquals } from "@std/assert";
import { apiReference, recordingSchema, REFERENCE, SCHEMA } from "../../tools/api_reference.ts";

Deno.test("docs/api.md and docs/recording.schema.json are what `deno task reference` writes", async () => {
  assertEquals(await Deno.readTextFile(REFERENCE), await apiReference());
  assertEquals(await Deno.readTextFile(SCHEMA), await recordingSchema());
});
