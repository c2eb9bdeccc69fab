/** The picture of a session shows the program as it is. */

import { assertEquals } from "@std/assert";
import { draw, PICTURE, record } from "../../tools/picture.ts";
import { need } from "../support/need.ts";

Deno.test({
  ...need("script", "bash", "curl", "file"),
  name: "the README's session is what the program prints",
}, async () => {
  const drawn = draw(await record());
  assertEquals(await Deno.readTextFile(PICTURE), drawn, "deno task picture draws it anew");
});
