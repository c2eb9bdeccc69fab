/** Elements of UI Automation in the form of deskhand. */

import type { ElementInfo } from "../../../control/desktop.ts";
import type { Automation, AutomationNode, Properties } from "./automation.ts";
import { automationKey } from "./keys.ts";
import { VALUE_VALUE } from "./interfaces.ts";
import { FIELDS, RANGES, roleOfControlType } from "./roles.ts";
import { nameOf, placeOf, type StateFlags, statesOf, valueOf } from "./states.ts";

/** ToggleState and ExpandCollapseState (UIAutomationCore.h). */
const TOGGLE = { on: 1, mixed: 2 } as const;
export const EXPAND = { collapsed: 0, expanded: 1, partly: 2 } as const;

/**
 * The role of an element. Some roles depend on more than the control type: passwords, buttons that stay pressed,
 * documents that can be written.
 * @param depth 0 for the window's own element.
 */
export function roleOf(properties: Properties, depth?: number): string {
  if (properties.IsPassword === true) return "password";
  const { AriaRole, ControlType, IsDialog, IsTogglePatternAvailable } = properties;
  const role = roleOfControlType(Number(ControlType), typeof AriaRole === "string" ? AriaRole : "");
  const isWritable = properties.IsValuePatternAvailable === true && properties.ValueIsReadOnly === false;
  if (role === "document" && isWritable) return "textbox";
  if (role === "button" && IsTogglePatternAvailable === true) return "togglebutton";
  if (role === "frame" && IsDialog === true) return "dialog";
  return depth === 0 && role === "panel" ? "frame" : role;
}

/** The states of an element. Properties of missing patterns have values too, which must be ignored. */
export function flagsOf(properties: Properties): StateFlags {
  const {
    ToggleToggleState: toggle,
    ExpandCollapseExpandCollapseState: expand,
    IsTogglePatternAvailable: canToggle,
    IsExpandCollapsePatternAvailable: canExpand,
    IsSelectionItemPatternAvailable: canSelect,
    IsValuePatternAvailable: hasValue,
  } = properties;
  return {
    isFocused: properties.HasKeyboardFocus === true,
    isDisabled: properties.IsEnabled === false,
    isOn: canToggle === true && toggle === TOGGLE.on,
    isMixed: canToggle === true && toggle === TOGGLE.mixed,
    isSelected: canSelect === true && properties.SelectionItemIsSelected === true,
    isExpanded: canExpand === true && (expand === EXPAND.expanded || expand === EXPAND.partly),
    isCollapsed: canExpand === true && expand === EXPAND.collapsed,
    isRequired: properties.IsRequiredForForm === true,
    isReadOnly: hasValue === true && properties.ValueIsReadOnly === true,
    isHidden: properties.IsOffscreen === true,
  };
}

/**
 * An element as deskhand lists it. Its program is asked for the text of a field, and never for that of a password.
 * @param in `window` is the window's handle, `isInTime` whether there is time for the text of a field.
 */
export function infoOf(
  automation: Automation,
  { element, id, properties }: AutomationNode,
  { window, depth, isInTime }: { window: bigint; depth: number; isInTime: boolean },
): ElementInfo {
  const role = roleOf(properties, depth),
    place = placeOf(properties.BoundingRectangle as number[] | undefined);
  const flags = flagsOf(properties),
    value = isInTime ? valueIn(automation, element, role, properties) : undefined;
  const states = statesOf(role, { ...flags, isReadOnly: flags.isReadOnly && FIELDS.has(role) });
  return {
    key: automationKey({ window, id }),
    role,
    name: nameOf(String(properties.Name ?? "")),
    ...(value === undefined ? {} : { value }),
    states,
    depth,
    ...(place ? { place } : {}),
  };
}

function valueIn(
  automation: Automation,
  element: AutomationNode["element"],
  role: string,
  { IsPassword, IsValuePatternAvailable, IsRangeValuePatternAvailable, RangeValueValue }: Properties,
): string | undefined {
  if (RANGES.has(role) && IsRangeValuePatternAvailable === true) return String(RangeValueValue ?? "");
  // A field whose program did not report these properties may hold a password.
  if (!FIELDS.has(role) || IsPassword !== false || IsValuePatternAvailable !== true) return undefined;
  const value = automation.current(element, VALUE_VALUE);
  return typeof value === "string" ? valueOf(value) : undefined;
}

/** Tells whether a tree has only windows, panes and title bars: its program then shows nothing by UI Automation. */
export function isBare({ children }: AutomationNode): boolean {
  return children.every((child) => {
    const role = roleOf(child.properties);
    return role === "titlebar" || role === "scrollbar" ||
      (role === "panel" || role === "frame") && isBare(child);
  });
}
