/**
 * Programs on a bus whose elements a test defines, both good and hostile. They run in the test's own process.
 */

import { Calls } from "../../ffi/atspi/calls.ts";
import { WindowReader } from "../../ffi/atspi/window_reader.ts";
import type { WindowInfo } from "../../control/desktop/desktop.ts";
import { SessionBus } from "./session_bus.ts";

/** An element defined by a test: by default a visible button. */
export interface MadeObject {
  /** The object's name, or its length in characters. */
  name?: string | number;
  /** Number of its AtspiRole. */
  role?: number;
  states?: number[];
  /**
   * Paths; other programs' as "app path", with `self:` for the caller and `many:N` for N missing children.
   */
  children?: string[];
  /** The number of the object's children according to the cache, and whether the cache omits the object. */
  count?: number;
  isLeftOut?: boolean;
  /** Number of characters in its text, which it does not report. */
  text?: number;
  /** Calls that the object does not answer. */
  silent?: string[];
  /** The name of its toolkit, for a program's root. */
  toolkit?: string;
  /** Left, top, width and height; -1 each if the object has no position. */
  place?: number[];
  /** Whether it responds with values of wrong types. */
  wrong?: boolean;
  /** The names of its actions, each of which renames it to `pressed`. */
  actions?: string[];
}

/**
 * The kind of a program's own socket: the listener refuses everyone (`closes`), accepts and then closes
 * (`ends`), accepts and sends bytes that are not a message (`garbage`) or endless oversized messages
 * (`floods`), or does not respond (`silent`); the socket does not exist (`missing`), or belongs to another
 * process (`another's`).
 */
export type SocketKind = "closes" | "ends" | "garbage" | "floods" | "silent" | "missing" | "another's";

/** A program defined by a test. */
export interface MadeProgram {
  /** Objects by path; the windows are children of the root. */
  objects: Record<string, MadeObject>;
  /**
   * The program's response to a request for its cache: with the current signature (`new`), with that of old
   * Qt (`old`), with values of wrong types (`wrong`), or none at all (`none`), or it exits (`ends`); defaults
   * to an error.
   */
  cache?: "new" | "old" | "wrong" | "none" | "ends";
  /** The program's own socket, which it announces: see {@linkcode SocketKind}. */
  ownSocket?: SocketKind;
  /** The number of the call at which the program exits. */
  endsAt?: number;
  /** A member at whose call the caller leaves, and the memory that tells the reader. */
  leavesAt?: { member: string; left: Int32Array };
}

/** A message to a program's thread. */
export interface ProgramStart {
  socket: string;
  /** The program; omitted for the registry. */
  program?: MadeProgram;
  /** Names of the programs listed in the registry. */
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

/** The programs on a separate bus, and a reader for them. */
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
   * Reads the window with a title: returns roles, names and values by depth, the duration of the reading, and
   * the reason if there was no response.
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

/** The desktop's window of a made-up program. */
export function windowOf(title: string): WindowInfo {
  return {
    ...{ id: title, title, class: "made", pid: Deno.pid, x: 0, y: 0, width: 400, height: 300 },
    ...{ state: "normal", active: true },
  };
}

/** Starts a thread; returns its connection's name once it responds. */
async function startThread(start: ProgramStart): Promise<{ worker: Worker; name: string }> {
  const worker = new Worker(new URL("./made_up_programs_worker.ts", import.meta.url), { type: "module" });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = ({ message }) => reject(new Error(message));
  worker.postMessage(start);
  return { worker, name: await promise };
}
