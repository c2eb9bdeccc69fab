/** Changes that programs make to their own elements. */

import type { ElementChange } from "../../control/desktop.ts";
import type { Call } from "./call.ts";
import type { Calls } from "./calls.ts";
import { ask, interfaceOf, property, type Ref } from "./objects.ts";

/** The longest time for a change, in milliseconds. */
const CHANGE_MS = 2000;
/** AtspiScrollType: anywhere on the screen. */
const SCROLL_ANYWHERE = 6;
/** Actions of one element whose names are asked for. */
const ACTIONS = 16;
/**
 * Names of actions that press an element, the better ones first. Other actions do not press: in GTK 4, the first
 * action of a window closes it, and the first action of a label copies its text.
 */
const PRESSES = (
  "click,press,activate,toggle,jump,dodefault,open,check,uncheck,switch,select,clickancestor,showmenu"
).split(",");

/** The call of each change; its answer tells whether the program reports success. */
const REQUESTS: Record<
  Exclude<ElementChange["type"], "press">,
  Omit<Call, "object" | "then"> & { interface: string }
> = {
  focus: { interface: "Component", member: "GrabFocus" },
  scroll: { interface: "Component", member: "ScrollTo", signature: "u", args: [SCROLL_ANYWHERE] },
  set: { interface: "EditableText", member: "SetTextContents", signature: "s" },
};

/**
 * Asks a program for a change of one of its elements.
 * @returns Whether the program reports success.
 */
export function changeElement(calls: Calls, ref: Ref, change: ElementChange): boolean {
  let isDone = false;
  const then = (values: unknown[] | undefined) => isDone = values?.[0] === true;
  if (change.type === "press") {
    const index = pressOf(actionNames(calls, ref));
    if (index === undefined) return false;
    const object = interfaceOf(ref, "Action");
    calls.add({ object, member: "DoAction", signature: "i", args: [index], then });
  } else {
    const { interface: type, ...request } = REQUESTS[change.type];
    const args = change.type === "set" ? { args: [change.text] } : {};
    calls.add({ ...request, ...args, object: interfaceOf(ref, type), then });
  }
  calls.run(CHANGE_MS);
  return isDone;
}

/**
 * The number of the action that presses an element.
 * @param names The names of its actions.
 * @example
 * pressOf(["window.close", "Press"]); // 1
 */
export function pressOf(names: readonly string[]): number | undefined {
  const ranks = names.map((name) => PRESSES.indexOf(name.toLowerCase()));
  const best = Math.min(...ranks.filter((rank) => rank >= 0));
  return Number.isFinite(best) ? ranks.indexOf(best) : undefined;
}

function actionNames(calls: Calls, ref: Ref): string[] {
  const names: string[] = [];
  calls.add(property(ref, "Action", "NActions", (count) => {
    for (let i = 0; i < Math.min(Number(count ?? 0), ACTIONS); i++) {
      names.push("");
      calls.add({
        ...ask(ref, "Action", "GetName", (name) => names[i] = String(name ?? "")),
        signature: "i",
        args: [i],
      });
    }
  }));
  calls.run(CHANGE_MS);
  return names;
}
