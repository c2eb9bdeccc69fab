/** Third-party parts of the executables: each is named with its license and matches its package. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { thirdPartyNotices } from "../../tools/package/notices.ts";
import { billOfMaterials } from "../../tools/package/sbom.ts";
import { CORE, engineModule } from "../../tools/tesseract.ts";
import { whyUnavailable } from "../support/config.ts";
import { npmProgram } from "../support/npm_package.ts";

const VENDORED = new URL("../../control/read/tesseract/", import.meta.url);

interface Component {
  name: string;
  version?: string;
  licenses: ({ license: { id: string } } | { expression: string })[];
}

Deno.test("the notices list exactly the bill of materials, with licenses", async () => {
  const bill = await billOfMaterials(Deno.version.deno), text = await thirdPartyNotices(Deno.version.deno);
  const listed = (bill.components as Component[]).map(({ name, version = "", licenses: [named] }) => [
    `${name} ${version}`.trim(),
    "license" in named ? named.license.id : named.expression,
  ]);
  const [, ...sections] = text.split(/^={80}\n\n/m);
  const noticed = sections.map((section) => /^(.*)\nLicence: (.*)\n\n/.exec(section)!.slice(1));
  assertEquals(noticed.sort(), listed.sort());
  const names = noticed.map(([name]) => name.split(" ")[0]);
  for (
    const name of [
      "deno",
      "v8",
      "zod",
      "marked",
      "tesseract",
      "leptonica",
      "fflate",
      "deno-std",
      "qr",
      "xdotool",
    ]
  ) {
    assert(names.includes(name), name);
  }
  for (const section of sections) assertMatch(section, /copyright|\(c\)/i, section.slice(0, 80));
});

const core = { spec: CORE.package, integrity: CORE.integrity, program: "package" };
const why = await whyUnavailable(() => npmProgram(core));
if (why) console.error(`\n!!! SKIPPED: the engine is not compared with its package, since ${why} !!!\n`);

Deno.test(
  { ignore: why !== undefined, name: "the text recognition engine is its package's, byte for byte" },
  async () => {
    const folder = await npmProgram(core);
    const packed = (await Deno.open(new URL("engine.wasm.gz", VENDORED))).readable;
    const held = await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).bytes();
    assertEquals(await digestOf(held), await digestOf(await Deno.readFile(`${folder}/${CORE.binary}`)));
    const script = await Deno.readTextFile(`${folder}/${CORE.module}`);
    assertEquals(
      await digestOf(await Deno.readFile(new URL("engine.js", VENDORED))),
      await digestOf(new TextEncoder().encode(engineModule(script))),
    );
    const licence = await Deno.readTextFile(`${folder}/LICENSE`);
    assertEquals(await Deno.readTextFile(new URL("LICENSE", VENDORED)), licence);
  },
);

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
