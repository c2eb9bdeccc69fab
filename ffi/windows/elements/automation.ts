/**
 * UI Automation: a window's elements with all listed properties, in one call to its program. Later reads use
 * this process's own copy (a cache request with the subtree).
 */

import type { ElementChange, ElementInfo } from "../../../control/desktop/desktop.ts";
import { attempt } from "../../../core/errors.ts";
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

/** Limits of one reading: number of elements, and depth. */
const LIMITS = { elements: 20_000, depth: 100 };
/** Maximum time for a program to answer, in milliseconds. */
const ANSWER_MS = 2000;

const { IUIAutomation, IUIAutomation2, IUIAutomationCacheRequest, IUIAutomationElement } = SLOTS;
const ARRAY = SLOTS.IUIAutomationElementArray;

/** A cached property. */
type Property = keyof typeof CACHED;
/** An element's properties; those that it does not have are missing. */
type Properties = Partial<Record<Property, VariantValue>>;

/** An element as read. */
export interface AutomationNode {
  element: ComObject;
  /** Identifies the element while it exists. */
  id: string;
  properties: Properties;
  children: AutomationNode[];
}

/** Creates UI Automation's class; undefined if there is none. */
type MakeAutomation = (
  classId: Uint8Array<ArrayBuffer>,
  interfaceId: Uint8Array<ArrayBuffer>,
) => ComObject | undefined;

/** UI Automation, through its COM interfaces. */
export class Automation implements Disposable {
  readonly #tree: ComObject;
  readonly #one: ComObject;
  /** The last number given to an element without an identifier; numbers are never reused. */
  #unnamed = 0;

  private constructor(readonly automation: ComObject, readonly ole: Ole) {
    using limits = automation.as(IID.IUIAutomation2);
    limits?.call(IUIAutomation2.put_ConnectionTimeout, ["u32"], ANSWER_MS);
    limits?.call(IUIAutomation2.put_TransactionTimeout, ["u32"], ANSWER_MS);
    using requests = new DisposableStack();
    this.#one = requests.use(this.#request());
    this.#tree = requests.use(this.#request());
    checked(this.#tree.call(IUIAutomationCacheRequest.put_TreeScope, ["i32"], SCOPE.subtree));
    requests.move();
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

  /**
   * Creates a request for the properties. Older Windows versions refuse the newest ones, which stay unknown.
   */
  #request(): ComObject {
    const request = this.automation.object(IUIAutomation.CreateCacheRequest)!;
    for (const id of Object.values(CACHED)) {
      request.call(IUIAutomationCacheRequest.AddProperty, ["i32"], id);
    }
    return request;
  }

  /**
   * Reads a window's elements.
   * @returns The window's own element, and whether everything was read; undefined if the window exposes none.
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
    try {
      this.#readChildren(root, 1, count);
    } catch (error) {
      releaseTree(root);
      throw error;
    }
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
    const { BuildUpdatedCache } = IUIAutomationElement;
    const update = () => element.object(BuildUpdatedCache, ["pointer"], this.#one.pointer);
    const updated = attempt(update, undefined, ComError);
    return updated && this.#node(updated);
  }

  /**
   * Queries an element's program for a property that is not cached.
   * @param id The property's number.
   * @returns undefined if the program does not provide it.
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

/** Releases a tree's elements. */
export function releaseTree({ element, children }: AutomationNode): void {
  element[Symbol.dispose]();
  children.forEach(releaseTree);
}

// UI Automation elements in deskhand's format.

/** ToggleState and ExpandCollapseState (UIAutomationCore.h). */
const TOGGLE_STATE = { on: 1, mixed: 2 } as const;
const EXPAND = { collapsed: 0, expanded: 1, partly: 2 } as const;

/**
 * An element's role. Some roles depend on more than the control type: password fields, toggle buttons,
 * editable documents.
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

/** An element's states. Properties of missing patterns also have values, which must be ignored. */
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

/** An element's window, and what is known about it. */
interface InfoMeans {
  /** The window's handle. */
  window: bigint;
  depth: number;
  /** Whether there is time to read a field's text. */
  isInTime: boolean;
  /** Returns the style of a control's window. */
  styleOf(control: bigint): number;
}

/** UIA_DocumentControlTypeId. */
const DOCUMENT = 50030;

/** Whether a field is multi-line, by its type, its program's report, or a Windows control's style. */
function isMultiline(properties: Properties, styleOf: InfoMeans["styleOf"]): boolean {
  const { ControlType, AriaProperties, ClassName, NativeWindowHandle: handle } = properties;
  if (ControlType === DOCUMENT || /(?:^|;)multiline=true/i.test(String(AriaProperties ?? ""))) return true;
  const isControl = typeof handle === "number" && handle !== 0 && /edit/i.test(String(ClassName ?? ""));
  return isControl && (styleOf(BigInt(handle)) & MULTILINE_STYLE) !== 0;
}

/** An element as listed by deskhand. Its program is asked for a field's text, but never for a password. */
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

/** An element's identifier, class and description, omitting empty ones. */
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
  // A field whose program did not report these properties may contain a password.
  if (!FIELDS.has(role) || IsPassword !== false || IsValuePatternAvailable !== true) return undefined;
  const value = automation.current(element, VALUE_VALUE);
  return typeof value === "string" ? valueOf(value) : undefined;
}

/** Whether a tree has only windows, panes and title bars: its program does not support UI Automation. */
export function isBare({ children }: AutomationNode): boolean {
  return children.every((child) => {
    const role = roleOf(child.properties);
    return role === "titlebar" || role === "scrollbar" ||
      (role === "panel" || role === "frame") && isBare(child);
  });
}

// Element changes through UI Automation's control patterns.

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

/** UIA_E_TIMEOUT: the program has not returned from the request, for example because it opened a dialog. */
const TIMED_OUT = 0x80131505 | 0;

/** Uses an element's pattern; undefined if it has none. */
function withPattern<T>(element: ComObject, id: number, use: (pattern: ComObject) => T): T | undefined {
  return attempt(() => { // fails if the element is gone, or its program does not answer
    using pattern = element.object(ELEMENT.GetCurrentPattern, ["i32"], id);
    return pattern && use(pattern);
  });
}

/** Ways to press an element, in the order in which they are tried; each returns an HRESULT. */
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
 * Requests a change from an element's program.
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
