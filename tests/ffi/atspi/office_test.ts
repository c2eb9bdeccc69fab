/** LibreOffice as a caller sees it: cells and paragraphs with their text, and keys in typing order. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { ElementsStage, STAGE, type StageElement } from "../../support/elements.ts";
import { need } from "../../support/need.ts";
import { removeBusy, until } from "../../support/shell.ts";
import { endProcess } from "../../support/user_session.ts";

/** LibreOffice is too large for every test run: it is tested if installed. */
const OFFICE = {
  ignore: STAGE.ignore || need(
    "soffice",
    "/usr/lib/libreoffice/program/libvclplug_gtk3lo.so",
    "/usr/lib/libreoffice/program/libsclo.so",
    "/usr/lib/libreoffice/program/libswlo.so",
  ).ignore,
};

/** Number of new Calc windows that receive text immediately; each takes ten seconds. */
const STARTS = 5;

/**
 * Starts LibreOffice and waits until its window is active.
 * @param profile Its profile folder; a new one by default.
 */
async function office(
  stage: ElementsStage,
  kind: "calc" | "writer",
  profile = newProfile(stage),
): Promise<void> {
  stage.start(
    "soffice", // which restarts the program after creating its profile
    ...[
      `-env:UserInstallation=file://${profile}`,
      "--norestore",
      "--nologo",
      "--nofirststartwizard",
      `--${kind}`,
    ],
  );
  const window = { title: `LibreOffice ${kind === "calc" ? "Calc" : "Writer"}`, active: true };
  const { error } = await stage.post("/api/wait", { window, timeout_ms: 300_000 });
  assertEquals(error, undefined);
}

function newProfile(stage: ElementsStage): string {
  const profile = Deno.makeTempDirSync({ prefix: "deskhand-office-" });
  stage.stack.defer(async () => {
    await killOffice(profile); // it outlives its launcher, and would write there again
    await removeBusy(profile);
  });
  return profile;
}

async function killOffice(profile: string): Promise<void> {
  const found = await new Deno.Command("pgrep", { args: ["-f", `soffice.bin.*${profile}`] }).output();
  const pids = new TextDecoder().decode(found.stdout).trim().split("\n").filter(Boolean);
  for (const pid of pids) endProcess(Number(pid));
}

/** Kills the LibreOffice of a profile, and waits until its windows are gone. */
async function endOffice(stage: ElementsStage, profile: string): Promise<void> {
  await killOffice(profile);
  await until(() => stage.get("/api/windows"), ({ windows }) => windows.length === 0);
}

/** The cells with text, and their values. */
async function cells(stage: ElementsStage): Promise<Record<string, string | undefined>> {
  const listed = await stage.list("title=Calc&role=cell&limit=2000");
  return Object.fromEntries(listed.map(({ name, value }) => [name, value]));
}

Deno.test(
  "Calc receives tabs and line feeds in order, and lists its cells by name",
  OFFICE,
  async () => {
    await using stage = await ElementsStage.start();
    await office(stage, "calc");
    const typed = (text: string) => stage.post("/api/type", { text });
    assertEquals((await typed("Item\tPrice\t\t\tSum\nRope\t31.5\t\t\t=B2*2\n")).error, undefined);
    const expected = { A1: "Item", B1: "Price", E1: "Sum", A2: "Rope", B2: "31.5", E2: "63" };
    assertEquals(await until(() => cells(stage), (found) => "E2" in found), expected);
    const [sum] = await until(
      () => stage.list("title=Calc&name=E2&exact=true") as Promise<(StageElement & { formula?: string })[]>,
      ({ length }) => length > 0, // a truncated list says so and lacks its end
    );
    assertEquals([sum.value, sum.formula, sum.states.includes("disabled")], ["63", "=B2*2", false]);
    const text = await until(
      async () => await (await fetch(`${stage.url}/api/elements?title=Calc&format=text&limit=2000`)).text(),
      (lines) => !lines.includes("does not answer"),
    );
    assert(text.includes('cells: A2 "Rope" B2 "31.5" E2 "63" ("=B2*2")'), text);
    for (const name of ["B2", "D7"]) {
      const clicked = await until(
        () => stage.post("/api/element/click", { element: `cell "${name}" in "Calc"` }),
        ({ error }) => !/moved while|does not answer/.test(error ?? ""),
      );
      assertEquals([clicked.error, clicked.via], [undefined, "click"]);
      // The window's first field has the current cell's name.
      await until(
        async () => (await stage.list("title=Calc&role=textbox"))[0]?.value,
        (value) => value === name,
      );
    }
  },
);

