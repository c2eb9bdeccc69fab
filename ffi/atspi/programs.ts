/** Programs on the accessibility bus and their windows. */

import { DAEMON } from "../linux/dbus/objects.ts";
import type { Calls } from "./calls.ts";
import { ask, interfaceOf, property, type Ref, refsOf, REGISTRY, ROOT_PATH } from "./objects.ts";
import { roleName } from "./roles.ts";
import { type Toolkit, toolkitOf } from "./toolkits.ts";

/** The longest time for the list of programs, in milliseconds. */
const LIST_MS = 2000;
/** Windows of a program, and characters of a title. */
const LIMITS = { windows: 200, characters: 2000 };

/** A window of a program. */
export interface AccessibleWindow extends Ref {
  title: string;
  role: string;
}

/** A program with its windows. */
export interface Program {
  app: string;
  pid: number;
  toolkit: Toolkit;
  windows: AccessibleWindow[];
}

/**
 * Reads the programs with a process, or all.
 * @param pid Number of the process; 0 for all.
 */
export function programsOf(calls: Calls, pid: number): Program[] {
  const found: Program[] = [];
  calls.add(ask(REGISTRY, "Accessible", "GetChildren", (value) => {
    for (const { app } of refsOf(value)) {
      calls.add({
        object: DAEMON,
        member: "GetConnectionUnixProcessID",
        signature: "s",
        args: [app],
        then: (values) => {
          const own = Number(values?.[0] ?? 0);
          if (pid === 0 || own === pid) found.push(readProgram(calls, app, own));
        },
      });
    }
  }));
  calls.run(LIST_MS);
  return found;
}

function readProgram(calls: Calls, app: string, pid: number): Program {
  const root = { app, path: ROOT_PATH };
  const program: Program = { app, pid, toolkit: toolkitOf("", ""), windows: [] };
  calls.add(property(root, "Application", "ToolkitName", (name) => {
    calls.add(property(root, "Application", "Version", (version) => {
      program.toolkit = toolkitOf(textOf(name), textOf(version));
    }));
  }));
  calls.add(ask(root, "Accessible", "GetChildren", (value) => {
    for (const ref of refsOf(value, LIMITS.windows)) {
      const window: AccessibleWindow = { ...ref, title: "", role: "" };
      program.windows.push(window);
      calls.add(property(window, "Accessible", "Name", (name) => window.title = textOf(name)));
      calls.add({
        object: interfaceOf(window, "Accessible"),
        member: "GetRole",
        then: (values) => window.role = roleName(Number(values?.[0])),
      });
    }
  }));
  return program;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, LIMITS.characters) : "";
}
