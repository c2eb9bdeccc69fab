/** deskhand's PyAutoGUI functions, from the wheel: each row of docs/pyautogui.md on a virtual desktop. */

import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { temporary } from "../support/shell.ts";
import { installPython, programsOf, python } from "./pages.ts";

const PAGE = fromFileUrl(new URL("../../docs/pyautogui.md", import.meta.url));
const TESTS = fromFileUrl(new URL("./python", import.meta.url));
const NEEDED = need("python3", "pip3");
/** Debian's own interpreter, which has Pillow. */
const DEBIANS = "/usr/bin/python3";
const PILLOW = need(DEBIANS, "/usr/lib/python3/dist-packages/PIL/__init__.py");

Deno.test({ ...NEEDED, name: "each row of docs/pyautogui.md holds on a virtual desktop" }, async (t) => {
  await using client = await installPython();
  const run = async (program: string) => {
    await using deskhand = new Program(["--desktop", "virtual", "--http", "0"]);
    const env = { DESKHAND_URL: await deskhand.controlUrl(), DESKHAND_PAGE: PAGE };
    const args = ["-m", "unittest", "discover", "-s", TESTS, "-p", "rows_*.py"];
    const { code, printed } = await python(client, args, env, program);
    assertEquals(code, 0, printed);
    assertMatch(printed, /^Ran 1[3-9]\d tests/m);
    assertEquals(/skipped/.test(printed), false, printed);
  };
  await t.step("with this machine's python3, with or without Pillow", () => run("python3"));
  await t.step({ ...PILLOW, name: "with Pillow", fn: () => run(DEBIANS) });
  await t.step("the page's program runs unchanged", async () => {
    await using deskhand = new Program(["--desktop", "virtual", "--http", "0"]);
    const env = { DESKHAND_URL: await deskhand.controlUrl() };
    const [program] = programsOf(await Deno.readTextFile(PAGE), "python");
    await temporary(async (folder) => {
      const script = `import os; os.chdir(${JSON.stringify(folder)})\n${program}`;
      const { printed } = await python(client, ["-c", script], env);
      assertEquals(printed, "Box(left=882, top=350, width=50, height=30)\n");
    });
  });
  await t.step("releases keys and buttons that a script leaves down", async () => {
    await using deskhand = new Program(["--desktop", "virtual", "--http", "0"]);
    const env = { DESKHAND_URL: await deskhand.controlUrl() };
    const script = "import deskhand.pyautogui as p; p.keyDown('shift'); p.mouseDown(); raise KeyError";
    await python(client, ["-c", script], env);
    const { actions } = await (await fetch(`${env.DESKHAND_URL}/api/history`)).json();
    const presses = actions.filter(({ down }: { down?: boolean }) => down !== undefined);
    assertEquals(presses.map(({ down }: { down: boolean }) => down), [true, true, false, false]);
  });
  await t.step("imports without a desktop, and the first call says what is missing", async () => {
    const env = { DESKHAND_URL: "http://127.0.0.1:1" };
    const script = "import deskhand.pyautogui as p; print(p.PAUSE); p.size()";
    const { printed } = await python(client, ["-c", script], env);
    assertMatch(printed, /^0\.1\n[^]*PyAutoGUIException: no deskhand answers at http:\/\/127\.0\.0\.1:1/);
  });
});