Deno.test(
  "sets a Calc cell by name without changing the cells around it",
  OFFICE,
  async () => {
    await using stage = await ElementsStage.start();
    await office(stage, "calc");
    assertEquals((await stage.post("/api/type", { text: "a\tb\n4\t5\n" })).error, undefined);
    await until(() => cells(stage), (found) => found.B2 === "5");
    const set = async (name: string, to: string | number) => {
      const answer = await until(
        () => stage.post("/api/element/set", { element: `cell "${name}" in "Calc"`, to }),
        ({ error }) => !/moved while|does not answer/.test(error ?? ""),
      );
      assertEquals([answer.error, answer.via], [undefined, "keys"], name);
      return answer.value;
    };
    assertEquals(await set("C7", "=SUM(A2:B2)"), "9");
    assertEquals(await set("D1", 1.5), "1.5");
    assertEquals(await set("D3", "Ada 漢字"), "Ada 漢字");
    assertEquals(await set("A1", ""), "");
    const expected = { B1: "b", A2: "4", B2: "5", C7: "9", D1: "1.5", D3: "Ada 漢字" };
    assertEquals(await until(() => cells(stage), (found) => !("A1" in found) && "D3" in found), expected);
    // Cells off the screen: the sheet scrolls to each.
    assertEquals(await set("AB300", "=C7+1"), "10");
    const present = async () => (await stage.list("title=Calc&role=textbox"))[0]?.value;
    for (const [path, name] of [["click", "D3"], ["focus", "AB300"], ["click", "A2"], ["scroll", "AB300"]]) {
      const done = await until(
        () => stage.post(`/api/element/${path}`, { element: `cell "${name}" in "Calc"` }),
        ({ error }) => !/moved while|does not answer/.test(error ?? ""),
      );
      assertEquals([done.error, done.name, done.states?.includes("hidden")], [undefined, name, false], path);
      await until(present, (value) => value === name);
    }
    await until(() => cells(stage), (found) => found.AB300 === "10");
    assertEquals(await set("A1", "back"), "back");
    assertEquals(await until(() => cells(stage), (found) => "A1" in found), { ...expected, A1: "back" });
    // A double click edits the cell: its old text is replaced nevertheless.
    await stage.post("/api/element/click", { element: 'cell "A1" in "Calc"', count: 2 });
    assertEquals(await set("A1", "again"), "again");
    // LibreOffice recreates its cells for each reading.
    const refs = async () => (await stage.list("title=Calc&role=cell")).map(({ ref }) => ref);
    const before = await refs();
    assertEquals(await refs(), before);
  },
);

Deno.test(
  "each new Calc window receives its first text whole and in order, even repeated tabs",
  OFFICE,
  async () => {
    await using stage = await ElementsStage.start();
    const profile = newProfile(stage);
    for (let i = 0; i < STARTS; i++) {
      // From the second on, the window has the id and title of the previous one.
      await office(stage, "calc", profile);
      assertEquals((await stage.post("/api/type", { text: "a\t\t\tb\nc\t\td\n" })).error, undefined);
      // A busy program's list is empty or truncated.
      const found = await until(() => cells(stage), (found) => Object.keys(found).length >= 4);
      assertEquals(found, { A1: "a", D1: "b", A2: "c", C2: "d" }, `start ${i + 1}`);
      await endOffice(stage, profile);
    }
  },
);

Deno.test(
  "each click on a Writer tool hits it, even the first after a dialog or a resize",
  OFFICE,
  async () => {
    await using stage = await ElementsStage.start();
    await office(stage, "writer");
    const dialog = { title: "Find and Replace" },
      tool = { element: 'togglebutton "Find and Replace" in "Writer"' };
    const opens = async (round: string) => {
      const { error } = await until(
        () => stage.post("/api/element/click", tool),
        ({ error }) => !/does not answer/.test(error ?? ""),
      );
      assertEquals(error, undefined, round);
      const opened = await stage.post("/api/wait", {
        window: { ...dialog, active: true },
        timeout_ms: 30_000,
      });
      assertEquals(opened.error, undefined, round);
      await stage.post("/api/key", { keys: "Escape" });
      await stage.post("/api/wait", { window: { ...dialog, gone: true }, timeout_ms: 30_000 });
    };
    await opens("first");
    await opens("behind a dialog");
    for (const change of ["restore", "maximize", "restore"]) {
      assertEquals((await stage.post(`/api/window/${change}`, { title: "Writer" })).error, undefined);
      await opens(change);
    }
  },
);

