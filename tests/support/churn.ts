/** Presses elements that constantly change their positions. */

import { fromFileUrl } from "@std/path";
import { ElementsStage } from "./elements.ts";
import { Lines, until } from "./shell.ts";

/** Maximum time for a press to take effect, in milliseconds. */
const EFFECT_MS = 2000;
const PROGRAM = fromFileUrl(new URL("./churn.py", import.meta.url));

/** The outcomes of presses. */
interface Presses {
  /** Numbers of presses by the method named in the response. */
  via: Record<string, number>;
  /** Numbers of refusals by message, without the names in it. */
  refused: Record<string, number>;
  /** Presses after which the program reported another button, or several buttons. */
  wrong: string[];
  /** Number of successful responses without an effect. */
  missed: number;
  ms: number;
}

/**
 * Presses buttons in a program that reorders them, each by its ref, and compares the program's reports.
 * @param count Number of presses.
 * @param intervalMs Interval between reorderings, in milliseconds.
 */
export async function pressMoving(count: number, intervalMs: number): Promise<Presses> {
  await using stage = await ElementsStage.start();
  const child = stage.start("/usr/bin/python3", PROGRAM, String(intervalMs));
  const told = new Lines(child.stdout);
  const listed = await until(
    () => stage.list("title=Churn&role=button"),
    (rows) => rows.filter(({ name }) => name.startsWith("Row")).length === 12,
  );
  const rows = listed.filter(({ name }) => name.startsWith("Row"));
  const presses: Presses = { via: {}, refused: {}, wrong: [], missed: 0, ms: 0 };
  const start = performance.now();
  for (let i = 0; i < count; i++) {
    const row = rows[i * 7 % rows.length];
    told.lines.length = 0;
    const { via, error } = await stage.post("/api/element/click", { element: row.ref });
    if (via && !await told.some(EFFECT_MS)) presses.missed++;
    if (told.lines.some((name) => name !== row.name) || told.lines.length > 1) {
      presses.wrong.push(`${row.name}: ${told.lines.join(", ")} (${via ?? error})`);
    }
    const kind = via ? presses.via : presses.refused, name = via ?? error.replace(/"Row \d+" \(e\d+\)/, "");
    kind[name] = (kind[name] ?? 0) + 1;
  }
  presses.ms = performance.now() - start;
  child.kill("SIGKILL");
  await told.ended;
  return presses;
}
