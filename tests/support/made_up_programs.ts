/** Programs on a bus whose elements a test makes up, good ones and hostile ones. They have the test's own process. */

import { Calls } from "../../ffi/atspi/calls.ts";
import { WindowReader } from "../../ffi/atspi/window_reader.ts";
import type { WindowInfo } from "../../control/desktop/desktop.ts";
import { SessionBus } from "./session_bus.ts";

/** An element that a test makes up: by default a button that is shown. */
export interface MadeObject {
  /** The object's name, or how many characters it has. */
  name?: string | number;
  /** Number of AtspiRole. */
  role?: number;
  states?: number[];
  /** Paths; others as "app path", with `self:` for the caller and `many:N` for N children that do not exist. */
  children?: string[];
  /** The number of the object's children by the cache, and whether the cache leaves the object out. */
  count?: number;
  isLeftOut?: boolean;
  /** Characters of its text, whose number it does not tell. */
  text?: number;
  /** Calls that the object does not answer. */
  silent?: string[];
  /** Left, top, width and height; -1 each where the object has no place. */
  place?: number[];
  /** Answers with values of other types. */
  wrong?: boolean;
}

/**
 * The kind of a program's own socket: the listener refuses everybody (`closes`), accepts and then ends (`ends`), accepts
 * and sends bytes that are no message (`garbage`) or too long messages without end (`floods`), or does not answer
 * (`silent`); the socket does not exist (`missing`), or belongs to another process (`another's`).
 */
export type SocketKind = "closes" | "ends" | "garbage" | "floods" | "silent" | "missing" | "another's";

/** A program that a test makes up. */
export interface MadeProgram {
  /** Objects by path; the windows are children of the root. */
  objects: Record<string, MadeObject>;
  /**
   * The program's answer when it is asked for its cache: in the signature of today (`new`), in the signature of old Qt
   * (`old`), with values of other types (`wrong`), or none at all (`none`), or it ends (`ends`); an error if left out.
   */
  cache?: "new" | "old" | "wrong" | "none" | "ends";
  /** The program's own socket, of which it tells: see {@linkcode SocketKind}. */
  ownSocket?: SocketKind;
  /** The call at which the program ends. */
  endsAt?: number;
}

/** A message to the thread of a program. */
export interface ProgramStart {
  socket: string;
  /** The program; left out for the registry. */
  program?: MadeProgram;
  /** Names of the programs that the registry has. */
  listed: string[];
}

/** A program with one window. */
export function made(title: string, objects: Record<string, MadeObject>, more: Partial<MadeProgram> = {}) {
  const children = Object.keys(objects);
  const inner = new Set(Object.values(objects).flatMap(({ children = [] }) => children));
  const root = { children: ["/window"] };
  const window = { role: 23, name: title, children: children.filter((path) => !inner.has(path)) };
  return { objects: { "/org/a11y/atspi/accessible/root": root, "/window": window, ...objects }, ...more };
}

/** The programs on a bus of their own, and a reader of theirs. */
export class MadeUpPrograms {
  private constructor(readonly bus: SessionBus, readonly workers: Worker[], readonly reader: WindowReader) {}

  /** Starts the programs. */
  static async start(...programs: MadeProgram[]): Promise<MadeUpPrograms> {
    const bus = await SessionBus.start(), { socket } = bus;
    const started = await Promise.all(
      programs.map((program) => startThread({ socket, program, listed: [] })),
    );
    const registry = await startThread({ socket, listed: started.map(({ name }) => name) });
    const workers = [...started, registry].map(({ worker }) => worker);
    return new MadeUpPrograms(bus, workers, new WindowReader(new Calls([socket]), "screen"));
  }

  /**
   * Reads the window with a title: roles, names and values by depth, the time of the reading, and the reason of
   * silence.
   */
  read(title: string) {
    const started = performance.now();
    const { elements, isWhole, silent } = this.reader.read(windowOf(title), false);
    const lines = elements.map(({ depth, role, name, value }) =>
      `${"  ".repeat(depth)}${role} ${name}${value === undefined ? "" : ` = ${value}`}`
    );
    return { lines, isWhole, silent, ms: performance.now() - started };
  }

  async [Symbol.asyncDispose]() {
    for (const worker of this.workers) worker.terminate();
    this.reader.calls.close();
    await this.bus[Symbol.asyncDispose]();
  }
}

/** A window of the desktop that a made-up program has. */
export function windowOf(title: string): WindowInfo {
  return {
    ...{ id: title, title, class: "made", pid: Deno.pid, x: 0, y: 0, width: 400, height: 300 },
    ...{ state: "normal", active: true },
  };
}

/** Starts a thread; gives the name of its connection, when it answers. */
async function startThread(start: ProgramStart): Promise<{ worker: Worker; name: string }> {
  const worker = new Worker(new URL("./made_up_programs_worker.ts", import.meta.url), { type: "module" });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = ({ message }) => reject(new Error(message));
  worker.postMessage(start);
  return { worker, name: await promise };
}