Deno.test("Writer shows its paragraphs' text, and sets its controls", OFFICE, async () => {
  await using stage = await ElementsStage.start();
  await office(stage, "writer");
  // AutoCorrect would capitalize the first letter of a sentence.
  const lines = ["Dear Ms Meyer,", "Thank you for 3 apples.", "Yours"];
  assertEquals((await stage.post("/api/type", { text: lines.join("\n") })).error, undefined);
  const paragraphs = () => stage.list("title=Writer&role=paragraph");
  await until(paragraphs, (found) => found.at(-1)?.value === "Yours");
  // A second menu bar without a height covers the tools.
  assertEquals((await stage.list("title=Writer&role=menubar")).length, 1);
  assertEquals((await stage.list("title=Writer&role=menu&name=File&exact=true")).length, 1);
  const found = await paragraphs();
  assertEquals(found.map(({ value }) => value), lines);
  assertEquals(found.filter(({ states }) => states.includes("disabled")), []);
  await setsControls(stage);
});

/** Sets controls of a toolbar and a dialog to values: their combo boxes have no position. */
async function setsControls(stage: ElementsStage): Promise<void> {
  /** LibreOffice does not answer for a moment after some changes. */
  const act = async (path: string, body: Record<string, unknown>) =>
    await until(
      () => stage.post(path, body),
      ({ error }) => !/does not answer|shows no elements|moved while|options in time/.test(error ?? ""),
    );
  const set = async (element: string, to: unknown) => {
    const { error } = await act("/api/element/set", { element, to });
    assertEquals(error, undefined, `${element} to ${to}`);
  };
  await set('combobox "Paragraph Style" in "Writer"', "Heading 1"); // shown late
  await set('combobox "Font Name" in "Writer"', "DejaVu Sans");
  await act("/api/element/click", { element: 'menu "Format" in "Writer"' });
  await act("/api/wait", { element: { role: "menuitem", name: "Character..." } });
  await act("/api/element/click", { element: 'menuitem "Character..." in "Writer"' });
  await act("/api/wait", { window: { title: "Character", active: true }, timeout_ms: 30_000 });
  await until(async () => (await stage.list("title=Character&role=tab")).length > 0);
  await set('combobox "Size:" in "Character"', "20 pt");
  await set('tab "Font Effects" in "Character"', true);
  for (
    const [element, to] of [
      ['combobox "Underlining:"', "Double"],
      ['combobox "Case:"', "UPPERCASE"],
      ['checkbox "Outline"', true],
      ['spinbutton "Transparency:"', 30],
    ]
  ) await set(`${element} in "Character"`, to);
  // The label beside these boxes is shown, and they are not.
  for (const to of ["lowercase", "Uppercase"]) {
    const { error, role } = await act("/api/element/set", { name: "Case", title: "Character", to });
    assertEquals([error, role], [undefined, "combobox"]);
  }
  const { error } = await act("/api/element/set", {
    element: 'combobox "Underlining:" in "Character"',
    to: "Zigzag",
  });
  assertMatch(error ?? "", /has no option "Zigzag"; it has .*"Single", "Double"/);
  await act("/api/element/click", { element: 'button "OK" in "Character"' });
  const fields = async () => (await stage.list("title=Writer&role=textbox")).map(({ value }) => value);
  await until(fields, (values) => values.includes("20 pt")); // Writer has taken what the dialog has set
  // Agents fill in the same boxes.
  const filled = await act("/api/steps", { steps: [{ fill: { 'combobox "Font Size"': "18 pt" } }] });
  assertEquals(filled.error, undefined);
  await until(fields, (values) => values.includes("18 pt"));
  await set('combobox "Font Size" in "Writer"', "20 pt");
  await until(fields, (values) => values.includes("DejaVu Sans") && values.includes("20 pt"));
}
