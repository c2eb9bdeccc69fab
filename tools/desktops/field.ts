/** Text fields in programs: where text is typed, and how it is read back. */

import { delay } from "@std/async/delay";
import type { Hand } from "./hand.ts";
import type { Program } from "./programs.ts";
import { rested } from "./rest.ts";
import type { Session } from "./session.ts";
import type { Kind } from "./sessions/kind.ts";
import { mustCome, waitFor } from "./waiting.ts";
import type { WitnessPage } from "./witness_page.ts";

/** The context of a trial. */
export interface Bench {
  session: Session;
  kind: Kind;
  hand: Hand;
  page: WitnessPage;
  /** Another deskhand in the session, which plays the user. */
  another(): Promise<Hand>;
}

/** A running program with a focused text field. */
export interface Field {
  kind: Program["field"];
  /** Replaces the field's text by typing, and saves it where necessary. */
  put(text: string): Promise<void>;
  /** The text that arrived last; undefined if none arrived. */
  read(): string | undefined;
  /** Saves an editor's text after keys that {@linkcode Field.put} did not press. */
  save(): Promise<void>;
  /** Whether a terminal's program has exited. */
  hasEnded(): boolean;
  /** The title of another window that has the focus, such as a dialog; undefined if there is none. */
  covered(): Promise<string | undefined>;
  /** Waits until an editor has loaded or saved, because some accept no commands before. */
  rested(): Promise<void>;
  /** Closes the program. */
  close(): Promise<void>;
}

/** $1: the name of the files. A title and a file show that it is running. */
const TERMINAL_SCRIPT = `printf '\\033]0;%s\\007' "text of $1"
: >"$1.started"
cat >"$1.txt"
: >"$1.ended"
`;

let count = 0;

/**
 * Starts a program and waits until its window has the focus.
 * @throws Error if this does not happen.
 */
export async function openField(bench: Bench, program: Program): Promise<Field> {
  const { session, kind, hand, page } = bench;
  if (!session.has(program.executable)) throw new Error(`the root has no ${program.executable}`);
  const name = `${program.name}-${++count}`, text = `${name}.txt`;
  const before = await kind.activeTitle(session, hand).catch(() => "");
  page.clear();
  session.write("run.sh", TERMINAL_SCRIPT);
  if (program.field === "editor") session.write(text, "");
  const env = { FILE: `${session.env.HOME}/${text}`, RUN: `sh run.sh ${name}`, URL: page.url };
  const mark = session.launch(program.name, program.command, env);
  const close = async () => await session.end(mark);
  const title = program.field === "editor" ? name : program.window;
  const isOurs = (active: string) => title ? active.toLowerCase().includes(title) : active !== before;
  try {
    if (program.field === "page") {
      await mustCome(
        "the page was not loaded",
        () => page.value !== undefined,
        Boolean,
        60,
      );
    }
    if (program.field === "terminal") {
      await mustCome("the terminal ran nothing", () => session.read(`${name}.started`) !== undefined);
    }
    await mustCome("no window had the keyboard", () => kind.activeTitle(session, hand), isOurs, 90);
  } catch (error) {
    const active = await kind.activeTitle(session, hand).catch(String);
    await close();
    throw new Error(`${(error as Error).message} (${active}; ${session.log(program.name)})`);
  }
  const parts = FIELDS[program.field](bench, name);
  try {
    await begun(bench, program, parts);
  } catch (error) {
    await close();
    throw error;
  }
  const rest = async () => {
    if (program.field === "editor") await rested(session, mark);
  };
  await rest();
  await hand.settled();
  const covered = async () => {
    const active = await kind.activeTitle(session, hand).catch(String);
    return isOurs(active) ? undefined : active;
  };
  return { kind: program.field, rested: rest, covered, close, ...parts };
}

/** Maximum time for a key that the program has received to show, in seconds. */
const KEY_SECONDS = 3;

/**
 * Waits until a program accepts keys, which is later than its window appears: GNOME Text Editor shows the
 * file's name first, and then replaces all text with the file's content. A program other than deskhand
 * presses the keys.
 */
async function begun(
  { session, kind }: Bench,
  { loadingMs, executable }: Program,
  parts: Parts,
): Promise<void> {
  const { press } = kind, { commands, hasReturn } = parts;
  if (!press || !hasReturn) return await delay(loadingMs ?? 0);
  const tried = async () => {
    await press(session, ["Return", ...commands].join(" "));
    return await waitFor(hasReturn, Boolean, KEY_SECONDS);
  };
  await mustCome(`${executable} took no keys of another program`, tried, Boolean, 60);
}

interface Parts extends Pick<Field, "put" | "read" | "save" | "hasEnded"> {
  /** The keys after Return with which a line feed arrives. */
  commands: string[];
  /** Whether a line feed has arrived in the empty field; omitted if none is needed. */
  hasReturn?(): boolean;
}

/** The kinds of fields. */
const FIELDS: Readonly<Record<Program["field"], (bench: Bench, name: string) => Parts>> = {
  editor: ({ session, hand }, name) => ({
    async put(text) {
      await hand.key("ctrl+a");
      await hand.type(text);
      await hand.key("ctrl+s");
    },
    // Editors end a file with a line feed, and LibreOffice begins it with a byte order mark.
    read: () => session.read(`${name}.txt`)?.replace(/^\ufeff/, "").replace(/\n$/, ""),
    save: () => hand.key("ctrl+s"),
    hasEnded: () => false,
    commands: ["ctrl+s"],
    hasReturn: () => session.read(`${name}.txt`)?.includes("\n") ?? false,
  }),
  terminal: ({ session, hand }, name) => ({
    put: (text) => hand.type(text + "\n"),
    read: () => session.read(`${name}.txt`)?.replace(/\n$/, "").split("\n").at(-1),
    save: () => Promise.resolve(),
    hasEnded: () => session.read(`${name}.ended`) !== undefined,
    commands: [],
  }),
  page: ({ page, hand }) => ({
    async put(text) {
      await hand.key("ctrl+a");
      await hand.type(text);
    },
    read: () => page.value,
    save: () => Promise.resolve(),
    hasEnded: () => false,
    commands: [],
    hasReturn: () => page.value?.includes("\n") ?? false,
  }),
};

/** Maximum time from the response until a text arrives in its program, in seconds. */
const ARRIVAL_SECONDS = 20;

/**
 * Waits until a field contains a text and its program accepts the next one. @returns The field's final text.
 */
export async function arrived(field: Field, text: string): Promise<string | undefined> {
  const value = await waitFor(field.read, (value) => value === text, ARRIVAL_SECONDS);
  await field.rested();
  return value;
}
