/** The pytest plugin, from the wheel, in Debian's pytest. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";
import { type Installed, installPython, python } from "./pages.ts";
import { CHECKS, saved } from "./recorded_form.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
const TESTS = fromFileUrl(new URL("./pytest", import.meta.url));
/** Debian's own interpreter, which has pytest. */
const DEBIANS = "/usr/bin/python3";
const NEEDED = need(DEBIANS, "pip3", "/usr/lib/python3/dist-packages/pytest/__init__.py");
const XVFB = need("Xvfb", "openbox", "dbus-daemon", "/usr/libexec/at-spi2-registryd", "zenity");

/** Runs pytest in a folder, with deskhand from source. */
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
  await temporary((folder) => steps(t, client, folder));
});

async function steps(t: Deno.TestContext, client: Installed, folder: string): Promise<void> {
  const file = `${folder}/test_desk.py`;
  await Deno.copyFile(`${TESTS}/test_desk.py`, file);
  const baselines = `${folder}/test_desk-baselines`, outline = `${baselines}/notes.yml`;
  await t.step("the first run writes missing baselines and fails; --desk-update renews them", async () => {
    await using program = new Program(["--http", "0", "--desktop", "virtual"]);
    const there = [file, "--desk-url", await program.controlUrl()];
    const first = await pytest(client, folder, there);
    assertEquals(first.code, 1, first.printed);
    assertMatch(first.printed, /no baseline .*notes\.png existed; it has been written now/);
    assertMatch(first.printed, /3 failed, 2 passed/);
    assertEquals(await names(baselines), ["clock.png", "notes.png", "notes.yml"]);
    const before = await Deno.readTextFile(outline);
    await Deno.writeTextFile(outline, '- button "Other"\n');
    const update = ["-k", "outline", "--desk-update", "--desk-trace", "on"];
    const { code, printed } = await pytest(client, folder, [...there, ...update]);
    assertEquals([code, await Deno.readTextFile(outline)], [0, before], printed);
    const several = await pytest(client, folder, there, { PYTEST_XDIST_WORKER_COUNT: "2" });
    assertMatch(
      several.printed,
      /several workers would share the desktop of http:\S+: use -n 0, or leave out/,
    );
  });
  await t.step("the next run passes and keeps no traces, its own or earlier ones", async () => {
    const { code, printed } = await pytest(client, folder, [file, "--junitxml", `${folder}/junit.xml`]);
    assertEquals(code, 0, printed);
    assertEquals(await names(`${folder}/kept`), []);
    assertMatch(await Deno.readTextFile(`${folder}/junit.xml`), /failures="0".* tests="5"/);
  });
  await t.step("a failed test keeps its trace and pictures; a recording's test passes", async () => {
    const form = `${folder}/test_form.py`, args = [form, file, "-k", "form or looks_like or outline"];
    await Deno.writeTextFile(form, await saved(form) + CHECKS.py);
    await Deno.writeTextFile(outline, '- button "Other"\n');
    const { code, printed } = await pytest(client, folder, args, { CHANGED: "1" });
    assertEquals(code, 1, printed);
    assertMatch(printed, /2 failed, 1 passed/);
    assertMatch(
      printed,
      /test_form\.py:\d+: DeskHealed: searchbox "Name" is not there: textbox "Name" \(e\d+\) has the/,
    );
    assertMatch(printed, /-- button "Other"/);
    assertMatch(printed, /\d+ pixels differ from notes\.png: \d+x\d+ at/);
    const kept = `${folder}/kept/${
      (await names(`${folder}/kept`)).find((name) => name.includes("looks_like"))
    }`;
    assertEquals(await names(kept), [
      "desktop.png",
      "notes-actual.png",
      "notes-difference.png",
      "notes-expected.png",
      "trace.html",
    ]);
    assertMatch(await Deno.readTextFile(`${kept}/trace.html`), /^<!doctype html>/i);
  });
  await t.step({
    ...XVFB,
    name: "pytest starts its own X server",
    async fn() {
      await Deno.copyFile(`${TESTS}/test_xvfb.py`, `${folder}/test_xvfb.py`);
      const args = [`${folder}/test_xvfb.py`, "--desk-desktop", "xvfb", "--desk-size", "1024x768"];
      const { code, printed } = await pytest(client, folder, args);
      assertEquals(code, 0, printed);
    },
  });
  await t.step({
    ...XVFB,
    name: "a killed run leaves nothing, and Ctrl-C the trace of its test",
    async fn() {
      const cut = `${folder}/test_cut.py`, env = { TMPDIR: `${folder}/temporary` };
      await Deno.mkdir(env.TMPDIR);
      await Deno.writeTextFile(cut, CUT_SHORT);
      for (const name of ["interrupted", "killed"]) {
        const { printed } = await pytest(client, folder, [cut, "-k", name, "--desk-desktop", "xvfb"], env);
        await until(
          () => names(env.TMPDIR),
          (all) => !all.some((one) => one.startsWith("deskhand-")),
          String,
        );
        assert(!/ConnectionFailed/.test(printed), printed);
      }
      const kept = await names(`${folder}/kept/test_cut.py-test_interrupted`);
      assertEquals(kept, ["desktop.png", "trace.html"]);
    },
  });
}

/** Tests that are cut short by Ctrl-C, which reaches all programs of their group, and by a kill. */
const CUT_SHORT = `
import os, signal, time
os.setpgrp()

def test_interrupted(desk):
    os.killpg(0, signal.SIGINT)
    time.sleep(60)

def test_killed(desk):
    os.kill(os.getpid(), signal.SIGKILL)
`;
