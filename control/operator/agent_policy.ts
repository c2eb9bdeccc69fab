/** The programs in which agents may act: the `--agent-allow` file, and what a person adds to it. */

import { Disk, OWN_FILES } from "../../core/disk.ts";
import { BusyError, ExpectedError, InputError, on, UsageError } from "../../core/errors.ts";
import { Mutex } from "../../core/mutex.ts";
import { printable } from "../../core/printable.ts";
import { linkIn, readProc } from "../../core/proc.ts";
import { replaceFileByPieces } from "../../core/state_files.ts";
import type { Target } from "../desktop/desktop.ts";
import { choice, type Fields, flag, integer, optional, parseFields, text } from "../schema/schema.ts";

/** Agents' rights in a program, in ascending order: look, act after a person agrees, act. */
export const RIGHTS = ["read", "ask", "act"] as const;
/** One of {@linkcode RIGHTS}. */
type Right = typeof RIGHTS[number];

/** A program, described by what a policy can match. */
export interface Program {
  /** Path of the executable. */
  exe?: string;
  /** The window class, which the program chooses. */
  class?: string;
  flatpak?: string;
}

/** A row of a policy: applies to programs that match all of its fields. */
export interface PolicyEntry extends Program {
  may: Right;
  /** Last day on which the row is valid, such as `2026-12-24`. */
  until?: string;
}

/** The programs that agents may act in. */
interface Policy {
  /** The right in programs without a row. */
  default: Right;
  programs: PolicyEntry[];
  /** Idle time after which a session grant ends, in minutes. */
  idleMinutes: number;
  /** Whether the agent's own client may show the question to its user and answer it. */
  clientAnswers: boolean;
}

/** The policy if there is no file. */
const NEW: Policy = { default: "ask", programs: [], idleMinutes: 30, clientAnswers: false };

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const FACTS = ["exe", "class", "flatpak"] as const;
const ENTRY = {
  exe: optional(text("The path of the executable; * stands for any characters but /")),
  class: optional(text("The class of the window")),
  flatpak: optional(text("The Flatpak id")),
  may: choice(RIGHTS, "The right"),
  until: optional(text("The last day")),
};
const POLICY = {
  default: optional(choice(RIGHTS, "The right in other programs")),
  idleMinutes: optional(integer(1, 1440, "Minutes")),
  clientAnswers: optional(flag("Whether the agent's client may answer")),
};

/**
 * Reads a policy.
 * @param text JSON.
 * @throws InputError naming the field and what is allowed.
 * @example
 * parsePolicy('{"programs":[{"class":"gedit","may":"act"}]}').default; // "ask"
 */
export function parsePolicy(text: string): Policy {
  let json: Record<string, unknown>;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new InputError(`it is not valid JSON: ${(error as Error).message}`);
  }
  const values = checked(POLICY, json, "", ["programs"]), { programs = [] } = json;
  if (!Array.isArray(programs)) throw new InputError("programs must be an array");
  return { ...NEW, ...values, programs: programs.map((entry, i) => parseEntry(entry, `programs[${i}].`)) };
}

function parseEntry(json: unknown, prefix: string): PolicyEntry {
  const entry = checked(ENTRY, json, prefix);
  if (!FACTS.some((fact) => entry[fact])) {
    throw new InputError(`${prefix}exe, ${prefix}class or ${prefix}flatpak must name the program`);
  }
  if (entry.until !== undefined && !(DATE.test(entry.until) && Date.parse(entry.until))) {
    throw new InputError(`${prefix}until must be a date such as 2026-12-24`);
  }
  return entry;
}

/** Checks an object and rejects unknown fields: a misspelt right must not look like a missing one. */
function checked<F extends Fields>(fields: F, json: unknown, prefix: string, others: string[] = []) {
  const values = parseFields(fields, json, prefix, prefix ? prefix.slice(0, -1) : "the policy");
  const known = [...Object.keys(fields), ...others];
  const unknown = Object.keys(json as object).find((name) => !known.includes(name));
  if (unknown === undefined) return values;
  throw new InputError(
    `${prefix}${printable(unknown, 40)} is not a known field; available: ${known.join(", ")}`,
  );
}

