/** deploy/: manifests valid for Kubernetes, units valid for systemd, options valid for deskhand. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { parse, parseAllDocuments } from "yaml";
import { readOptions } from "../../cli/options.ts";
import { ENDPOINTS } from "../../control/http/endpoints.ts";
import { config } from "../support/config.ts";
import { mustRun, temporary, until } from "../support/shell.ts";
import { need } from "../support/need.ts";
import { ownNumber } from "../support/xvfb.ts";

const DEPLOY = fromFileUrl(new URL("../../deploy", import.meta.url));

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

/** A program that validates manifests by Kubernetes' own schemas, which accept unknown fields. */
function validation(manifests: Manifest[]): string {
  return manifests.map(({ apiVersion, kind, ...fields }, i) =>
    `import { ${kind} as Model${i} } from "kubernetes-models/${apiVersion}/${kind}";
     new Model${i}(${JSON.stringify(fields)}).validate();`
  ).join("\n");
}

Deno.test("the manifests match Kubernetes' schemas, and wrong ones are refused", async () => {
  const manifests = await Promise.all(manifestNames.map(manifest));
  assertEquals(manifests.map(({ kind }) => kind).sort(), [
    ...["HorizontalPodAutoscaler", "NetworkPolicy", "PodDisruptionBudget", "Service", "StatefulSet"],
  ]);
  const set = manifests.find(({ kind }) => kind === "StatefulSet")!;
  const misspelt = { ...set, spec: { ...set.spec as object, replica: 3 } };
  const wrong = { apiVersion: "v1", kind: "Service", spec: { ports: [{ name: "x" }] } };
  await temporary(async (folder) => {
    const deno = (...args: string[]) => mustRun(Deno.execPath(), [args[0], ...config(), ...args.slice(1)]);
    const path = (name: string) => join(folder, `${name}.ts`);
    const programs = { fitting: manifests, misspelt: [misspelt], wrong: [wrong] };
    for (const [name, rows] of Object.entries(programs)) {
      await Deno.writeTextFile(path(name), validation(rows));
    }
    // The compiler checks field names, in one run for all because it takes seconds.
    const [{ message }] = await Promise.all([
      assertRejects(() => deno("check", ...Object.keys(programs).map(path)), Error, "replica"),
      deno("run", "-A", "--no-check", path("fitting")),
      assertRejects(() => deno("run", "-A", "--no-check", path("wrong")), Error, "port"),
    ]);
    assertEquals(/\bfitting\.ts:\d/.test(message), false, message);
  });
});

Deno.test({
  ...need("kubectl"),
  name: "kustomize builds the manifests, and the set mounts the generated token",
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

Deno.test("containers and units pass valid options, and probes request existing paths", async () => {
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

Deno.test({
  ...need("systemd-analyze"),
  name: "systemd rates the exposure of the units below 4 of 10",
}, async () => {
  const folder = join(DEPLOY, "systemd"), units = [...Deno.readDirSync(folder)].map(({ name }) => name);
  assertEquals(units.length, 3);
  for (const unit of units) {
    const analysis = ["security", "--offline=true", "--no-pager", "--threshold=39", join(folder, unit)];
    const printed = await mustRun("systemd-analyze", analysis); // fails above the threshold, in tenths
    assertMatch(printed, /Overall exposure level for \S+: [0-3]\.\d/);
  }
});

Deno.test("desktops reach only the cluster's DNS, and Prometheus scrapes them with their token", async () => {
  const { spec } = await manifest("networkpolicy.yaml") as unknown as { spec: { egress: unknown[] } };
  assertEquals(spec.egress, [{
    to: [{
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
      podSelector: { matchLabels: { "k8s-app": "kube-dns" } },
    }],
    ports: [{ protocol: "UDP", port: 53 }, { protocol: "TCP", port: 53 }],
  }]);
  const [job] = parse(await Deno.readTextFile(join(DEPLOY, "prometheus.yml"))).scrape_configs;
  const set = JSON.stringify(await manifest("statefulset.yaml"));
  assertEquals(job.authorization, { credentials_file: "/secrets/token" });
  assertStringIncludes(set, '"/secrets/token"');
  assertEquals(/prometheus\.io/.test(set), false, "annotations send no token");
});

Deno.test({ ...need("promtool"), name: "Prometheus accepts its configuration" }, async () => {
  await mustRun("promtool", ["check", "config", "--syntax-only", join(DEPLOY, "prometheus.yml")]);
});

Deno.test({
  ...need("Xvfb"),
  name: "a container's desktop and its programs do not see deskhand's secrets",
}, async () => {
  await temporary(async (folder) => {
    const seen = (name: string) => join(folder, `${name}.env`);
    for (const name of ["openbox", "deskhand"]) {
      // Runs until the script ends it or it is read.
      const script = `#!/bin/sh\nenv >${seen(name)}.part; mv ${seen(name)}.part ${seen(name)}; sleep 60\n`;
      await Deno.writeTextFile(join(folder, name), script, { mode: 0o755 });
    }
    const secrets = { DESKHAND_TOKEN: "secret-one-of-enough-letters", DESKHAND_FILES_AUTH: "a:secret-two" };
    const started = new Deno.Command("setsid", {
      args: ["bash", join(DEPLOY, "start-desktop.sh")],
      env: { ...secrets, DISPLAY: `:${ownNumber()}`, PATH: `${folder}:${Deno.env.get("PATH")}` },
      stdin: "null",
      stderr: "null",
    }).spawn();
    try {
      const read = async (name: string) =>
        await until(() => Deno.readTextFile(seen(name)).catch(() => ""), (text) => text !== "");
      assertStringIncludes(await read("deskhand"), secrets.DESKHAND_TOKEN);
      const others = await read("openbox") + await environmentOf("Xvfb", started.pid);
      assertStringIncludes(others, "DISPLAY=");
      assertEquals(/secret-/.test(others), false, others);
    } finally {
      await mustRun("kill", ["-TERM", "--", `-${started.pid}`]); // the session's process group
      await started.status;
    }
  });
});

/** The environment of a program that a process started. */
async function environmentOf(program: string, parent: number): Promise<string> {
  const pid = await mustRun("pgrep", ["-P", String(parent), "-x", program]);
  return (await Deno.readTextFile(`/proc/${pid.trim()}/environ`)).replaceAll("\0", "\n");
}
