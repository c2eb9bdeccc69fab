/** The example project, as its workflow runs it: `deskhand run` with Playwright Test and pytest. */

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { parse } from "yaml";
import { need, needTime } from "../support/need.ts";
import { mustRun, temporary } from "../support/shell.ts";
import { installPython } from "./pages.ts";
import { playwrightProject } from "./playwright_project.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
const EXAMPLE = `${ROOT}examples/gui-tests`;
const PROGRAMS = need(
  ...["node", "npm", "pip3", "Xvfb", "openbox", "dbus-daemon", "/usr/libexec/at-spi2-registryd"],
  ...["pytest/__init__.py", "PyQt5/QtWidgets.abi3.so"].map((file) =>
    `/usr/lib/python3/dist-packages/${file}`
  ),
  "/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-3.0.typelib",
);

/** Stand-ins for programs that CI machines have installed. */
const SHIMS = {
  deskhand: `${Deno.execPath()} run -q -A ${ROOT}main.ts`,
  npx: `sh -c 'shift; exec node node_modules/@playwright/test/cli.js "$@"' --`,
};

Deno.test({
  ignore: PROGRAMS.ignore || needTime("starts two runners and their programs").ignore,
  name: "the example's workflow passes: TypeScript and Python tests of a GTK and a Qt program",
}, async () => {
  const workflow = parse(await Deno.readTextFile(`${EXAMPLE}/.github/workflows/gui-tests.yml`));
  const steps: string[] = workflow.jobs["gui-tests"].steps.map(({ run = "" }) => run);
  const tests = steps.filter((step) => step.startsWith("deskhand run "));
  assertEquals(tests.length, 2);
  await using packages = await playwrightProject();
  await using client = await installPython();
  await temporary(async (folder) => {
    const project = `${folder}/project`, bin = `${folder}/bin`;
    await mustRun("cp", ["-r", EXAMPLE, project]);
    await Deno.symlink(`${packages.folder}/node_modules`, `${project}/node_modules`);
    await Deno.mkdir(bin);
    for (const [program, command] of Object.entries(SHIMS)) {
      await Deno.writeTextFile(`${bin}/${program}`, `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
    }
    const env = {
      PATH: `${bin}:${Deno.env.get("PATH")}`,
      CI: "true",
      DESKHAND_URL: "",
      PYTHONPATH: client.folder,
      PYTHONDONTWRITEBYTECODE: "1",
    };
    for (const step of tests) {
      const { success, stdout, stderr } = await new Deno.Command("sh", {
        args: ["-c", step],
        cwd: project,
        env,
      })
        .output();
      const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
      assert(success, out + err);
      assert(/\b3 passed\b/.test(out), out);
    }
  });
});
