/** Changes that programs make to their own elements. */

import type { ElementChange } from "../../control/desktop.ts";
import type { Call, Calls } from "./calls.ts";
import { interfaceOf, type Ref } from "./objects.ts";

/** The longest time for a change, in milliseconds. */
const CHANGE_MS = 2000;
/** AtspiScrollType: anywhere on the screen. */
const SCROLL_ANYWHERE = 6;

/** By change, the call that asks for it; each answers whether the program says that it did it. */
const REQUESTS: Record<ElementChange["type"], Omit<Call, "object" | "then"> & { interface: string }> = {
  press: { interface: "Action", member: "DoAction", signature: "i", args: [0] },
  focus: { interface: "Component", member: "GrabFocus" },
  scroll: { interface: "Component", member: "ScrollTo", signature: "u", args: [SCROLL_ANYWHERE] },
  set: { interface: "EditableText", member: "SetTextContents", signature: "s" },
};

/**
 * Asks a program for a change of one of its elements.
 * @returns Whether the program says that it did it.
 */
export function changeElement(calls: Calls, ref: Ref, change: ElementChange): boolean {
  const { interface: type, ...request } = REQUESTS[change.type];
  let isDone = false;
  calls.add({
    ...request,
    ...(change.type === "set" ? { args: [change.text] } : {}),
    object: interfaceOf(ref, type),
    then: (values) => isDone = values?.[0] === true,
  });
  calls.run(CHANGE_MS);
  return isDone;
}
