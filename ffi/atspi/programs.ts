/** Programs on the accessibility bus, and their windows. */

import type { WindowInfo } from "../../control/desktop/desktop.ts";
import { attempt, ExpectedError, StateError } from "../../core/errors.ts";
import { timeByLoad } from "../../core/proc.ts";
import { DAEMON } from "../linux/dbus/message.ts";
import { isEnabled, mapsOf, onSession, whyAbsent } from "./bus.ts";
import type { Calls } from "./calls.ts";
import { ask, interfaceOf, property, type Ref, refsOf, REGISTRY, ROOT_PATH } from "./objects.ts";
import { type Toolkit, toolkitOf } from "./places.ts";
import { type Node, POPPING, type Reading } from "./reader.ts";
import { stateBits } from "./cache.ts";
import { has, roleName } from "./roles.ts";

/** Maximum time for the list of programs, in milliseconds; longer on a busy machine. */
const LIST_MS = 2000;
/** Maximum number of a program's windows, and of characters in a title or a name. */
const LIMITS = { windows: 200, characters: 2000 };

/** A program's window. */
export interface AccessibleWindow extends Ref {
  title: string;
  role: string;
  /** Two AtspiStateType words. */
  states: readonly number[];
}

/** A program with its windows. */
export interface Program {
  /** The unique name on the bus, which no other program ever gets. */
  app: string;
  pid: number;
  /** The program's own name, such as `zenity`. */
  name: string;
  toolkit: Toolkit;
  windows: AccessibleWindow[];
}

/** The programs of one connection; their constant properties are read once. */
export class Programs {
  #known = new Map<string, Program>();
  /** Process numbers, including those of programs whose elements were never read. */
  #pids = new Map<string, number>();

  constructor(readonly calls: Calls) {}

