/** The bill of materials: it is valid CycloneDX, and has all parts of the executables. */

import { assertEquals } from "@std/assert";
import { Ajv } from "ajv";
import { billOfMaterials } from "../../tools/package/sbom.ts";
import { whyUnavailable } from "../support/cache.ts";
import { npmProgram } from "../support/npm_package.ts";

/** CycloneDX's own library, which holds its schemas. */
const LIBRARY = {
  spec: "@cyclonedx/cyclonedx-library@10.3.0",
  integrity:
    "sha512-RIT28sp1U0PCHaaeF3yNRwk6Jig/XJ8UsYAVOMYaHQ+0VVOvsjcp0PTWQFLUqJFF8XMud+Kdq6G+wtDAh+QJFA==",
  program: "package/res/schema",
};

interface Bill {
  components: { name: string; version: string; hashes?: { content: string }[] }[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

const why = await whyUnavailable(() => npmProgram(LIBRARY));
if (why) console.error(`\n!!! SKIPPED: the bill of materials is not validated, since ${why} !!!\n`);

Deno.test({ ignore: why !== undefined, name: "the bill of materials is valid CycloneDX 1.6" }, async () => {
  const folder = await npmProgram(LIBRARY);
  const read = async (name: string) => JSON.parse(await Deno.readTextFile(`${folder}/${name}`));
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const name of ["spdx.SNAPSHOT.schema.json", "jsf-0.82.SNAPSHOT.schema.json"]) {
    // The bill's schema names them by their files, not by the ids that they give themselves.
    const { $id: _, ...schema } = await read(name);
    ajv.addSchema(schema, `http://cyclonedx.org/schema/${name}`);
  }
  const validate = ajv.compile(await read("bom-1.6.SNAPSHOT.schema.json"));
  assertEquals([validate(await billOfMaterials("2.9.6")), validate.errors], [true, null]);
  const wrong = [{ type: "library", name: "x", licenses: [{ license: { id: "no such licence" } }] }];
  assertEquals(validate({ ...await billOfMaterials("2.9.6"), components: wrong }), false);
});

Deno.test("the bill has the runtime and what main.ts imports, with hashes, and nothing that only tests use", async () => {
  const bill = await billOfMaterials("2.9.6") as unknown as Bill;
  const names = bill.components.map(({ name }) => name);
  for (const name of ["deno", "deno-std", "@modelcontextprotocol/server", "zod"]) {
    assertEquals(names.includes(name), true, name);
  }
  for (const name of ["playwright-core", "ajv"]) assertEquals(names.includes(name), false, name);
  for (const { name, hashes } of bill.components) {
    assertEquals(hashes?.[0].content.length, name === "deno" ? undefined : 128, name);
  }
  const refs = bill.dependencies.map(({ ref }) => ref);
  assertEquals(
    bill.dependencies.flatMap(({ dependsOn = [] }) => dependsOn).filter((ref) => !refs.includes(ref)),
    [],
  );
});
