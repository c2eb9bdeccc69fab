/** Tests that wait in vain fail, and say where they waited. */

import { assert, assertMatch } from "@std/assert";
import { stripAnsiCode } from "@std/fmt/colors";
import { temporary } from "../support/shell.ts";
import { testFile } from "./test_files.ts";

const SUPPORT = new URL("../support/", import.meta.url).href;

/** Waits in a test, and the messages about them. */
const CASES: [source: string, says: RegExp][] = [
  [`await until(() => 7, (value) => value === 8);`, /it stayed 7\n[^]*at async waiter.*:6:/],
  [
    `using silent = Deno.listen({ port: 0 });
     await fetch(\`http://127.0.0.1:\${silent.addr.port}/position\`);`,
    /waited too long for the answer to http:\S+\/position\n[^]*at waiter.*:7:/,
  ],
  [
    `await new Deno.Command("sleep", { args: ["30"] }).output();`,
    /waited too long for the end of a program\n[^]*at waiter.*:6:/,
  ],
  [`using silent = Deno.listen({ port: 0 }); await silent.accept();`, /waits \.\.\. a step.*:5:\d+$/m],
];

/** A file with one test, which waits in a step. */
const fileOf = (source: string) =>
  `import { until } from "${SUPPORT}shell.ts";
const kept = until; // each case has the same number of lines

Deno.test({ name: "waits", sanitizeOps: false, sanitizeResources: false }, async (t) => {
  await t.step({ name: "a step", sanitizeOps: false, sanitizeResources: false, fn: async function waiter() {
${source}
  } });
});`;

Deno.test("a test that waits in vain fails, and says where it waits", async () => {
  await temporary(async (folder) => {
    Deno.env.set("DESKHAND_TEST_PATIENCE_MS", "6000");
    try {
      await Promise.all(CASES.map(async ([source, says], i) => {
        const file = `${folder}/${i}_test.ts`;
        await Deno.writeTextFile(file, fileOf(source));
        const { counts, output } = await testFile(file).run();
        assert(counts.failed > 0, output);
        assertMatch(stripAnsiCode(output), says); // Deno prints colours if CI is set
      }));
    } finally {
      Deno.env.delete("DESKHAND_TEST_PATIENCE_MS");
    }
  });
});
