/** Scripts that pages of both servers use. */

import { assert, assertEquals } from "@std/assert";
import { sharedScript, withSharedBeside, withSharedInside } from "../../http/page_scripts.ts";

const OWN =
  'const before = 1;\nimport { sendWhole } from "../../http/page/resumed_upload.js";\nsendWhole();\n';

Deno.test("a script that stands in a page has those that it imports in itself, and imports nothing", () => {
  const script = withSharedInside(OWN);
  assertEquals(/^(import|export)\b/m.test(script), false);
  assert(
    /^async function sendWhole\(/m.test(script) && script.startsWith("const before") &&
      script.endsWith("sendWhole();\n"),
  );
  assertEquals(withSharedInside("const alone = 1;\n"), "const alone = 1;\n");
});

Deno.test("a script of a page with addresses imports them from its own folder", () => {
  assertEquals(
    withSharedBeside(OWN),
    'const before = 1;\nimport { sendWhole } from "./resumed_upload.js";\nsendWhole();\n',
  );
});

Deno.test("both pages upload by the same script", async () => {
  const shared = new TextDecoder().decode(sharedScript("resumed_upload.js"));
  assert(shared.includes("content-range"));
  for (const page of ["control/page/share.js", "files/listing/page/upload.js"]) {
    const text = await Deno.readTextFile(new URL(`../../${page}`, import.meta.url));
    assert(
      text.includes('/http/page/resumed_upload.js"') && !/XMLHttpRequest|content-range/i.test(text),
      page,
    );
  }
});