/**
 * The right in a program: that of the matching row with the most fields; among equals, the least right.
 * @param now Milliseconds since 1970.
 */
export function rightIn({ default: other, programs }: Policy, program: Program, now: number): Right {
  const day = new Date(now).toISOString().slice(0, 10);
  const rows = programs.filter((row) => isFor(row, program) && (row.until === undefined || row.until >= day));
  const most = Math.max(...rows.map(factCount));
  const rights = rows.filter((row) => factCount(row) === most).map(({ may }) => RIGHTS.indexOf(may));
  return rights.length ? RIGHTS[Math.min(...rights)] : other;
}

const factCount = (row: Program) => FACTS.filter((fact) => row[fact] !== undefined).length;

function isFor(row: Program, program: Program): boolean {
  return FACTS.every((fact) => {
    const wanted = row[fact], own = program[fact];
    if (wanted === undefined) return true;
    return own !== undefined && (fact === "exe" ? pattern(wanted).test(own) : wanted === own);
  });
}

/** @example pattern("/opt/*\/code").test("/opt/x/code"); // true */
function pattern(glob: string): RegExp {
  return new RegExp(`^${glob.split("*").map(RegExp.escape).join("[^/]*")}$`);
}

// The program of a window.

/** The suffix on the path of an executable that was replaced or removed (proc_pid_exe(5)). */
const DELETED = / \(deleted\)$/;
/** Executables that run many kinds of programs, which only their window classes distinguish. */
const RUNTIMES = /\/(?:python|java|node|electron|wine|mono|ruby|perl|deno|chromium|chrome)[^/]*$/;

/** Identifies the program of a window. */
export function programOf({ pid, class: name, isDesktop }: Target): Program {
  if (isDesktop) return { class: "desktop" };
  const facts = pid && Deno.build.os === "linux"
    ? { exe: linkIn(`${pid}/exe`).replace(DELETED, ""), flatpak: flatpakOf(pid) }
    : {};
  return Object.fromEntries(Object.entries({ ...facts, class: name }).filter(([, fact]) => fact));
}

