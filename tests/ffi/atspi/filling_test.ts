/** Setting elements to values: real programs of several toolkits print the results. */

import { delay } from "@std/async/delay";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { openWindow } from "../../support/browser.ts";
import {
  type ControlsProgram,
  ElementsStage,
  gtkControls,
  qtControls,
  STAGE,
  type StageElement,
} from "../../support/elements.ts";
import { need } from "../../support/need.ts";
import { temporary, until } from "../../support/shell.ts";
import { Client } from "../../support/xvfb.ts";

const file = (name: string) => fromFileUrl(new URL(`../../support/${name}`, import.meta.url));

/** An element, its new value, and what its program then prints. */
type Row = [element: string, to: string | number | boolean, says: string];

/** Rows of every program. */
const ROWS: readonly Row[] = [
  ['checkbox "Newsletter"', true, "Newsletter=true"],
  ['slider "Volume"', 65, "Volume=65"],
  ['spinbutton "Count"', "7", "Count=7"],
  ['textbox "Name"', "Ada Zoë", "Name=Ada Zoë"],
];

/** Rows of both Qt versions. */
const QT_ROWS: readonly Row[] = [
  ["combobox", "Norway", "Country=Norway"],
  ...ROWS,
  ['radio "Large"', true, "Size=Large"],
  ["tablist", "Advanced", "Tab=Advanced"],
  ["list", "Plum", "Row=Plum"],
  ["tree", "Nuts", "Tree=Nuts"],
];

/** A program with controls. */
interface Program extends ControlsProgram {
  rows: readonly Row[];
}

const PROGRAMS: readonly Program[] = [
  {
    ...gtkControls(3),
    rows: [
      ['combobox "Country"', "Norway", "Country=Norway"],
      ...ROWS,
      ['radio "Large"', true, "Size=Large"],
      ["tablist", "Advanced", "Tab=Advanced"],
      ["listbox", "Plum", "Row=2"],
      ["treegrid", "Nuts", "Tree=Nuts"],
    ],
  },
  {
    ...gtkControls(4),
    rows: [
      ...ROWS.filter(([element]) => element !== 'textbox "Name"'),
      ["textbox", "Ada Zoë", "Name=Ada Zoë"],
      ["tablist", "Advanced", "Tab=Advanced"],
      ["list", "Plum", "Row=2"],
    ],
  },
  {
    ...qtControls(5),
    rows: QT_ROWS,
  },
  {
    ...qtControls(6),
    rows: QT_ROWS,
  },
];

/** Checks all rows of a program, each twice: the second time the value is already set. */
async function check(
  stage: ElementsStage,
  rows: readonly Row[],
  says: (what: string) => Promise<unknown>,
): Promise<void> {
  for (const [element, to, what] of rows) {
    const body = { element: `${element} in "Controls"`, to };
    // On a busy machine a program may answer later than deskhand waits; the response says so.
    const set = () =>
      until(
        () => stage.post("/api/element/set", body),
        ({ error }) => !/does not answer|is not there/.test(error ?? ""),
      );
    const { status, error, via } = await set();
    assertEquals([status, error], [200, undefined], JSON.stringify(body));
    assert(["click", "action", "keys"].includes(via), via);
    await says(what);
    assertEquals((await set()).status, 200, `again ${JSON.stringify(body)}`);
  }
}

for (const controls of PROGRAMS) {
  const { name, needs, rows } = controls;
  Deno.test(`sets elements of ${name} to values that their program then has`, {
    ignore: STAGE.ignore || need(...needs).ignore,
  }, async () => {
    await using stage = await ElementsStage.start();
    const program = await stage.controls(controls);
    const lower = (text: string) => text.replaceAll("True", "true");
    await check(
      stage,
      rows,
      (what) =>
        program.printing((text) =>
          lower(text).split("\n").some((line) => line === what || line === `${what}.0`)
        ),
    );
    if (name === "GTK 3") await checkRefusals(stage);
    if (name.startsWith("Qt")) await checkRecreated(stage);
    if (name === "GTK 4") {
      await checkUnnamed(stage);
      await checkClosed(stage, program);
    }
  });
}

/**
 * A GTK 4.8 combo box, whose options have no names, is refused with how to choose, and its list is closed.
 */
async function checkUnnamed(stage: ElementsStage): Promise<void> {
  const body = { element: 'combobox "Country" in "Controls"', to: "Norway" };
  const { status, error } = await stage.post("/api/element/set", body);
  assertEquals(status, 409);
  assertMatch(error, /since its options have no names: click it, then click the text "Norway"$/);
  const isClosed = (elements: StageElement[]) => elements.every(({ states }) => !states.includes("pressed"));
  await until(() => stage.list("title=Controls&role=button"), isClosed);
}

/** The cells of a tree, which Qt recreates for each reading, keep their refs. */
async function checkRecreated(stage: ElementsStage): Promise<void> {
  const refs = async () => (await stage.list("title=Controls&role=cell")).map(({ ref }) => ref);
  const before = await refs();
  assert(before.length > 0);
  assertEquals(await refs(), before);
}

