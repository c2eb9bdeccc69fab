/** Elements of MSAA in the form of deskhand. */

import type { ElementInfo } from "../../../control/desktop.ts";
import { type Accessible, type AccessibleReader, PART } from "./accessible.ts";
import type { Controls } from "./controls.ts";
import { type MsaaKey, msaaKey } from "./keys.ts";
import { FIELDS, RANGES, roleOfClass, roleOfMsaa } from "./roles.ts";
import { msaaFlags, nameOf, PROTECTED, statesOf, valueOf } from "./states.ts";

/** ROLE_SYSTEM_WINDOW and ROLE_SYSTEM_CLIENT: these roles do not tell the kind of control. */
const VAGUE = new Set([9, 10]);
/** Class of the windows of dialogs. */
const DIALOG = "#32770";
/** ES_PASSWORD. */
const PASSWORD_STYLE = 0x20;
/** Results of BM_GETCHECK. */
const CHECKED = 1, MIXED = 2;

/** The means of describing controls. */
interface Means {
  controls: Controls;
  accessibles: AccessibleReader;
}

/** Describes a control, which is a window or a window within it. */
export function controlInfo(
  { controls, accessibles }: Means,
  window: bigint,
  element: Accessible,
  depth: number,
): ElementInfo {
  const number = accessibles.roleOf(element), isVague = number === undefined || VAGUE.has(number);
  const className = controls.classOf(window), style = controls.styleOf(window);
  const known = isVague
    ? roleOfClass(className, style) ?? windowRole(controls, window, className)
    : roleOfMsaa(number);
  const bits = accessibles.statesOf(element), isField = FIELDS.has(known);
  const isPassword = (bits & PROTECTED) !== 0 || known === "textbox" && (style & PASSWORD_STYLE) !== 0;
  const role = isPassword ? "password" : known;
  // The name of a field that MSAA knows nothing of is its text.
  const name = isVague && isField ? labelOf(controls, accessibles, window) : accessibles.nameOf(element);
  const value = isPassword ? undefined : valueIn(accessibles, element, role, isVague);
  const check = isVague && (role === "checkbox" || role === "radio") ? controls.checkOf(window) : 0;
  const flags = msaaFlags(bits), place = accessibles.placeOf(element);
  const { process } = controls.ownerOf(window);
  return {
    key: msaaKey({ window, process, part: PART.client, path: [] }),
    role,
    name: nameOf(name ?? ""),
    ...(value === undefined ? {} : { value: valueOf(value) }),
    states: statesOf(role, {
      ...flags,
      isOn: flags.isOn || check === CHECKED,
      isMixed: flags.isMixed || check === MIXED,
      isHidden: flags.isHidden || !controls.isShown(window),
      isReadOnly: flags.isReadOnly && isField,
    }),
    depth,
    ...(place ? { place } : {}),
  };
}

function windowRole(controls: Controls, window: bigint, className: string): string {
  if (controls.rootOf(window) !== window) return "panel";
  return className === DIALOG ? "dialog" : "frame";
}

/** The name of the label before a control, if there is one. */
function labelOf(controls: Controls, accessibles: AccessibleReader, window: bigint): string | undefined {
  const label = controls.before(window);
  if (!label || roleOfClass(controls.classOf(label), controls.styleOf(label)) !== "label") return undefined;
  const element = accessibles.ofWindow(label, PART.client);
  using _element = element?.object;
  return element && accessibles.nameOf(element);
}

function valueIn(
  accessibles: AccessibleReader,
  element: Accessible,
  role: string,
  isVague: boolean,
): string | undefined {
  if (FIELDS.has(role)) {
    return isVague ? accessibles.nameOf(element) ?? "" : accessibles.valueOf(element) ?? "";
  }
  return RANGES.has(role) ? accessibles.valueOf(element) : undefined;
}

/** An element within a control, such as an item of a list. */
export function itemInfo(
  accessibles: AccessibleReader,
  element: Accessible,
  key: MsaaKey,
  depth: number,
): ElementInfo {
  const bits = accessibles.statesOf(element), isPassword = (bits & PROTECTED) !== 0;
  const known = roleOfMsaa(accessibles.roleOf(element) ?? -1), role = isPassword ? "password" : known;
  const name = nameOf(accessibles.nameOf(element) ?? ""), place = accessibles.placeOf(element);
  const isRead = !isPassword && (FIELDS.has(role) || RANGES.has(role));
  const value = isRead ? accessibles.valueOf(element) : undefined, flags = msaaFlags(bits);
  return {
    key: msaaKey({ ...key, identity: `${role} ${name}` }),
    role,
    name,
    ...(value === undefined ? {} : { value: valueOf(value) }),
    states: statesOf(role, { ...flags, isReadOnly: flags.isReadOnly && FIELDS.has(role) }),
    depth,
    ...(place ? { place } : {}),
  };
}
