/**
 * The first process of a sandbox: starts a row's session and a deskhand in it, runs cells, and stores their
 * results. Its argument is a {@linkcode Task} as JSON; the end of the process ends all its programs.
 */

import { type Cell, cellName, type Part, worst } from "./cell.ts";
import { type Bench, type Field, openField } from "./field.ts";
import { tried } from "./faults.ts";
import { Hand } from "./hand.ts";
import { DESKTOP_COLUMN, programsOf } from "./plan.ts";
import type { Program } from "./programs.ts";
import { Results } from "./results.ts";
import { type Row, ROWS } from "./rows.ts";
import { DENO_DIR_INSIDE, DENO_INSIDE, furnish, type Ground, SOURCE_INSIDE } from "./sandbox.ts";
import { Session } from "./session.ts";
import { writeSettings } from "./settings.ts";
import { KINDS } from "./sessions/kinds.ts";
import { DESKTOP_TABLE } from "./things/desktop.ts";
import { doWithField } from "./things/fields.ts";
import type { DesktopThing, FieldThing } from "./things/names.ts";
import { mustCome } from "./waiting.ts";
import { WitnessPage } from "./witness_page.ts";

/** Maximum time for a cell, in milliseconds: that of starting a few programs on a busy machine. */
const CELL_BOUND_MS = 180_000;

/** The work of a sandbox. */
export interface Task {
  row: string;
  cells: Cell[];
  ground: Ground;
  /** The results folder. */
  results: string;
  /** The tested deskhand, as named in results. */
  version: string;
  /** The desktop's version. */
  desktop: string;
}

/** The run of one task. */
class Run {
  readonly #results: Results;
  readonly #row: Row;
  #bench!: Bench;
  #open: { name: string; field: Field } | undefined;
  /** Programs that did not start, which are not retried. */
  readonly #failed = new Map<string, Part>();

  constructor(readonly task: Task) {
    this.#results = new Results(task.results);
    this.#row = ROWS.find(({ id }) => id === task.row)!;
  }

  async all(): Promise<void> {
    try {
      await this.#start(await furnish(this.task.ground));
    } catch (error) {
      const part: Part = { name: "start", outcome: "not run", why: (error as Error).message };
      for (const cell of this.task.cells) this.#keep(cell, [part]);
      return;
    }
    for (const cell of this.task.cells) {
      const timer = setTimeout(() => this.#giveUp(cell), CELL_BOUND_MS);
      this.#keep(cell, await this.#parts(cell));
      clearTimeout(timer);
      const { hand, session } = this.#bench;
      if (!await hand.isThere()) this.#bench.hand = await startHand(session);
    }
  }

  /** Ends the session at a cell that takes too long; the next run continues after it. */
  #giveUp(cell: Cell): never {
    this.#keep(cell, [{
      name: "cell",
      outcome: "not run",
      why: `it took more than ${CELL_BOUND_MS / 1000} s`,
    }]);
    Deno.exit(1);
  }

  async #start(root: string): Promise<void> {
    const session = new Session(root), kind = KINDS[this.#row.kind];
    Object.assign(session.env, { DENO_DIR: DENO_DIR_INSIDE });
    writeSettings(session);
    await kind.start(session, this.#row);
    await session.run("dbus-update-activation-environment --all");
    let other: Promise<Hand> | undefined;
    const another = () => other ??= startHand(session);
    this.#bench = { session, kind, hand: await startHand(session), page: new WitnessPage(), another };
    await this.#bench.hand.settled();
  }

  async #parts(cell: Cell): Promise<Part[]> {
    const parts = cell.column === DESKTOP_COLUMN
      ? await this.#onDesktop(cell.thing as DesktopThing)
      : await this.#inProgram(cell);
    return parts instanceof Array ? parts : [parts];
  }

  async #inProgram({ column, thing }: Cell): Promise<Part[] | Part> {
    const program = programsOf(this.#row).find(({ name }) => name === column)!;
    return await this.#withField(
      program,
      (field) => doWithField(thing as FieldThing, this.#bench.hand, field),
    );
  }

  async #onDesktop(thing: DesktopThing): Promise<Part[] | Part> {
    const { needsPage, act } = DESKTOP_TABLE[thing];
    if (!needsPage) {
      await this.#close();
      return await act(this.#bench, this.#row);
    }
    const chromium = programsOf(this.#row).find(({ name }) => name.startsWith("chromium"))!;
    return await this.#withField(chromium, () => act(this.#bench, this.#row));
  }

  /** Runs a cell with a program, which stays open for the next cell if everything was right. */
  async #withField(program: Program, act: (field: Field) => Promise<Part[]>): Promise<Part[] | Part> {
    const failed = this.#failed.get(program.name);
    if (failed) return failed;
    let parts: Part[] = [];
    const opened = await tried("start", async () => {
      if (this.#open?.name !== program.name) {
        await this.#close();
        this.#open = { name: program.name, field: await openField(this.#bench, program) };
      }
      parts = await act(this.#open.field);
    });
    if (opened.outcome !== "delivered") parts = [opened];
    if (!this.#open) this.#failed.set(program.name, opened);
    if (worst(parts) !== "delivered" || this.#open?.field.hasEnded()) await this.#close();
    return parts;
  }

  async #close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.field.close();
  }

  #keep(cell: Cell, parts: Part[]): void {
    const outcome = worst(parts), { version, desktop } = this.task;
    this.#results.write({ ...cell, outcome, parts, date: new Date().toISOString(), version, desktop });
    const faults = parts.filter((part) => part.outcome !== "delivered");
    const reasons = faults.map(({ name, outcome, why }) => `\n    ${name}: ${outcome}: ${why}`);
    console.log(`${cellName(cell)}: ${outcome}${reasons.join("")}`);
  }
}

async function startHand(session: Session): Promise<Hand> {
  const name = `deskhand-${++hands}`, main = `${SOURCE_INSIDE}/main.ts`;
  session.launch(name, `${DENO_INSIDE} run -A --cached-only ${main} --http 0`);
  const port = () => /^HTTP server started on port (\d+)$/m.exec(session.read(`${name}.log`) ?? "")?.[1];
  const lastWords = () => session.log(name);
  const found = await mustCome("deskhand did not start", port, Boolean, 60)
    .catch((error) => Promise.reject(new Error(`${error.message}: ${lastWords()}`)));
  return new Hand(`http://127.0.0.1:${found}`, lastWords);
}

let hands = 0;

/**
 * Ends the sandbox when the process that started it exits for any reason, because its pipe is then closed.
 */
async function endWithParent(): Promise<never> {
  while (await Deno.stdin.read(new Uint8Array(1)) !== null);
  Deno.exit(1);
}

if (import.meta.main) {
  endWithParent();
  await new Run(JSON.parse(Deno.args[0])).all();
  Deno.exit(0);
}