/** A button in a popover is clicked while that is open, and not where it was before. */
async function checkClosed(stage: ElementsStage, program: Client): Promise<void> {
  const click = (element: string) => stage.post("/api/element/click", { element });
  const inside = () => stage.list("title=Controls&role=button&name=Inside");
  // GTK 4.8 opens a popover that Escape closed only with the second click.
  const open = async () => {
    assertEquals((await click('button "More" in "Controls"')).error, undefined);
    for (let looks = 0; looks < 20; looks++) {
      const [found] = await inside();
      if (found) return found;
      await delay(100);
    }
  };
  const { ref } = (await until(open))!;
  assertEquals((await click(ref)).error, undefined);
  await program.printing((text) => text.includes("Inside=1"));
  await stage.post("/api/key", { keys: "escape" });
  await until(inside, ({ length }) => length === 0);
  const { status, error } = await click(ref);
  assertEquals([status, error], [409, `button "Inside" (${ref}) is not shown`]);
  await until(open);
}

/** Values that elements do not accept, and the errors. */
async function checkRefusals(stage: ElementsStage): Promise<void> {
  const refused: [element: string, to: unknown, message: RegExp][] = [
    [
      'combobox "Country"',
      "Atlantis",
      /^combobox "Country" \(e\d+\) has no option "Atlantis"; it has "France", "Germany", "Italy", "Norway", "Spain"$/,
    ],
    ['checkbox "Newsletter"', "maybe", /takes true or false, not "maybe"$/],
    ['slider "Volume"', "loud", /takes a number, not "loud"$/],
    ['slider "Volume"', 1000, /has the value 100, not 1000$/],
  ];
  for (const [element, to, message] of refused) {
    const { status, error } = await stage.post("/api/element/set", { element, to, title: "Controls" });
    assertEquals(status, 409);
    assertMatch(error, message);
  }
}

/** A page's date, its parts, editable part and radio buttons, and what they are set to. */
const PARTS = `<title>Parts</title><label>Day <input type=date id=day></label>
<div contenteditable id=rich aria-label=Rich>old</div>
<fieldset><legend>Size</legend><label><input type=radio name=size>Small</label>
<label><input type=radio name=size id=large>Large</label></fieldset>`;
const SET_PARTS: [name: string, to: unknown][] = [
  ["Month Day", 7],
  ["Day Day", "9"],
  ["Year Day", 2026],
  ["Rich", "one\ntwo"],
  ["Size", "Large"],
];

Deno.test("sets the parts of a page's date, an editable part and radio buttons by their panel", {
  ignore: STAGE.ignore || need("chromium").ignore,
  sanitizeOps: false,
  sanitizeResources: false,
}, async () => {
  await using stage = await ElementsStage.start();
  await stage.post("/api/elements", { enabled: true });
  const browser = await openWindow(stage, "--force-renderer-accessibility");
  try {
    const page = await browser.newPage({ viewport: null });
    await page.setContent(PARTS);
    await until(() => stage.list("title=Parts&role=radio"), ({ length }) => length === 2);
    const set = (name: string, to: unknown) =>
      until(
        () => stage.post("/api/element/set", { name, title: "Parts", to }),
        ({ error }) => !/does not answer/.test(error ?? ""),
      );
    const refused = await stage.post("/api/element/set", {
      ...{ role: "date editor", name: "Day", title: "Parts" },
      text: "2026-02-31",
    });
    assertMatch(
      refused.error,
      /takes a date or time such as 2026-05-04 or 14:30; set one of its fields: spinbutton "Month Day" \(e\d+\), /,
    );
    for (const [name, to] of SET_PARTS) assertEquals((await set(name, to)).error, undefined, name);
    const shown = await page.evaluate<unknown[]>(
      "[day.value, rich.innerText.trim().split(/\\n+/), large.checked]",
    );
    assertEquals(shown, ["2026-07-09", ["one", "two"], true]);
  } finally {
    await browser.close();
  }
});

