/** What deploy/ holds: manifests that Kubernetes takes, units that systemd takes, and options that deskhand takes. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { parse, parseAllDocuments } from "yaml";
import { readOptions } from "../../cli/options.ts";
import { ENDPOINTS } from "../../control/http/endpoints.ts";
import { mustRun } from "../support/cache.ts";
import { need } from "../support/need.ts";
import { temporary } from "../support/temporary.ts";

const DEPLOY = fromFileUrl(new URL("../../deploy", import.meta.url));
const CONFIG = fromFileUrl(new URL("../../deno.json", import.meta.url));

interface Manifest {
  apiVersion: string;
  kind: string;
  [field: string]: unknown;
}

const manifestNames = Array.from(Deno.readDirSync(join(DEPLOY, "kubernetes")), ({ name }) => name)
  .filter((name) => name.endsWith(".yaml") && name !== "kustomization.yaml").sort();

async function manifest(name: string): Promise<Manifest> {
  return parse(await Deno.readTextFile(join(DEPLOY, "kubernetes", name)));
}

/**
 * Validates manifests by Kubernetes' own schemas: values as the program runs, and names of fields by the compiler, since
 * the schemas allow fields that they do not know.
 * @throws Error with what is wrong.
 */
async function validate(manifests: Manifest[]): Promise<void> {
  await temporary(async (folder) => {
    const source = manifests.map(({ apiVersion, kind, ...fields }, i) =>
      `import { ${kind} as Model${i} } from "kubernetes-models/${apiVersion}/${kind}";
       new Model${i}(${JSON.stringify(fields)}).validate();`
    );
    await Deno.writeTextFile(`${folder}/manifests.ts`, source.join("\n"));
    await mustRun(Deno.execPath(), ["run", "-A", "--check", "--config", CONFIG, `${folder}/manifests.ts`]);
  });
}

Deno.test("the manifests fit Kubernetes' schemas, and what does not fit is refused", async () => {
  const manifests = await Promise.all(manifestNames.map(manifest));
  assertEquals(manifests.map(({ kind }) => kind).sort(), [
    ...["HorizontalPodAutoscaler", "NetworkPolicy", "PodDisruptionBudget", "Service", "StatefulSet"],
  ]);
  const set = manifests.find(({ kind }) => kind === "StatefulSet")!;
  const misspelt = { ...set, spec: { ...set.spec as object, replica: 3 } };
  const wrong = { apiVersion: "v1", kind: "Service", spec: { ports: [{ name: "x" }] } };
  await Promise.all([
    validate(manifests),
    assertRejects(() => validate([misspelt]), Error, "replica"),
    assertRejects(() => validate([wrong]), Error, "port"),
  ]);
});

Deno.test({
  ...need("kubectl"),
  name: "kustomize joins the manifests, and the set mounts the token that it makes",
}, async () => {
  await temporary(async (folder) => {
    for (const name of [...manifestNames, "kustomization.yaml"]) {
      await Deno.copyFile(join(DEPLOY, "kubernetes", name), join(folder, name));
    }
    await Deno.writeTextFile(join(folder, "token"), "a-secret-of-enough-letters");
    const made = await mustRun("kubectl", ["kustomize", folder], { env: { HOME: folder } });
    const rows: Manifest[] = parseAllDocuments(made).map((document) => document.toJS());
    const named = (kind: string) => rows.find((row) => row.kind === kind)!.metadata as { name: string };
    assertEquals(rows.length, manifestNames.length + 1);
    assertMatch(named("Secret").name, /^deskhand-./);
    assertStringIncludes(made, `secretName: ${named("Secret").name}\n`);
  });
});

Deno.test("the arguments of containers and units are options of deskhand, and probes ask paths that it has", async () => {
  const paths = ENDPOINTS.map(({ path }) => path);
  const set = JSON.stringify(await manifest("statefulset.yaml"));
  for (const [, path] of set.matchAll(/"path":"([^"]+)"/g)) assert(paths.includes(path), path);
  const [, command] = /^CMD (\[.*\])$/m.exec(await Deno.readTextFile(join(DEPLOY, "Containerfile")))!;
  const unit = await Deno.readTextFile(join(DEPLOY, "systemd/deskhand@.service"));
  const [, line] = /^ExecStart=\/usr\/bin\/deskhand (.*) \$OPTIONS$/m.exec(unit)!;
  const { args } = /"args":(?<args>\[[^\]]*\])/.exec(set)!.groups!;
  for (const words of [JSON.parse(command), JSON.parse(args), line.replaceAll("%i", "101").split(" ")]) {
    const { settings, notices, words: others } = readOptions(
      ["--wait-desktop", "30", ...words],
      () => undefined,
    );
    assertEquals([notices, others, settings.logFormat], [[], [], "json"]);
    assert(settings.http === 4000 || settings.http === 4101);
  }
  const compose = parse(await Deno.readTextFile(join(DEPLOY, "compose.yaml")));
  assertEquals([compose.services.desk.read_only, compose.services.desk.cap_drop], [true, ["ALL"]]);
});
