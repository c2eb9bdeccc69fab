/** Recordings that are saved as tests run with the runners, also after the windows have moved. */

import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { newRecording, parseRecording } from "../../control/recording/format.ts";
import { saveRecording } from "../../control/recording/store.ts";
import { StoredRecording } from "../../control/recording/stored.ts";
import { need, needTime } from "../support/need.ts";
import { temporary } from "../support/shell.ts";
import { installPython, python } from "./pages.ts";
import { playwrightProject } from "./playwright_project.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
const DEBIANS = "/usr/bin/python3";

/** A click on an element of the form, at a place where the element is no longer. */
const click = (t: number, role: string, name: string) =>
  [true, false].map((down) => ({
    t: t + (down ? 0 : 60),
    type: "button",
    button: "left",
    down,
    x: 5,
    y: 5,
    ...(down ? { element: { role, name, title: "Form", x: 0, y: 0, width: 20, height: 20 } } : {}),
  }));
const key = (t: number, name: string) =>
  [true, false].map((down) => ({ t: t + (down ? 0 : 20), type: "key", key: name, down }));

/** Fills the form and checks its box, with a pause of the person. */
const EVENTS = [
  ...click(0, "textbox", "Name"),
  ...[..."ada"].flatMap((letter, i) => key(2500 + 60 * i, letter)),
  ...click(9000, "checkbox", "Send me news"),
  ...key(9500, "tab"),
  { t: 9800, type: "scroll", direction: "up", amount: 1, x: 700, y: 700 },
];

const SPEC = `import { expect, test } from "@deskhand/client/test";

// Recorded DATE on a desktop of 1280x720.
test("recorded", async ({ desk }) => {
  const formWindow = { title: "Form" };

  await expect(desk.window(formWindow)).toBeVisible();
  await expect(desk.element({ role: "textbox", name: "Name", exact: true, ...formWindow })).toBeVisible();
  await desk.element({ role: "textbox", name: "Name", exact: true, ...formWindow }).click();
  await desk.type({ text: "ada" });
  await expect(desk.element({ role: "checkbox", name: "Send me news", exact: true, ...formWindow })).toBeVisible();
  await desk.element({ role: "checkbox", name: "Send me news", exact: true, ...formWindow }).click();
  await desk.key({ keys: "tab" });
  await desk.scroll({ direction: "up", amount: 1, x: 700, y: 700 });
});
`;
const PYTHON = `from deskhand import expect


# Recorded DATE on a desktop of 1280x720.
def test_recorded(desk):
    form_window = {"title": "Form"}

    expect(desk.window(**form_window)).to_be_visible()
    expect(desk.element(role="textbox", name="Name", exact=True, **form_window)).to_be_visible()
    desk.element(role="textbox", name="Name", exact=True, **form_window).click()
    desk.type(text="ada")
    expect(desk.element(role="checkbox", name="Send me news", exact=True, **form_window)).to_be_visible()
    desk.element(role="checkbox", name="Send me news", exact=True, **form_window).click()
    desk.key(keys="tab")
    desk.scroll(direction="up", amount=1, x=700, y=700)
`;

function recorded(): StoredRecording {
  const head = newRecording({ x: 0, y: 0, width: 1280, height: 720 }, new Date(0));
  return StoredRecording.of(parseRecording({ ...head, events: EVENTS }));
}

async function saved(path: string): Promise<string> {
  await saveRecording(path, recorded());
  return (await Deno.readTextFile(path)).replace(/Recorded \S+ /, "Recorded DATE ");
}

Deno.test("a recording is saved as a test of elements, without pauses, by the end of the file's name", async () => {
  await temporary(async (folder) => {
    assertEquals(await saved(`${folder}/form.spec.ts`), SPEC);
    assertEquals(await saved(`${folder}/test_form.py`), PYTHON);
  });
});

/** Assertions about the result of the saved tests, in the syntax of each runner. */
const CHECKS = {
  py: `    expect(desk.element(role="textbox", name="Name", **form_window)).to_have_value("ada")
    expect(desk.element(role="checkbox", **form_window)).to_be_checked()
`,
  ts: `  await expect(desk.element({ role: "textbox", name: "Name", ...formWindow })).toHaveValue("ada");
  await expect(desk.element({ role: "checkbox", ...formWindow })).toBeChecked();
});
`,
};

Deno.test(
  {
    ...need(DEBIANS, "pip3", "/usr/lib/python3/dist-packages/pytest/__init__.py"),
    name: "a recording that is saved as .py runs in pytest",
  },
  async () => {
    await using client = await installPython();
    await temporary(async (folder) => {
      const file = `${folder}/test_form.py`;
      await Deno.writeTextFile(file, await saved(file) + CHECKS.py);
      const program = `${Deno.execPath()} run -q -A ${ROOT}main.ts`;
      const options = ["-p", "no:cacheprovider", "--rootdir", folder, "--desk-artifacts", `${folder}/kept`];
      const args = ["-B", "-m", "pytest", ...options, "--desk-program", program, file];
      const { code, printed } = await python(client, args, { DESKHAND_URL: "" }, DEBIANS);
      assertEquals(code, 0, printed);
    });
  },
);

Deno.test(
  {
    ignore: need("node", "npm").ignore || needTime("starts Node and a runner").ignore,
    name: "a recording that is saved as .spec.ts runs in Playwright Test",
  },
  async () => {
    await using project = await playwrightProject();
    const file = `${project.folder}/form.spec.ts`;
    await Deno.writeTextFile(file, (await saved(file)).replace(/\}\);\n$/, CHECKS.ts));
    const { code, printed } = await project.run(["form.spec.ts", "--reporter", "line"]);
    assertEquals(code, 0, printed);
  },
);
