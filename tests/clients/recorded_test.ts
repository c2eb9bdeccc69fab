/** Recordings that are saved as tests. The tests of the runners run them. */

import { assertEquals } from "@std/assert";
import { temporary } from "../support/shell.ts";
import { saved } from "./recorded_form.ts";

const SPEC = `import { expect, test } from "@deskhand/client/test";

test.use({ deskHeal: true });

// Recorded DATE on a desktop of 1280x720.
test("form", async ({ desk }) => {
  const formWindow = desk.window({ title: "Form" });

  await formWindow.element('searchbox "Name"').click();
  await desk.type({ text: "ada" });
  await formWindow.element('checkbox "Send me news"').click({ timeout: 20000 });
  await desk.key({ keys: "tab" });
  await desk.scroll({ direction: "up", amount: 1, x: 700, y: 700 });

  await expect(formWindow).toBeVisible();
});
`;
const PYTHON = `import pytest
from deskhand import expect

pytestmark = pytest.mark.desk_heal


# Recorded DATE on a desktop of 1280x720.
def test_form(desk):
    form_window = desk.window("Form")

    form_window.element('searchbox "Name"').click()
    desk.type(text="ada")
    form_window.element('checkbox "Send me news"').click(timeout=20)
    desk.key(keys="tab")
    desk.scroll(direction="up", amount=1, x=700, y=700)

    expect(form_window).to_be_visible()
`;

Deno.test("a recording is saved as a test of elements, without pauses, by the end of the file's name", async () => {
  await temporary(async (folder) => {
    assertEquals(await saved(`${folder}/form.spec.ts`), SPEC);
    assertEquals(await saved(`${folder}/test_form.py`), PYTHON);
  });
});
