/** Changes that programs make to their own elements on request. */

import type { ElementChange } from "../../control/desktop/desktop.ts";
import { propertiesOf } from "../linux/dbus/message.ts";
import { Variant } from "../linux/dbus/values.ts";
import type { Calls } from "./calls.ts";
import { stateBits } from "./cache.ts";
import {
  ask,
  type Call,
  interfaceOf,
  property,
  type Ref,
  refOf,
  refsOf,
  REGISTRY,
  ROOT_PATH,
} from "./objects.ts";
import { QUIRKS } from "../quirks.ts";
import { has, roleName } from "./roles.ts";

/** Maximum time for a change, in milliseconds. */
const CHANGE_MS = 2000;
/** AtspiScrollType: anywhere on the screen. */
const SCROLL_ANYWHERE = 6;
/** Maximum number of an element's actions whose names are requested. */
const ACTIONS = 16;
/**
 * Names of actions that press an element, in order of preference. Other actions do not press: in GTK 4, a
 * window's first action closes it, and a label's first action copies its text.
 */
const PRESSES = (
  "click,press,activate,toggle,jump,dodefault,open,check,uncheck,switch,select,clickancestor,showmenu"
).split(",");
/**
 * Names of actions by kind of press. Menus and lists that a program opens on its own grab the pointer and the
 * keyboard (GTK 3, Qt, Swing). For an option, `activate` is the double-click action in GTK 3.
 */
const ACTION_NAMES = {
  press: PRESSES,
  trigger: "click,press,activate,toggle,jump,dodefault,check,uncheck,switch".split(","),
  choose: "select,click,press,toggle".split(","),
};

/** Number of connections kept open after telling a program to act, without checking whether it is done. */
const KEPT = 4;

/** Number of ancestors searched: of an option for its menu and combo box, of a date's part for the date. */
const AROUND = 3;

/** The call for each change, which returns whether the program reports success. */
const REQUESTS: Record<
  Exclude<ElementChange["type"], keyof typeof ACTION_NAMES | "select" | "value">,
  Omit<Call, "object" | "then"> & { interface: string }
> = {
  focus: { interface: "Component", member: "GrabFocus" },
  scroll: { interface: "Component", member: "ScrollTo", signature: "u", args: [SCROLL_ANYWHERE] },
  set: { interface: "EditableText", member: "SetTextContents", signature: "s" },
};

/**
 * Requests a change of an element from its program.
 * @returns Whether the program reports success.
 * @throws StateError if the caller leaves before the program is asked.
 */
export function changeElement(calls: Calls, ref: Ref, change: ElementChange): boolean {
  const isOfSpinButton = change.type === "value" && isSpinButton(calls, ref);
  const mayBeSilent = isOfSpinButton || ["select", "choose", "set"].includes(change.type);
  if (mayBeSilent && changesSilently(calls, ref) || isOfSpinButton && isInDate(calls, ref)) return false;
  if (change.type === "select") return selectElement(calls, ref);
  if (change.type === "press" || change.type === "trigger" || change.type === "choose") {
    return pressElement(calls, ref, ACTION_NAMES[change.type]);
  }
  calls.commit();
  let isDone = false;
  if (change.type === "value") {
    calls.add(setValue(ref, change.value, (values) => isDone = values !== undefined));
  } else {
    const { interface: type, ...request } = REQUESTS[change.type];
    const args = change.type === "set" ? { args: [change.text] } : {};
    const then = (values: unknown[] | undefined) => isDone = values?.[0] === true;
    calls.add({ ...request, ...args, object: interfaceOf(ref, type), then });
  }
  calls.run(CHANGE_MS);
  return isDone;
}

/** Presses an element. @param wanted Names of actions that press it, in order of preference. */
function pressElement(calls: Calls, ref: Ref, wanted: readonly string[]): boolean {
  const index = pressOf(actionNames(calls, ref), wanted), object = interfaceOf(ref, "Action");
  if (index === undefined) return false;
  let isDone = false;
  const then = (values: unknown[] | undefined) => isDone = values?.[0] === true;
  calls.commit();
  calls.own.open(ref.app); // an unused connection was closed
  calls.add({ object, member: "DoAction", signature: "i", args: [index], then });
  calls.run(CHANGE_MS);
  calls.retire(ref.app);
  if (calls.own.spentOn(ref.app) > KEPT && !showsModal(calls, ref)) calls.own.release(ref.app);
  return isDone;
}

