/** The table of desktops: its cells, resumed runs and its page. */

import { assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import {
  type Cell,
  isWanted,
  type Outcome,
  type Part,
  type Result,
  worst,
} from "../../tools/desktops/cell.ts";
import { RefusedError, SilentError, tried } from "../../tools/desktops/faults.ts";
import { desktopsPage } from "../../tools/desktops/page.ts";
import { cellsOf, DESKTOP_COLUMN, programsOf } from "../../tools/desktops/plan.ts";
import { effortOf } from "../../tools/desktops/rest.ts";
import { Results } from "../../tools/desktops/results.ts";
import { type Row, ROWS } from "../../tools/desktops/rows.ts";
import { difference, TEXTS } from "../../tools/desktops/texts.ts";
import { temporary, until } from "../support/shell.ts";

const CELL: Cell = { row: "xfce-bookworm-ibus", column: "xterm", thing: "texts" };

function part(outcome: Outcome, why?: string): Part {
  return { name: "any script", outcome, why };
}

function result(cell: Cell, ...parts: Part[]): Result {
  const date = "2026-11-22T20:00:00.000Z", version = "deskhand 0.1.0 (d58ffea)", desktop = "4.18";
  return { ...cell, outcome: worst(parts), parts, date, version, desktop };
}

Deno.test("a cell has the worst outcome of its parts", () => {
  const cases: [Outcome[], Outcome][] = [
    [[], "not run"],
    [["delivered", "delivered"], "delivered"],
    [["delivered", "not run"], "not run"],
    [["refused", "delivered", "not run"], "refused"],
    [["refused", "silent", "delivered"], "silent"],
  ];
  for (const [outcomes, expected] of cases) assertEquals(worst(outcomes.map((one) => part(one))), expected);
});

Deno.test("a trial's error decides its outcome", async () => {
  const ending = async (error?: Error) => await tried("a", () => error && Promise.reject(error));
  assertEquals(await ending(), { name: "a", outcome: "delivered" });
  assertEquals(await ending(new RefusedError("409: no")), { name: "a", outcome: "refused", why: "409: no" });
  assertEquals((await ending(new SilentError("x"))).outcome, "silent");
  assertEquals((await ending(new Error("no window"))).outcome, "not run");
});

Deno.test("selects cells by row, column and thing", () => {
  const cases: [string[], boolean][] = [
    [[], true],
    [["xfce-bookworm-ibus"], true],
    [["xfce-bookworm-ibus/xterm"], true],
    [["any/xterm/texts"], true],
    [["any/any/ascii"], false],
    [["xfce-bookworm"], false],
    [["mate-bookworm-ibus", "any/xterm"], true],
  ];
  for (const [wanted, expected] of cases) assertEquals(isWanted(CELL, wanted), expected, wanted.join(" "));
});

Deno.test("a resumed run tries cells that have no result or were not run", async () => {
  await temporary((folder) => {
    const things = ["texts", "ascii", "scripts", "shortcuts"];
    const cells = things.map((thing) => ({ ...CELL, thing }));
    const results = new Results(folder),
      names = (again = false, wanted: string[] = []) =>
        new Results(folder).missing(cells, wanted, again).map(({ thing }) => thing);
    assertEquals(names(), things);
    results.write(result(cells[0], part("delivered")));
    results.write(result(cells[1], part("not run", "its session ended")));
    results.write(result(cells[2], part("silent", "nothing arrived")));
    assertEquals(names(), ["ascii", "shortcuts"]);
    assertEquals(names(true), things);
    assertEquals(names(true, ["any/any/scripts"]), ["scripts"]);
    results.write(result(cells[2], part("delivered")));
    assertEquals(new Results(folder).read(cells[2])?.outcome, "delivered");
  });
});

Deno.test("row ids are unique, and each row has programs that can run there", () => {
  assertEquals(new Set(ROWS.map(({ id }) => id)).size, ROWS.length);
  for (const row of ROWS) {
    const names = programsOf(row).map(({ name }) => name);
    assertEquals(names.includes("chromium-x11"), row.kind === "x11", row.id);
    assertEquals(names.includes("chromium-wayland"), row.kind !== "x11", row.id);
    assertEquals(names.includes("libreoffice"), !row.isVariant, row.id);
    if (row.terminal) assertEquals(names.includes(row.terminal), true, row.id);
    const things = cellsOf(row).filter(({ column }) => column === DESKTOP_COLUMN).map(({ thing }) => thing);
    assertEquals(things.at(-1), row.isVariant ? undefined : "end", row.id); // ends the session
  }
});

Deno.test("reports a difference with its position", () => {
  assertEquals(difference("abc", "abc"), undefined);
  assertEquals(difference("abc", undefined), "nothing arrived");
  assertEquals(difference("aéc", "axc"), 'from character 2 of 3 on, "éc" arrived as "xc"');
  assertMatch(
    difference("abc", "ab")!,
    /from character 3 of 3 on, "c" arrived as "" \(2 characters in all\)/,
  );
  assertMatch(difference("ab", "abab")!, /from character 3 of 2 on, "" arrived as "ab"/);
});

Deno.test("the texts have the stated characters, and none that Unicode has not assigned", () => {
  const [[, ascii]] = TEXTS.ascii, [[, scripts]] = TEXTS.scripts;
  assertEquals(new Set(ascii).size, 95);
  assertEquals(new Set(scripts).size, 200);
  assertNotMatch(scripts, /[\p{Cn}\p{Cc}\p{Mn}]/u);
});

Deno.test("the effort of a working program grows, that of a waiting one does not", async () => {
  const start = (script: string) => new Deno.Command("sh", { args: ["-c", script], stdin: "piped" }).spawn();
  const working = start("while :; do :; done"), waiting = start("read line");
  try {
    const before = effortOf([working.pid]);
    await until(() => effortOf([working.pid]) > before + 50);
    const rested = effortOf([waiting.pid]);
    await until(() => effortOf([working.pid]) > before + 150);
    assertEquals(effortOf([waiting.pid]), rested);
    assertEquals(effortOf([]), 0);
  } finally {
    for (const child of [working, waiting]) {
      child.kill();
      await child.stdin.close();
      await child.status;
    }
  }
});

/** The page's only row. */
const ROW: Row = ROWS.find(({ id }) => id === CELL.row)!;

/** The page for one row whose cells are all delivered except the given ones. */
function page(...others: Result[]): string {
  const same = (a: Cell, b: Cell) => a.column === b.column && a.thing === b.thing;
  return desktopsPage(
    (cell) => others.find((other) => same(other, cell)) ?? result(cell, part("delivered")),
    [ROW],
  );
}

Deno.test("the page counts the cells, and names each row's versions", () => {
  const text = page();
  assertMatch(text, new RegExp(`\\| delivered \\| ${cellsOf(ROW).length} \\|`));
  assertMatch(text, /\| silent \| 0 \|/);
  assertMatch(text, /\| XFCE 4\.18 \(Debian 12\), IBus \| delivered \|/);
  assertMatch(text, /tested on 2026-11-22, with deskhand 0\.1\.0 at the commits listed in the rows\./);
  assertMatch(text, /## Silent\n\nNo cell is silent\./);
});

Deno.test("each row names the tried commits, or none if nothing was tried", () => {
  const later = { ...result(CELL, part("delivered")), version: "deskhand 0.1.0 (0a1b2c3)" };
  assertMatch(page(later), /^\| XFCE 4\.18 .* \| 0a1b2c3, d58ffea \|$/m);
  const only = desktopsPage((cell) => cell.column === CELL.column ? later : undefined, [ROW]);
  assertMatch(only, /^\| XFCE 4\.18 .* \| 0a1b2c3 \|$/m);
  assertMatch(only, /^\| XFCE 4\.18 .* \| – \|$/m);
});

Deno.test("the page reports what was not delivered, and why", () => {
  const text = page(
    result(CELL, part("delivered"), part("silent", "nothing `arrived`")),
    result({ ...CELL, thing: "ascii" }, part("refused", "409: no")),
    result({ ...CELL, column: DESKTOP_COLUMN, thing: "find" }, part("not run", "no picture")),
  );
  assertMatch(text, /IBus \| texts: \*\*silent\*\*, ascii: refused \|/);
  assertMatch(
    text,
    /## Silent\n\n[^\n]+\n\n```text\nany script: nothing `arrived`\n {2}xfce-bookworm-ibus\/xterm \(texts\)\n```/,
  );
  assertMatch(text, /## Refused\n\n[^\n]+\n\n```text\n409: no\n/);
  assertMatch(text, /## Not run\n\n[^\n]+\n\n```text\nno picture\n {2}xfce-bookworm-ibus\/desktop \(find\)/);
});

Deno.test("untried cells are counted, and differ from those that were not run", () => {
  const text = desktopsPage((cell) => cell.thing === "texts" ? result(cell, part("delivered")) : undefined, [
    ROW,
  ]);
  assertMatch(
    text,
    new RegExp(
      `^${cellsOf(ROW).filter(({ thing }) => thing !== "texts").length} cells have not been tested yet`,
      "m",
    ),
  );
  assertMatch(text, /IBus \| ascii: –, scripts: –, shortcuts: – \|/);
});

Deno.test("a page without results says so", () => {
  assertMatch(desktopsPage(() => undefined), /No cell has been tested yet\./);
});
