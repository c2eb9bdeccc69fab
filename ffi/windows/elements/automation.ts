/**
 * UI Automation: the elements of a window with all listed properties, by one call to its program. Later reads use
 * this process's own copy (a cache request with the subtree).
 */

import type { ElementChange, ElementInfo } from "../../../control/desktop/desktop.ts";
import {
  AUTOMATION_CLASSES,
  CACHED,
  checked,
  ComError,
  type ComObject,
  IID,
  integersAt,
  type Ole,
  PATTERN,
  SCOPE,
  SLOTS,
  VALUE_VALUE,
  VARIANT_BYTES,
  type VariantValue,
  variantValue,
} from "./com.ts";
import {
  automationKey,
  FIELDS,
  fieldText,
  MULTILINE_STYLE,
  nameOf,
  placeOf,
  RANGES,
  roleOfControlType,
  type StateFlags,
  statesOf,
  valueOf,
} from "./roles.ts";

/** Bounds of one reading: elements and depth. */
const LIMITS = { elements: 20_000, depth: 100 };
/** The time that a program may take to answer, in milliseconds. */
const ANSWER_MS = 2000;

const { IUIAutomation, IUIAutomation2, IUIAutomationCacheRequest, IUIAutomationElement } = SLOTS;
const ARRAY = SLOTS.IUIAutomationElementArray;

/** A property that is cached. */
type Property = keyof typeof CACHED;
/** The properties of an element; those that it lacks are missing. */
type Properties = Partial<Record<Property, VariantValue>>;

/** An element as it was read. */
export interface AutomationNode {
  element: ComObject;
  /** Names the element while it exists. */
  id: string;
  properties: Properties;
  children: AutomationNode[];
}

/** Gives the class of UI Automation; undefined where there is none. */
type MakeAutomation = (
  classId: Uint8Array<ArrayBuffer>,
  interfaceId: Uint8Array<ArrayBuffer>,
) => ComObject | undefined;

/** UI Automation, by its COM interfaces. */
export class Automation implements Disposable {
  readonly #tree: ComObject;
  readonly #one: ComObject;
  /** Elements that have no identifier get a number, which never comes again. */
  #unnamed = 0;

  private constructor(readonly automation: ComObject, readonly ole: Ole) {
    using limits = automation.as(IID.IUIAutomation2);
    limits?.call(IUIAutomation2.put_ConnectionTimeout, ["u32"], ANSWER_MS);
    limits?.call(IUIAutomation2.put_TransactionTimeout, ["u32"], ANSWER_MS);
    this.#one = this.#request();
    this.#tree = this.#request();
    checked(this.#tree.call(IUIAutomationCacheRequest.put_TreeScope, ["i32"], SCOPE.subtree));
  }

  /**
   * Opens UI Automation.
   * @returns undefined if it is missing, or cannot cache a subtree, as in Wine 10.
   */
  static open(make: MakeAutomation, ole: Ole): Automation | undefined {
    for (const id of AUTOMATION_CLASSES) {
      const automation = make(id, IID.IUIAutomation);
      if (!automation) continue;
      try {
        return new Automation(automation, ole);
      } catch (error) {
        automation[Symbol.dispose]();
        if (!(error instanceof ComError)) throw error;
      }
    }
    return undefined;
  }

  /** A request for the properties. An older Windows refuses the newest of them; those stay unknown. */
  #request(): ComObject {
    const request = this.automation.object(IUIAutomation.CreateCacheRequest)!;
    for (const id of Object.values(CACHED)) {
      request.call(IUIAutomationCacheRequest.AddProperty, ["i32"], id);
    }
    return request;
  }

