/** Programs whose elements are watched: by their events, and by some of their places. */

import type { ElementChange, Region } from "../../control/desktop/desktop.ts";
import { DAEMON, propertiesOf } from "../linux/dbus/message.ts";
import { Variant } from "../linux/dbus/values.ts";
import {
  ask,
  type Call,
  type Calls,
  interfaceOf,
  property,
  type Ref,
  refOf,
  REGISTRY_OBJECT,
} from "./calls.ts";
import type { Node } from "./reader.ts";
import { roleName } from "./roles.ts";

/** The longest time for beginning and ending, in milliseconds. */
const ASK_MS = 1000;
/** Elements of a window whose places are compared: not every program reports that its content was scrolled. */
const SAMPLE = 48;
/** Events of elements (at-spi2-core, xml/Event.xml), each with all that begin so. */
const EVENTS = ["object:", "document:"];
/** The time between readings of events from the bus, in milliseconds: waiting events take memory there. */
const TAKE_MS = 200;

/** A window as it was read. */
interface Sighting {
  app: string;
  sample: Node[];
}

/**
 * Watches programs from one reading to the next. The first event of a program ends its watch: each event costs the
 * program work, and one event is enough to know that something changed.
 */
export class Watches {
  readonly #watched = new Set<string>();
  /** Programs that have sent an event, and may still send more. */
  readonly #ended = new Set<string>();
  readonly #sightings = new Map<string, Sighting>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(readonly calls: Calls) {
    calls.onSignal = (sender) => this.#changed(sender);
  }

  /** Begins to watch a program, before one of its windows is read. */
  begin(app: string): void {
    if (this.#watched.has(app)) return;
    this.#watched.add(app);
    if (this.#ended.delete(app)) return;
    this.#ask("AddMatch", "RegisterEvent", "sass", app);
    this.#timer ??= setInterval(() => this.#take(), TAKE_MS);
  }

  /** Notes the elements that were read from a window. */
  seen(windowId: string, app: string, nodes: readonly Node[]): void {
    const placed = nodes.filter(({ place }) => place), step = Math.max(1, placed.length / SAMPLE);
    const sample = Array.from(
      { length: Math.min(SAMPLE, placed.length) },
      (_, i) => placed[Math.floor(i * step)],
    );
    this.#sightings.set(windowId, { app, sample });
  }

  /** Whether a window has not changed since the last reading, as far as its program reports changes. */
  isSame(windowId: string, placesOf: (nodes: Node[]) => (Region | undefined)[]): boolean {
    const sighting = this.#sightings.get(windowId);
    if (!sighting || !this.#watched.has(sighting.app)) return false;
    const { app, sample } = sighting, places = placesOf(sample);
    const isSame = sample.every(({ place }, i) => JSON.stringify(places[i]) === JSON.stringify(place));
    return isSame && this.#watched.has(app); // an event may have come with the answers
  }

  /** Ends the watches of all programs but some, since the others have ended. */
  retain(apps: readonly string[]): void {
    for (const app of this.#watched) if (!apps.includes(app)) this.#changed(app);
  }

  /** Whether watched programs have reported no change. */
  isQuiet(apps: readonly string[]): boolean {
    this.calls.take(TAKE_MS);
    return apps.every((app) => this.#watched.has(app));
  }

  #take(): void {
    try {
      this.calls.take(TAKE_MS);
      for (const app of this.#ended) this.#ask("RemoveMatch", "DeregisterEvent", "s", app);
    } catch {
      this.#watched.clear(); // the bus is gone, which the next call tells
    }
    this.#ended.clear();
    if (this.#watched.size) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #changed(app: string): void {
    if (this.#watched.delete(app)) this.#ended.add(app);
  }

  /** Asks bus and registry for the events of a program, or for none. */
  #ask(match: string, register: string, signature: "s" | "sass", app: string): void {
    const object = interfaceOf(REGISTRY_OBJECT, "Registry"), then = () => {};
    this.calls.add({
      object: DAEMON,
      member: match,
      signature: "s",
      args: [`type='signal',sender='${app}'`],
      then,
    });
    for (const event of EVENTS) {
      const args = signature === "s" ? [event] : [event, [], app];
      this.calls.add({ object, member: register, signature, args, then });
    }
    this.calls.run(ASK_MS);
  }
}

// Changes that programs make to their own elements.

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

/** Elements around an option among which the one that has the selection is looked for: a menu, and its combo box. */
const AROUND = 3;

/** The call of each change; its answer tells whether the program reports success. */
const REQUESTS: Record<
  Exclude<ElementChange["type"], "press" | "select" | "value">,
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
  if (change.type === "select") return selectElement(calls, ref);
  let isDone = false;
  const then = (values: unknown[] | undefined) => isDone = values?.[0] === true;
  if (change.type === "value") {
    calls.add(setValue(ref, change.value, (values) => isDone = values !== undefined));
  } else if (change.type === "press") {
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
 * Chooses an option. The selection is that of the element around it, or, as in a combo box of GTK 3, of the one around
 * its menu, which counts the menu's entries as its own.
 */
function selectElement(calls: Calls, ref: Ref): boolean {
  let index: number | undefined, isDone = false;
  calls.add(ask(ref, "Accessible", "GetIndexInParent", (value) => index = Number(value)));
  const around: Ref[] = [];
  const climb = (from: Ref) =>
    calls.add(property(from, "Accessible", "Parent", (value) => {
      const parent = refOf(value);
      if (!parent) return;
      around.push(parent);
      if (around.length < AROUND) climb(parent);
    }));
  climb(ref);
  calls.run(CHANGE_MS);
  if (index === undefined || !(index >= 0)) return false;
  const roles = new Map<Ref, number>();
  for (const one of around) {
    calls.add(ask(one, "Accessible", "GetRole", (value) => roles.set(one, Number(value))));
  }
  calls.run(CHANGE_MS);
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