/** Whether a program shows a modal dialog, and may thus still be handling a request; true if it is silent. */
function showsModal(calls: Calls, { app }: Ref): boolean {
  let isModal = false;
  calls.add(ask({ app, path: ROOT_PATH }, "Accessible", "GetChildren", (children) => {
    for (const window of refsOf(children)) {
      calls.add(
        ask(window, "Accessible", "GetState", (states) => isModal ||= has(stateBits(states), "modal")),
      );
    }
  }));
  return !calls.run(CHANGE_MS) || isModal;
}

function isSpinButton(calls: Calls, ref: Ref): boolean {
  let role = 0;
  calls.add(ask(ref, "Accessible", "GetRole", (value) => role = Number(value)));
  calls.run(CHANGE_MS);
  return roleName(role) === "spinbutton";
}

/** Whether an element is a part of a date or time, which Chromium claims to set, but leaves as it was. */
function isInDate(calls: Calls, ref: Ref): boolean {
  const roles: number[] = [];
  for (const one of ancestorsOf(calls, ref)) {
    calls.add(ask(one, "Accessible", "GetRole", (value) => roles.push(Number(value))));
  }
  calls.run(CHANGE_MS);
  return roles.some((role) => roleName(role) === "date editor");
}

/** An element's ancestors from the inside out. @param most Their maximum number. */
export function ancestorsOf(calls: Calls, ref: Ref, most = AROUND): Ref[] {
  const around: Ref[] = [];
  const climb = (from: Ref) =>
    calls.add(property(from, "Accessible", "Parent", (value) => {
      const parent = refOf(value);
      if (!parent) return;
      around.push(parent);
      if (around.length < most) climb(parent);
    }));
  climb(ref);
  calls.run(CHANGE_MS);
  return around;
}

/** Whether an element belongs to a program whose pages are not notified of such changes. */
function changesSilently(calls: Calls, { app }: Ref): boolean {
  let toolkit: unknown;
  const root = { app, path: ROOT_PATH };
  calls.add(property(root, "Application", "ToolkitName", (name) => toolkit = name));
  calls.run(CHANGE_MS);
  return toolkit === QUIRKS.silentChanges.toolkit;
}

/** The call that sets an element's number; its answer has no values. */
function setValue(ref: Ref, value: number, then: Call["then"]): Call {
  const object = interfaceOf(ref, "Value");
  return {
    object: propertiesOf(object),
    member: "Set",
    signature: "ssv",
    args: [object.interface, "CurrentValue", new Variant("d", value)],
    then,
  };
}

/**
 * Selects an option. The selection belongs to the element around it, or, as in a GTK 3 combo box, to the one
 * around its menu, which counts the menu's entries as its own.
 */
function selectElement(calls: Calls, ref: Ref): boolean {
  let index: number | undefined, isDone = false;
  calls.add(ask(ref, "Accessible", "GetIndexInParent", (value) => index = Number(value)));
  const around = ancestorsOf(calls, ref);
  if (index === undefined || !(index >= 0)) return false;
  const roles = new Map<Ref, number>();
  for (const one of around) {
    calls.add(ask(one, "Accessible", "GetRole", (value) => roles.set(one, Number(value))));
  }
  calls.run(CHANGE_MS);
  calls.commit();
  const combo = around.find((one) => roleName(roles.get(one) ?? 0) === "combobox");
  for (const object of combo ? [combo, around[0]] : around.slice(0, 1)) {
    if (isDone) break;
    calls.add({
      object: interfaceOf(object, "Selection"),
      member: "SelectChild",
      signature: "i",
      args: [index],
      then: (values) => isDone = values?.[0] === true,
    });
    calls.run(CHANGE_MS);
  }
  return isDone;
}

/**
 * Waits for keys as defined by `Elements.keysReturned`. Before a program handles a key, it sends the key to the
 * registry and awaits the answer (Qt, QSpiApplicationAdaptor::eventFilter; at-spi2-atk, event.c). The program's
 * answer follows all keys that it has sent there, and the registry's answer follows its answers to them.
 * @returns Whether both have answered.
 */
export function keysReturned(calls: Calls, ref: Ref): boolean {
  return [ref, REGISTRY].every((one) => {
    let isAnswered = false;
    calls.add(ask(one, "Accessible", "GetRole", (role) => isAnswered = role !== undefined));
    calls.run(CHANGE_MS);
    return isAnswered;
  });
}

/**
 * The index of the action that presses an element.
 * @param names The names of its actions.
 * @param wanted Names that press, in order of preference.
 * @example
 * pressOf(["window.close", "Press"]); // 1
 */
export function pressOf(names: readonly string[], wanted: readonly string[] = PRESSES): number | undefined {
  const ranks = names.map((name) => wanted.indexOf(name.toLowerCase()));
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