Deno.test(
  "sets a page's controls to values, and clicks the right option of an open list",
  {
    ignore: STAGE.ignore || need("chromium").ignore,
    sanitizeOps: false,
    sanitizeResources: false,
  },
  async () => {
    await using stage = await ElementsStage.start();
    await stage.post("/api/elements", { enabled: true });
    const browser = await openWindow(stage, "--force-renderer-accessibility");
    try {
      const page = await browser.newPage({ viewport: null });
      await page.goto(`file://${file("controls.html")}`);
      await until(() => stage.list("title=Controls&role=combobox"), (found) => found.length > 0);
      const told = () => page.evaluate<string>(`document.getElementById("told").textContent`);
      const rows: Row[] = [
        ['combobox "Country"', "Norway", "Country=Norway"],
        ...ROWS,
        ['radio "Large"', true, "Size=Large"],
        ['listbox "Fruit"', "Plum", "Row=Plum"],
        ['date editor "Day"', "2026-05-04", "Day=2026-05-04"],
        ['date editor "Time"', "14:05", "Time=14:05"],
      ];
      await check(stage, rows, (what) => until(told, (text) => text.split("\n").includes(what)));
      const date = await stage.post("/api/element/click", { element: 'textbox "Date" in "Controls"' });
      assertEquals(date.status, 200, date.error); // a read-only field accepts clicks
      await until(told, (text) => text.includes("Date=clicked"));
      // Enter would submit a page's form, and Tab would type the rest of a text into the next field.
      const lines = await stage.post("/api/element/set", {
        element: 'textbox "Name" in "Controls"',
        text: "a\nb",
      });
      assertEquals(lines.status, 409);
      assertMatch(lines.error, /is a single-line field: Enter and Tab would be key presses$/);
      assertEquals((await stage.list("title=Controls&role=textbox&name=Name"))[0].value, "Ada Zoë");
      // Near the bottom of the screen the list opens above its field; Chromium reports its options too high.
      await stage.post("/api/window/place", { title: "Controls", x: 0, y: 500, width: 800, height: 220 });
      const isOpen = async () =>
        (await stage.list("title=Controls&role=combobox"))[0]?.states.includes("expanded");
      // The list opens under the pointer: on a busy machine Chromium takes the release for a choice and
      // closes it.
      const open = async () => {
        await stage.post("/api/element/click", { element: 'combobox "Country" in "Controls"' });
        for (let looks = 0; looks < 20; looks++) {
          if (await isOpen()) return true;
          await delay(100);
        }
        return false;
      };
      for (const wanted of ["Spain", "Italy"]) {
        const body = { element: `menuitem "${wanted}" in "Controls"` };
        const clicked = await until(async () => {
          await until(open, Boolean);
          return await stage.post("/api/element/click", body);
        }, ({ error }) => !/is not shown/.test(error ?? ""));
        assertEquals([clicked.status, clicked.error], [200, undefined]);
        await until(
          () => page.evaluate(`document.getElementById("Country").value`),
          (value) => value === wanted,
        );
        await until(() => stage.list("title=Controls&role=combobox"), ([box]) => box?.value === wanted);
      }
    } finally {
      await browser.close();
    }
  },
);

Deno.test(
  "sets controls of a page in Firefox, and the page receives its events",
  { ignore: STAGE.ignore || need("firefox-esr").ignore },
  async () => {
    await using stage = await ElementsStage.start();
    await stage.post("/api/elements", { enabled: true });
    let told = "";
    const page = (await Deno.readTextFile(file("controls.html"))).replace(
      "</script>",
      `new MutationObserver(() => fetch("/", { method: "POST", body: document.getElementById("told").textContent }))
        .observe(document.getElementById("told"), { childList: true });</script>`,
    );
    await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
      if (request.method === "POST") {
        const text = await request.text(); // all lines so far: requests may overtake each other
        if (text.length > told.length) told = text;
      }
      return new Response(page, { headers: { "content-type": "text/html" } });
    });
    await temporary(async (home) => {
      const address = `http://127.0.0.1:${server.addr.port}/`,
        env = { ...stage.env, HOME: home, XDG_RUNTIME_DIR: home };
      await using _firefox = new Client("firefox-esr", ["--no-remote", "--profile", home, address], env);
      await until(() => stage.list("title=Controls&role=combobox"), ({ length }) => length > 0);
      const rows: Row[] = [
        ['combobox "Country"', "Norway", "Country=Norway"],
        ...ROWS,
        ['radio "Large"', true, "Size=Large"],
        ['listbox "Fruit"', "Plum", "Row=Plum"],
        ['tab "Advanced"', true, "Tab=Advanced"],
        ['date editor "Day"', "2026-05-04", "Day=2026-05-04"],
        ['panel "Time"', "14:05", "Time=14:05"],
      ];
      await check(stage, rows, (what) => until(() => told, (text) => text.split("\n").includes(what)));
    });
  },
);

for (const program of [qtControls(5), qtControls(6)]) {
  Deno.test(`${program.name}: an option of a closed combo box is chosen, not clicked where the list was`, {
    ignore: STAGE.ignore || need(...program.needs).ignore,
  }, async () => {
    await using stage = await ElementsStage.start();
    const client = await stage.controls(program), option = 'listitem "Spain" in "Controls"';
    const spain = async (): Promise<StageElement | undefined> =>
      (await stage.list("title=Controls&role=listitem&name=Spain"))[0];
    const isOpen = async () => (await spain())?.states.includes("hidden") === false;
    await stage.post("/api/element/click", { element: 'combobox in "Controls"' });
    await until(isOpen);
    await stage.post("/api/key", { keys: "Escape" });
    await until(async () => !await isOpen());
    assertEquals((await spain())?.x, undefined);
    const clicked = await stage.post("/api/click", { element: option });
    assertEquals(clicked.status, 409);
    assertMatch(clicked.error, /^listitem "Spain" \(e\d+\) is not shown$/);
    const chosen = await stage.post("/api/element/click", { element: option });
    assertEquals(chosen.error, undefined);
    await client.printing((text) => /^Country=Spain$/m.test(text));
  });
}
