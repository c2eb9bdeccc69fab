/** Recordings that are saved as tests. The tests of the runners run them. */

import { assertEquals } from "@std/assert";
import { temporary } from "../support/shell.ts";
import { saved } from "./recorded_form.ts";

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

Deno.test("a recording is saved as a test of elements, without pauses, by the end of the file's name", async () => {
  await temporary(async (folder) => {
    assertEquals(await saved(`${folder}/form.spec.ts`), SPEC);
    assertEquals(await saved(`${folder}/test_form.py`), PYTHON);
  });
});
