/**
 * Interfaces of UI Automation and MSAA: their identifiers, and the places of the methods that deskhand calls in their
 * tables (UIAutomationClient.h, oleacc.h).
 */

import { guid } from "./com.ts";

/** Classes of UI Automation, the newer one first: Windows 8 and later, Windows 7. */
export const AUTOMATION_CLASSES = [
  "e22ad333-b25f-460c-83d0-0581107395c9",
  "ff48dba4-60ef-4201-aa87-54103eef594e",
]
  .map(guid);

/** Identifiers of interfaces. */
export const IID = {
  IUIAutomation: guid("30cbe57d-d9d0-452a-ab13-7ac5ac4825ee"),
  IUIAutomation2: guid("34723aff-0c9d-49d0-9896-7ab52df8cd8a"),
  IAccessible: guid("618736e0-3c3d-11cf-810c-00aa00389b71"),
} as const;

/** The places of methods by interface. A property `P` is `get_P` or `put_P`. */
export const SLOTS = {
  IUIAutomation: { ElementFromHandleBuildCache: 10, CreateCacheRequest: 20 },
  IUIAutomation2: { put_ConnectionTimeout: 61, put_TransactionTimeout: 63 },
  IUIAutomationCacheRequest: { AddProperty: 3, put_TreeScope: 7 },
  IUIAutomationElement: {
    SetFocus: 3,
    GetRuntimeId: 4,
    BuildUpdatedCache: 9,
    GetCurrentPropertyValue: 10,
    GetCachedPropertyValue: 12,
    GetCurrentPattern: 16,
    GetCachedChildren: 19,
  },
  IUIAutomationElementArray: { get_Length: 3, GetElement: 4 },
  IUIAutomationInvokePattern: { Invoke: 3 },
  IUIAutomationTogglePattern: { Toggle: 3 },
  IUIAutomationSelectionItemPattern: { Select: 3 },
  IUIAutomationExpandCollapsePattern: { Expand: 3, Collapse: 4, get_CurrentExpandCollapseState: 5 },
  IUIAutomationScrollItemPattern: { ScrollIntoView: 3 },
  IUIAutomationValuePattern: { SetValue: 3 },
  IUIAutomationLegacyIAccessiblePattern: { DoDefaultAction: 4, SetValue: 5 },
  IAccessible: {
    get_accChildCount: 8,
    get_accName: 10,
    get_accValue: 11,
    get_accRole: 13,
    get_accState: 14,
    accSelect: 21,
    accLocation: 22,
    accDoDefaultAction: 25,
    put_accValue: 27,
  },
} as const;

/** TreeScope: an element, or an element with all elements below. */
export const SCOPE = { element: 1, subtree: 7 } as const;

/** Numbers of control patterns. */
export const PATTERN = {
  Invoke: 10000,
  Value: 10002,
  ExpandCollapse: 10005,
  SelectionItem: 10010,
  Toggle: 10015,
  ScrollItem: 10017,
  LegacyIAccessible: 10018,
} as const;

/**
 * Numbers of the properties that a reading caches. The text of a field is not among them; it is requested separately.
 */
export const CACHED = {
  RuntimeId: 30000,
  BoundingRectangle: 30001,
  ControlType: 30003,
  Name: 30005,
  HasKeyboardFocus: 30008,
  IsEnabled: 30010,
  IsPassword: 30019,
  IsOffscreen: 30022,
  IsRequiredForForm: 30025,
  IsExpandCollapsePatternAvailable: 30028,
  IsRangeValuePatternAvailable: 30033,
  IsSelectionItemPatternAvailable: 30036,
  IsTogglePatternAvailable: 30041,
  IsValuePatternAvailable: 30043,
  ValueIsReadOnly: 30046,
  RangeValueValue: 30047,
  ExpandCollapseExpandCollapseState: 30070,
  SelectionItemIsSelected: 30079,
  ToggleToggleState: 30086,
  AriaRole: 30101,
  IsDialog: 30174,
} as const;
/** The text of a field. */
export const VALUE_VALUE = 30045;
