/** Recordings saved as tests. The runners' tests run them. */

import { assertEquals, assertMatch } from "@std/assert";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
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

Deno.test("saves a recording as a test on elements, without pauses, by the file name's ending", async () => {
  await temporary(async (folder) => {
    assertEquals(await saved(`${folder}/form.spec.ts`), SPEC);
    assertEquals(await saved(`${folder}/test_form.py`), PYTHON);
  });
});

Deno.test({
  name: "a recording's shell script replaces a missing element, and says so",
  ...need("curl"),
}, async () => {
  await using program = new Program(["--http", "0", "--desktop", "virtual"]);
  const url = await program.controlUrl();
  await temporary(async (folder) => {
    await saved(`${folder}/form.sh`);
    const { code, stderr } = await new Deno.Command("sh", {
      args: [`${folder}/form.sh`],
      env: { DESKHAND_URL: url },
    }).output();
    const told = new TextDecoder().decode(stderr);
    assertEquals(code, 0, told);
    assertMatch(
      told,
      /^healed: searchbox "Name" is not there: textbox "Name" \(e\d+\) has the same name, .*\n$/,
    );
  });
  const { elements } = await (await fetch(`${url}/api/elements?title=Form`)).json();
  const of = (role: string) => elements.find((element: { role: string }) => element.role === role);
  assertEquals(of("textbox").value, "ada");
  assertEquals(of("checkbox").states.includes("checked"), true);
});