/** The Flatpak id of a process (flatpak-metadata(5)). */
function flatpakOf(pid: number): string | undefined {
  return /^\[Application\][^[]*?^name=(.+)$/m.exec(readProc(`${pid}/root/.flatpak-info`))?.[1];
}

/** The narrowest row that matches a program. */
export function narrowest({ exe, class: name, flatpak }: Program): Program {
  if (flatpak) return { flatpak };
  if (!exe) return name ? { class: name } : {};
  return RUNTIMES.test(exe) && name ? { exe, class: name } : { exe };
}

/** A program in one line: its common name, and in parentheses the field that identifies it. */
export function programText(program: Program): string {
  const { exe, class: name, flatpak } = program, base = exe?.split("/").at(-1);
  const known = flatpak ?? exe;
  return printable(
    `${name ?? flatpak ?? base ?? "a program without a name"}${known ? ` (${known})` : ""}`,
    200,
  );
}

/** A key that is equal for the same program. */
export const programKey = (program: Program): string => JSON.stringify(narrowest(program));

// The file.

/** Permissions of the file: only the user may access it. */
const MODE = 0o600;

/** The policy in a file, which may be on a share that hangs. */
export class PolicyFile {
  #policy: Policy = NEW;
  /** When the file that was read was changed, in milliseconds since 1970; undefined if there was none. */
  #changedAt: number | undefined;
  #fault: Error | undefined;
  readonly #disk: Disk;
  readonly #writes = new Mutex(100, "other changes of --agent-allow are being written; try again later");

  constructor(readonly path: string) {
    this.#disk = new Disk(OWN_FILES, "--agent-allow", path);
  }

  /** Opens and reads a file. @throws UsageError if the file exists but is unreadable or invalid. */
  static async open(path: string): Promise<PolicyFile> {
    const file = new PolicyFile(path);
    try {
      await file.read();
    } catch (error) {
      if (error instanceof ExpectedError) throw new UsageError(error.message);
      throw error;
    }
    return file;
  }

  /**
   * The policy as {@linkcode read} last found it.
   * @throws Its error: no agent acts by an older policy.
   */
  get policy(): Policy {
    if (this.#fault) throw this.#fault;
    return this.#policy;
  }

  /**
   * Reads the file again if it has changed.
   * @throws InputError if it has become invalid; BusyError if its disk does not answer.
   */
  async read(): Promise<Policy> {
    await this.#disk.call(() => this.#readIfChanged()).catch((error) => this.#fault = this.#unusable(error));
    return this.policy;
  }

  /** Adds a row, replacing the one for the same program. @throws InputError if the file cannot be written. */
  async add(entry: PolicyEntry): Promise<void> {
    await this.#change(({ programs }) => [...programs.filter((row) => !isSame(row, entry)), entry]);
  }

  /**
   * Removes the rows that allow more in a program than the default; the others restrict agents, and stay.
   * @param name As in {@linkcode isNamed}.
   * @returns The removed rows.
   */
  async forget(name: string): Promise<PolicyEntry[]> {
    let named: PolicyEntry[] = [];
    await this.#change(({ programs, default: other }) => {
      const isWide = ({ may }: PolicyEntry) => RIGHTS.indexOf(may) > RIGHTS.indexOf(other);
      named = programs.filter((row) => isNamed(row, name) && isWide(row));
      return programs.filter((row) => !named.includes(row));
    });
    return named;
  }

  /** @param change Returns the new rows; the file stays as it is if none is new or left out. */
  async #change(change: (policy: Policy) => readonly PolicyEntry[]): Promise<void> {
    await this.#writes.run(async () => {
      const policy = await this.read(), programs = change(policy);
      const { default: other, idleMinutes, clientAnswers } = policy;
      if (
        programs.length === policy.programs.length && programs.every((row) => policy.programs.includes(row))
      ) return;
      const rows = programs.map((row) => `    ${JSON.stringify(row)}`).join(",\n");
      const rest = JSON.stringify({ idleMinutes, clientAnswers }).slice(1, -1);
      const list = rows && `\n${rows}\n  `;
      const text = `{\n  "default": ${JSON.stringify(other)},\n  "programs": [${list}],\n  ${rest}\n}\n`;
      await replaceFileByPieces(this.path, [new TextEncoder().encode(text)], MODE).catch((error) => {
        throw this.#unusable(error);
      });
      this.#changedAt = undefined; // the time of a change may have too few digits to show this one
      await this.read();
    });
  }

  async #readIfChanged(): Promise<void> {
    const info = await Deno.stat(this.path).catch(on(Deno.errors.NotFound));
    const changedAt = info && (info.mtime?.getTime() ?? 0);
    if (changedAt === this.#changedAt && !this.#fault) return;
    this.#policy = info ? parsePolicy(await Deno.readTextFile(this.path)) : NEW;
    [this.#changedAt, this.#fault] = [changedAt, undefined];
  }

  #unusable(error: Error): Error {
    if (error instanceof BusyError) return error;
    return new InputError(`--agent-allow ${printable(this.path)}: ${error.message}`);
  }
}

/** Whether a name stands for a program: it equals one of its fields, or the end of its path. */
export const isNamed = (program: Program, name: string): boolean =>
  FACTS.some((fact) => program[fact] === name || program[fact]?.endsWith(`/${name}`));

const isSame = (one: Program, other: Program) => FACTS.every((fact) => one[fact] === other[fact]);

