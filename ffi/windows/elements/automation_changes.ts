/** Changes of elements by control patterns of UI Automation. */

import type { ElementChange } from "../../../control/desktop.ts";
import { EXPAND } from "./automation_elements.ts";
import type { ComObject } from "./com.ts";
import { PATTERN, SLOTS } from "./interfaces.ts";
import { fieldText } from "./states.ts";
import type { Ole } from "./variant.ts";

const {
  IUIAutomationElement: ELEMENT,
  IUIAutomationInvokePattern: INVOKE,
  IUIAutomationTogglePattern: TOGGLE,
  IUIAutomationSelectionItemPattern: SELECTION,
  IUIAutomationExpandCollapsePattern: EXPANSION,
  IUIAutomationScrollItemPattern: SCROLL,
  IUIAutomationValuePattern: VALUE,
  IUIAutomationLegacyIAccessiblePattern: LEGACY,
} = SLOTS;

/** UIA_E_TIMEOUT: the program has the request and has not come back, as while a dialog is open that the press opened. */
const TIMED_OUT = 0x80131505 | 0;

/** Uses a pattern of an element; undefined if it has none. */
function withPattern<T>(element: ComObject, id: number, use: (pattern: ComObject) => T): T | undefined {
  try {
    using pattern = element.object(ELEMENT.GetCurrentPattern, ["i32"], id);
    return pattern && use(pattern);
  } catch {
    return undefined; // the element is gone, or its program does not answer
  }
}

/** Ways to press an element, in the order in which they are tried; each answers with an HRESULT. */
const PRESSES: readonly (readonly [pattern: number, press: (pattern: ComObject) => number])[] = [
  [PATTERN.Invoke, (pattern) => pattern.call(INVOKE.Invoke)],
  [PATTERN.Toggle, (pattern) => pattern.call(TOGGLE.Toggle)],
  [PATTERN.SelectionItem, (pattern) => pattern.call(SELECTION.Select)],
  [PATTERN.ExpandCollapse, (pattern) => {
    const isOpen = pattern.integer(EXPANSION.get_CurrentExpandCollapseState) === EXPAND.expanded;
    return pattern.call(isOpen ? EXPANSION.Collapse : EXPANSION.Expand);
  }],
  [PATTERN.LegacyIAccessible, (pattern) => pattern.call(LEGACY.DoDefaultAction)],
];

function press(element: ComObject): boolean {
  for (const [id, act] of PRESSES) {
    const result = withPattern(element, id, act);
    if (result !== undefined && (result >= 0 || result === TIMED_OUT)) return true;
  }
  return false;
}

function set(element: ComObject, text: string, ole: Ole): boolean {
  const bstr = ole.makeText(fieldText(text)), value = Deno.UnsafePointer.create(bstr);
  try {
    return [[PATTERN.Value, VALUE.SetValue], [PATTERN.LegacyIAccessible, LEGACY.SetValue]].some(
      ([id, slot]) => {
        const result = withPattern(element, id, (pattern) => pattern.call(slot, ["pointer"], value));
        return result !== undefined && result >= 0;
      },
    );
  } finally {
    ole.freeText(bstr);
  }
}

/**
 * Asks an element's program for a change.
 * @returns Whether the program reports success.
 */
export function changeByAutomation(element: ComObject, change: ElementChange, ole: Ole): boolean {
  if (change.type === "press") return press(element);
  if (change.type === "set") return set(element, change.text, ole);
  if (change.type === "focus") return element.call(ELEMENT.SetFocus) >= 0;
  const result = withPattern(element, PATTERN.ScrollItem, (pattern) => pattern.call(SCROLL.ScrollIntoView));
  return result !== undefined && result >= 0;
}