  /**
   * Reads the elements of a window.
   * @returns The window's own element, and whether all was read; undefined if the window shows none.
   * @throws ComError if the window's program does not answer.
   */
  read(window: bigint): { root: AutomationNode; isWhole: boolean } | undefined {
    const element = this.automation.object(
      IUIAutomation.ElementFromHandleBuildCache,
      ["usize", "pointer"],
      window,
      this.#tree.pointer,
    );
    if (!element) return undefined;
    const count = { left: LIMITS.elements - 1, isWhole: true };
    const root = this.#node(element);
    this.#readChildren(root, 1, count);
    return { root, isWhole: count.isWhole };
  }

  #readChildren(node: AutomationNode, depth: number, count: { left: number; isWhole: boolean }): void {
    using children = node.element.object(IUIAutomationElement.GetCachedChildren);
    const length = children?.integer(ARRAY.get_Length) ?? 0;
    for (let i = 0; i < length; i++) {
      if (!count.left || depth > LIMITS.depth) {
        count.isWhole = false;
        return;
      }
      const element = children!.object(ARRAY.GetElement, ["i32"], i);
      if (!element) continue;
      count.left--;
      const child = this.#node(element);
      node.children.push(child);
      this.#readChildren(child, depth + 1, count);
    }
  }

  /**
   * Reads an element again.
   * @returns undefined if it is gone.
   */
  reread(element: ComObject): AutomationNode | undefined {
    try {
      const updated = element.object(
        IUIAutomationElement.BuildUpdatedCache,
        ["pointer"],
        this.#one.pointer,
      );
      return updated && this.#node(updated);
    } catch (error) {
      if (error instanceof ComError) return undefined;
      throw error;
    }
  }

  /**
   * Asks an element's program for a property that is not cached.
   * @param id Its number.
   * @returns undefined if the program does not give it.
   */
  current(element: ComObject, id: number): VariantValue {
    return this.#value(element, IUIAutomationElement.GetCurrentPropertyValue, id);
  }

  #node(element: ComObject): AutomationNode {
    const properties: Properties = {};
    for (const [name, id] of Object.entries(CACHED)) {
      const value = this.#value(element, IUIAutomationElement.GetCachedPropertyValue, id);
      if (value !== undefined) properties[name as Property] = value;
    }
    const cached = properties.RuntimeId;
    const id = Array.isArray(cached) && cached.length ? cached : this.#runtimeId(element);
    return { element, id: id.join(".") || `-${++this.#unnamed}`, properties, children: [] };
  }

  #value(element: ComObject, slot: number, id: number): VariantValue {
    const variant = new Uint8Array(VARIANT_BYTES);
    if (element.call(slot, ["i32", "buffer"], id, variant) < 0) return undefined;
    try {
      return variantValue(variant, this.ole);
    } finally {
      this.ole.clear(variant);
    }
  }

  [Symbol.dispose](): void {
    for (const object of [this.#one, this.#tree, this.automation]) object[Symbol.dispose]();
  }

  #runtimeId(element: ComObject): number[] {
    const out = new BigUint64Array(1);
    if (element.call(IUIAutomationElement.GetRuntimeId, ["buffer"], out) < 0) return [];
    try {
      return integersAt(out[0]);
    } finally {
      this.ole.freeArray(out[0]);
    }
  }
}

/** Gives back the elements of a tree. */
export function releaseTree({ element, children }: AutomationNode): void {
  element[Symbol.dispose]();
  children.forEach(releaseTree);
}

// Elements of UI Automation in the form of deskhand.

/** ToggleState and ExpandCollapseState (UIAutomationCore.h). */
const TOGGLE_STATE = { on: 1, mixed: 2 } as const;
const EXPAND = { collapsed: 0, expanded: 1, partly: 2 } as const;

/**
 * The role of an element. Some roles depend on more than the control type: passwords, buttons that stay pressed,
 * documents that can be written.
 * @param depth 0 for the window's own element.
 */