  /**
   * Reads the programs of a process, or all.
   * @param pid The number of the process, or of several; 0 for all.
   */
  of(pid: number | ReadonlySet<number>): Program[] {
    const found: Program[] = [],
      take = (program: Program) => {
        found.push(program);
        this.#readWindows(program);
      };
    const known = [...this.#known.values()].filter((program) => isWanted(pid, program.pid));
    for (const program of known) take(program); // without waiting for the registry
    this.calls.add(ask(REGISTRY, "Accessible", "GetChildren", (value) => {
      const apps = refsOf(value).map(({ app }) => app);
      this.#known = new Map([...this.#known].filter(([app]) => apps.includes(app)));
      this.#pids = new Map([...this.#pids].filter(([app]) => apps.includes(app)));
      for (const gone of known.filter(({ app }) => !apps.includes(app))) found.splice(found.indexOf(gone), 1);
      for (const app of apps) if (!this.#known.has(app)) this.#meet(app, pid, take);
    }));
    this.calls.run(timeByLoad(LIST_MS));
    return found;
  }

  /** The bus names of the programs of some processes that were read before; 0 for all. */
  known(pid: number | ReadonlySet<number>): string[] {
    return [...this.#known.values()].filter((program) => isWanted(pid, program.pid)).map(({ app }) => app);
  }

  /**
   * Adds the calls that read the windows of one program.
   * @param app Its bus name.
   * @returns The program, after the calls have run; empty if it is unknown.
   */
  beginKnown(app: string): Program[] {
    const program = this.#known.get(app);
    if (program) this.#readWindows(program);
    return program ? [program] : [];
  }

  /** Queries the process of an unknown program, and takes the program if it is the wanted one. */
  #meet(app: string, pid: number | ReadonlySet<number>, take: (program: Program) => void): void {
    const knownPid = this.#pids.get(app);
    if (knownPid !== undefined && !isWanted(pid, knownPid)) return;
    this.calls.add({
      object: DAEMON,
      member: "GetConnectionUnixProcessID",
      signature: "s",
      args: [app],
      then: (values) => {
        const own = Number(values?.[0] ?? 0);
        if (own) this.#pids.set(app, own);
        if (isWanted(pid, own)) take(this.#describe(app, own));
      },
    });
  }

  /** Queries a new program's name and toolkit. */
  #describe(app: string, pid: number): Program {
    const root = { app, path: ROOT_PATH };
    const program: Program = { app, pid, name: "", toolkit: toolkitOf("", ""), windows: [] };
    let doesAnswer = false;
    this.calls.add(property(root, "Accessible", "Name", (name) => {
      doesAnswer = name !== undefined;
      program.name = textOf(name);
    }));
    this.calls.add(property(root, "Application", "ToolkitName", (name) => {
      this.calls.add(property(root, "Application", "Version", (version) => {
        program.toolkit = toolkitOf(textOf(name), textOf(version), program.name);
        if (doesAnswer) this.#known.set(app, program); // others are asked again later
      }));
    }));
    return program;
  }

  #readWindows(program: Program): void {
    const { calls } = this, root = { app: program.app, path: ROOT_PATH };
    calls.add(ask(root, "Accessible", "GetChildren", (value) => {
      if (value === undefined) return; // keeps the known programs
      program.windows = refsOf(value, LIMITS.windows).map((ref) => ({
        ...ref,
        title: "",
        role: "",
        states: [],
      }));
      for (const window of program.windows) {
        calls.add(property(window, "Accessible", "Name", (name) => window.title = textOf(name)));
        calls.add({
          object: interfaceOf(window, "Accessible"),
          member: "GetRole",
          then: (values) => window.role = roleName(Number(values?.[0])),
        });
        calls.add(ask(window, "Accessible", "GetState", (value) => {
          window.states = stateBits(value);
        }));
      }
    }));
  }
}

function isWanted(pid: number | ReadonlySet<number>, own: number): boolean {
  return pid === 0 || (typeof pid === "number" ? pid === own : pid.has(own));
}

/** Whether a program's window is one of the desktop's, rather than an open menu or list. */
export function isTop({ role }: AccessibleWindow): boolean {
  return role !== "window" && role !== "popup menu" && role !== "tooltip" && role !== "invalid";
}

/** The beginning of a text from a program; "" for any other value. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, LIMITS.characters) : "";
}

/** Why a stopped or busy program shows no elements. */
export const NO_ANSWER = "its program does not answer";

/** The error about a window of such a program. */
export function notAnswering({ title }: WindowInfo): StateError {
  return new StateError(`the program of ${JSON.stringify(title)} does not answer`);
}

/**
 * Why no program has a window of the desktop.
 * @param silent Programs that are not answering, whose windows are those that they had last.
 */
export function whyMissing(
  { title, pid }: WindowInfo,
  programs: readonly Program[],
  silent: ReadonlyMap<string, unknown>,
): string {
  const isSilent = pid !== undefined && programs.some(({ app }) => silent.has(app));
  if (!isSilent && programs.some(({ windows }) => windows.length)) {
    return title
      ? `none of its program's windows has the title ${title}`
      : "all of its program's windows have titles";
  }
  return pid === undefined || !programs.length ? whyAbsent(mapsOf(pid), isSwitchedOn()) : NO_ANSWER;
}

function isSwitchedOn(): boolean {
  return attempt(() => onSession(isEnabled), false, ExpectedError);
}

// Open menus, lists and popovers in a window: a press elsewhere only closes them.

/** Roles of what opens menus: presses there reach the program while the menu is open. */
const OPENING: ReadonlySet<string> = new Set([...POPPING, "menuitem", "menubar"]);

/** Reads a program's menus and lists that are shown, among those that are separate from its windows. */
export function menusIn(reading: Reading, popups: readonly Ref[]): Node[] {
  return popups.map((popup) => reading.window(popup))
    .filter(({ children }) => children.some(({ isShown }) => isShown));
}

/**
 * Finds the open menus, lists and popovers.
 * @param window A window, and the menus, lists and tooltips beside it.
 * @returns Each with the buttons and menu bar that it belongs to, as the outermost element of both.
 */
export function openMenus([window, ...beside]: readonly Node[], toolkit: Toolkit): Node[] {
  const found: Node[] = [], line: Node[] = [];
  const visit = (node: Node) => {
    if (!node.isShown) return;
    if (isOpenMenu(node, line.at(-1), toolkit)) {
      let at = node.isPopover ? line.length - 1 : line.length; // of the popover, or of the menu
      while (at > 0 && OPENING.has(line[at - 1].role)) at--;
      return void found.push([...line, node][at]);
    }
    line.push(node);
    node.children.forEach(visit);
    line.pop();
  };
  visit(window);
  return [...found, ...beside.filter(({ role }) => role !== "tooltip")];
}

/** Whether an element is a menu, list or popover that is open, or stands for one. */
function isOpenMenu(
  { role, isPopover, children, place, states }: Node,
  around: Node | undefined,
  { staysPressed }: Toolkit,
): boolean {
  if (isPopover) return true;
  if (role === "menu" || role === "popup menu") return children.some(({ isShown }) => isShown);
  if (staysPressed && role === "button") return has(states, "pressed");
  const isInOpener = around !== undefined && POPPING.has(around.role);
  return isInOpener && place !== undefined && (role === "list" || role.startsWith("menuitem")); // GTK 3 has no menu there
}

/** Removes the places of what popovers show if they are wrong. */
export function withoutWrongPlaces(node: Node, isInPopover = false): void {
  if (isInPopover) delete node.place;
  for (const child of node.children) withoutWrongPlaces(child, isInPopover || node.isPopover);
}
