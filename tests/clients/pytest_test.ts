/** The plugin of pytest, from the wheel, in Debian's pytest. */

import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { need } from "../support/need.ts";
import { temporary } from "../support/shell.ts";
import { type Installed, installPython, python } from "./pages.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
const TESTS = fromFileUrl(new URL("./pytest", import.meta.url));
/** Debian's own interpreter, which has pytest. */
const DEBIANS = "/usr/bin/python3";
const NEEDED = need(DEBIANS, "pip3", "/usr/lib/python3/dist-packages/pytest/__init__.py");
const XVFB = need("Xvfb", "openbox", "dbus-daemon", "/usr/libexec/at-spi2-registryd", "zenity");

/** Runs pytest in a folder; deskhand is this source. */
async function pytest(client: Installed, folder: string, args: string[], env: Record<string, string> = {}) {
  const program = `${Deno.execPath()} run -q -A ${ROOT}main.ts`;
  const options = ["-p", "no:cacheprovider", "--rootdir", folder, "--desk-artifacts", `${folder}/kept`];
  return await python(
    client,
    ["-B", "-m", "pytest", ...options, "--desk-program", program, ...args],
    { DESKHAND_URL: "", ...env },
    DEBIANS,
  );
}

async function names(folder: string): Promise<string[]> {
  const found = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
  return found.map(({ name }) => name).sort();
}

Deno.test({ ...NEEDED, name: "tests of desktop programs run in pytest" }, async (t) => {
  await using client = await installPython();
  await temporary(async (folder) => {
    await Deno.copyFile(`${TESTS}/test_desk.py`, `${folder}/test_desk.py`);
    const file = `${folder}/test_desk.py`;
    await t.step("the first run writes baselines, and fails for them", async () => {
      const { code, printed } = await pytest(client, folder, [file]);
      assertEquals(code, 1, printed);
      assertMatch(printed, /there was no baseline .*notes\.png: it is written now/);
      assertMatch(printed, /3 failed, 1 passed/);
      assertEquals(await names(`${folder}/test_desk-baselines`), ["clock.png", "notes.png", "notes.yml"]);
    });
    await Deno.remove(`${folder}/kept`, { recursive: true });
    await t.step("the next run passes and keeps nothing", async () => {
      const { code, printed } = await pytest(client, folder, [file, "--junitxml", `${folder}/junit.xml`]);
      assertEquals(code, 0, printed);
      assertEquals(await names(`${folder}/kept`), []);
      assertMatch(await Deno.readTextFile(`${folder}/junit.xml`), /failures="0".* tests="4"/);
    });
    await t.step("a failed test keeps its trace and pictures", async () => {
      const { code, printed } = await pytest(client, folder, [file, "-k", "looks_like"], { CHANGED: "1" });
      assertEquals(code, 1, printed);
      assertMatch(printed, /\d+ pixels differ from notes\.png: \d+x\d+ at/);
      const [kept] = await names(`${folder}/kept`);
      assertEquals(await names(`${folder}/kept/${kept}`), [
        "desktop.png",
        "notes-actual.png",
        "notes-difference.png",
        "notes-expected.png",
        "trace.html",
      ]);
      assertMatch(await Deno.readTextFile(`${folder}/kept/${kept}/trace.html`), /^<!doctype html>/i);
    });
    await t.step("--desk-update writes baselines anew, --desk-trace on keeps every trace", async () => {
      const outline = `${folder}/test_desk-baselines/notes.yml`, before = await Deno.readTextFile(outline);
      await Deno.writeTextFile(outline, '- button "Other"\n');
      const args = [file, "-k", "outline"];
      const failed = await pytest(client, folder, args);
      assertMatch(failed.printed, /-- button "Other"/, failed.printed);
      const { code, printed } = await pytest(client, folder, [
        ...args,
        "--desk-update",
        "--desk-trace",
        "on",
      ]);
      assertEquals([code, await Deno.readTextFile(outline)], [0, before], printed);
    });
  });
});

Deno.test(
  { ignore: NEEDED.ignore || XVFB.ignore, name: "pytest has an X server of its own" },
  async () => {
    await using client = await installPython();
    await temporary(async (folder) => {
      await Deno.copyFile(`${TESTS}/test_xvfb.py`, `${folder}/test_xvfb.py`);
      const args = [`${folder}/test_xvfb.py`, "--desk-desktop", "xvfb", "--desk-size", "1024x768"];
      const { code, printed } = await pytest(client, folder, args);
      assertEquals(code, 0, printed);
    });
  },
);