function roleOf(properties: Properties, depth?: number): string {
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
function flagsOf(properties: Properties): StateFlags {
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
    isOn: canToggle === true && toggle === TOGGLE_STATE.on,
    isMixed: canToggle === true && toggle === TOGGLE_STATE.mixed,
    isSelected: canSelect === true && properties.SelectionItemIsSelected === true,
    isExpanded: canExpand === true && (expand === EXPAND.expanded || expand === EXPAND.partly),
    isCollapsed: canExpand === true && expand === EXPAND.collapsed,
    isRequired: properties.IsRequiredForForm === true,
    isReadOnly: hasValue === true && properties.ValueIsReadOnly === true,
    isHidden: properties.IsOffscreen === true,
  };
}

/** The window of an element, and what is known of it. */
interface InfoMeans {
  /** The window's handle. */
  window: bigint;
  depth: number;
  /** Whether there is time for the text of a field. */
  isInTime: boolean;
  /** The style of the window of a control. */
  styleOf(control: bigint): number;
}

/** UIA_DocumentControlTypeId. */
const DOCUMENT = 50030;

/** Whether a field has several lines: by its type, by the program's own word, or by the style of a control of Windows. */
function isMultiline(properties: Properties, styleOf: InfoMeans["styleOf"]): boolean {
  const { ControlType, AriaProperties, ClassName, NativeWindowHandle: handle } = properties;
  if (ControlType === DOCUMENT || /(?:^|;)multiline=true/i.test(String(AriaProperties ?? ""))) return true;
  const isControl = typeof handle === "number" && handle !== 0 && /edit/i.test(String(ClassName ?? ""));
  return isControl && (styleOf(BigInt(handle)) & MULTILINE_STYLE) !== 0;
}

/**
 * An element as deskhand lists it. Its program is asked for the text of a field, and never for that of a password.
 */
export function infoOf(
  automation: Automation,
  { element, id, properties }: AutomationNode,
  { window, depth, isInTime, styleOf }: InfoMeans,
): ElementInfo {
  const role = roleOf(properties, depth),
    place = placeOf(properties.BoundingRectangle as number[] | undefined);
  const flags = flagsOf(properties),
    value = isInTime ? valueIn(automation, element, role, properties) : undefined;
  const states = statesOf(role, {
    ...flags,
    isReadOnly: flags.isReadOnly && FIELDS.has(role),
    isMultiline: isMultiline(properties, styleOf),
  });
  return {
    key: automationKey({ window, id }),
    role,
    name: nameOf(String(properties.Name ?? "")),
    ...(value === undefined ? {} : { value }),
    states,
    depth,
    ...(place ? { place } : {}),
    ...identityOf(properties),
  };
}

/** The identifier, class and description of an element; those that are empty are left out. */
function identityOf({ AutomationId, ClassName, HelpText }: Properties): Partial<ElementInfo> {
  const texts = { id: AutomationId, className: ClassName, description: HelpText };
  return Object.fromEntries(
    Object.entries(texts).filter(([, text]) => typeof text === "string" && text !== "")
      .map(([name, text]) => [name, nameOf(text as string)]),
  );
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

/** Whether a tree has only windows, panes and title bars: its program then shows nothing by UI Automation. */
export function isBare({ children }: AutomationNode): boolean {
  return children.every((child) => {
    const role = roleOf(child.properties);
    return role === "titlebar" || role === "scrollbar" ||
      (role === "panel" || role === "frame") && isBare(child);
  });
}

// Changes of elements by control patterns of UI Automation.

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
  if (change.type === "value") return set(element, String(change.value), ole);
  if (change.type === "focus") return element.call(ELEMENT.SetFocus) >= 0;
  if (change.type === "select") {
    const chosen = withPattern(element, PATTERN.SelectionItem, (pattern) => pattern.call(SELECTION.Select));
    return chosen !== undefined && chosen >= 0;
  }
  if (change.type !== "scroll") return false;
  const result = withPattern(element, PATTERN.ScrollItem, (pattern) => pattern.call(SCROLL.ScrollIntoView));
  return result !== undefined && result >= 0;
}