// Questions whether an agent may act in a program. A person answers in the first place that shows the
// question.

/** The answers: for this action, until the agent is idle, permanently, or no. */
export const ANSWERS = ["once", "session", "always", "deny"] as const;
/** One of {@linkcode ANSWERS}. */
export type AnswerWord = typeof ANSWERS[number];

/** How long a question stays open, in milliseconds. */
export const OPEN_MS = 5 * 60_000;

export interface Question {
  readonly id: number;
  readonly program: Program;
  /** The agent's name for itself. */
  readonly client: string;
  /** The action that the agent is about to perform, such as `click`. */
  readonly action: string;
  /** The window title. */
  readonly title: string;
}

/** Maximum length of a client name in a question, in characters. */
const NAME_LIMIT = 60;

/** A question in words: what it allows, and what the agent is about to do. */
export function questionText({ client, action, program, title }: Question): { asks: string; wants: string } {
  return {
    asks: `Allow ${printable(client, NAME_LIMIT)} to act in ${programText(program)}?`,
    wants: `It wants: ${action} in the window ${JSON.stringify(title)}`,
  };
}

/** An open question and the promise of its answer. */
interface Open {
  question: Question;
  /** Resolves with undefined if the time runs out. */
  answered: Promise<AnswerWord | undefined>;
  resolve(answer: AnswerWord | undefined): void;
  timer: ReturnType<typeof setTimeout>;
}

/** Called when a question opens, and when it ends with or without an answer. */
export type QuestionListener = (question: Question, answer: AnswerWord | "open" | "unanswered") => void;

/** The open questions. */
export class Questions {
  readonly #open = new Map<string, Open>();
  readonly #listeners = new Set<QuestionListener>();
  #count = 0;

  /** @param openMs How long a question stays open, in milliseconds. */
  constructor(readonly openMs: number = OPEN_MS) {}

  /** The open questions, oldest first. */
  get open(): Question[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  /** Adds a listener. @returns A function that removes it. */
  on(listener: QuestionListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Opens a question, or joins the open one with the same key.
   * @param key Equal for equal questions.
   * @returns The answer; undefined if nobody answers in time.
   */
  ask(key: string, asked: Omit<Question, "id">): Promise<AnswerWord | undefined> {
    const present = this.#open.get(key);
    if (present) return present.answered;
    const { promise: answered, resolve } = Promise.withResolvers<AnswerWord | undefined>();
    const question = { id: ++this.#count, ...asked };
    const timer = setTimeout(() => this.#end(key, undefined), this.openMs);
    Deno.unrefTimer(timer);
    this.#open.set(key, { question, answered, resolve, timer });
    this.#announce(question, "open");
    return answered;
  }

  /** The open question with a key. */
  of(key: string): Question | undefined {
    return this.#open.get(key)?.question;
  }

  /** Answers a question. @returns false if it is not open: the first answer counts. */
  answer(id: number, answer: AnswerWord): boolean {
    const [key] = [...this.#open].find(([, { question }]) => question.id === id) ?? [];
    return key !== undefined && this.#end(key, answer);
  }

  /** Waits until no question is open. */
  async settled(): Promise<void> {
    while (this.#open.size) await Promise.all([...this.#open.values()].map(({ answered }) => answered));
  }

  /** Ends all questions without an answer. */
  close(): void {
    for (const key of [...this.#open.keys()]) this.#end(key, undefined);
  }

  #end(key: string, answer: AnswerWord | undefined): boolean {
    const open = this.#open.get(key);
    if (!open) return false;
    this.#open.delete(key);
    clearTimeout(open.timer);
    open.resolve(answer);
    this.#announce(open.question, answer ?? "unanswered");
    return true;
  }

  #announce(question: Question, answer: AnswerWord | "open" | "unanswered"): void {
    for (const listener of this.#listeners) listener(question, answer);
  }
}
