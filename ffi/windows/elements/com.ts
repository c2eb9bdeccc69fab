/** COM objects: a pointer to a table of functions, which are called by their position in it. */

import { prototypes } from "../../../core/binding.ts";
import { attempt } from "../../../core/errors.ts";
import { type Libraries, openLibraries, openLibrary } from "../symbols.ts";

/**
 * An argument's type. A BOOL is `i32`; a structure of more than 8 bytes is passed by address, as `buffer`.
 */
export type ArgumentType = "pointer" | "buffer" | "i32" | "u32" | "u64" | "usize";
/** An argument. */
type Argument = number | bigint | BufferSource | Deno.PointerValue;

/** Positions in every table (IUnknown, unknwn.h). */
const UNKNOWN = { queryInterface: 0, release: 2 } as const;
const POINTER_BYTES = 8;

interface Method {
  call(...values: (Argument | Deno.PointerObject)[]): number;
}

/** Functions by address and types, shared by objects of one kind. */
const METHODS = new Map<string, Method>();

/** A failed call. */
export class ComError extends Error {
  override readonly name = "ComError";

  /** @param code The HRESULT, a negative number. */
  constructor(readonly code: number) {
    super(`COM call failed with 0x${(code >>> 0).toString(16)}`);
  }
}

/** An object to which this process holds a reference. `using` releases the reference. */
export class ComObject implements Disposable {
  #isHeld = true;

  constructor(readonly pointer: Deno.PointerObject) {}

  /**
   * Calls a method.
   * @param slot Its position in the table, from 0.
   * @param types The types of its arguments, without the object itself.
   * @returns The HRESULT; negative if it failed.
   */
  call(slot: number, types: readonly ArgumentType[] = [], ...values: Argument[]): number {
    const table = new Deno.UnsafePointerView(this.pointer).getPointer()!;
    const address = new Deno.UnsafePointerView(table).getPointer(slot * POINTER_BYTES)!;
    return methodAt(address, types).call(this.pointer, ...values);
  }

  /**
   * Calls a method whose last parameter receives an object.
   * @returns undefined if the method returns no object.
   * @throws ComError if the method fails.
   */
  object(slot: number, types: readonly ArgumentType[] = [], ...values: Argument[]): ComObject | undefined {
    const out = new BigUint64Array(1);
    checked(this.call(slot, [...types, "buffer"], ...values, out));
    const pointer = Deno.UnsafePointer.create(out[0]);
    return pointer ? new ComObject(pointer) : undefined;
  }

  /**
   * Calls a method whose last parameter receives a 32-bit number.
   * @throws ComError if the method fails.
   */
  integer(slot: number): number {
    const out = new Int32Array(1);
    checked(this.call(slot, ["buffer"], out));
    return out[0];
  }

  /** Queries another interface of the object; undefined if the object does not have it. */
  as(id: Uint8Array<ArrayBuffer>): ComObject | undefined {
    return attempt(() => this.object(UNKNOWN.queryInterface, ["buffer"], id));
  }

  [Symbol.dispose](): void {
    if (this.#isHeld) this.call(UNKNOWN.release);
    this.#isHeld = false;
  }
}

function methodAt(address: Deno.PointerObject, types: readonly ArgumentType[]): Method {
  const key = `${Deno.UnsafePointer.value(address)} ${types}`, known = METHODS.get(key);
  if (known) return known;
  const definition: Deno.ForeignFunction = { parameters: ["pointer", ...types], result: "i32" };
  const method = new Deno.UnsafeFnPointer(
    address as Deno.PointerObject<typeof definition>,
    definition,
  ) as unknown as Method;
  METHODS.set(key, method);
  return method;
}

/**
 * Checks a call's result.
 * @throws ComError if it is negative.
 */
export function checked(result: number): void {
  if (result < 0) throw new ComError(result);
}

/**
 * A GUID as stored in memory: three numbers, the lowest byte first, and eight bytes.
 * @param text Such as `30cbe57d-d9d0-452a-ab13-7ac5ac4825ee`.
 */
export function guid(text: string): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.fromHex(text.replaceAll("-", ""));
  bytes.subarray(0, 4).reverse();
  bytes.subarray(4, 6).reverse();
  bytes.subarray(6, 8).reverse();
  return bytes;
}

// OLE Automation values: VARIANT, BSTR and SAFEARRAY (oaidl.h, wtypes.h; 64-bit layouts).

/** OLE Automation functions for values. */
export interface Ole {
  /** Copies a BSTR's text; "" for none. */
  textAt(address: bigint): string;
  /** Frees a BSTR. */
  freeText(address: bigint): void;
  /** Creates a BSTR. */
  makeText(text: string): bigint;
  /** Frees a SAFEARRAY; does nothing for 0. */
  freeArray(address: bigint): void;
  /** Frees a VARIANT's content, and empties it. */
  clear(variant: Uint8Array<ArrayBuffer>): void;
}

/** A VARIANT's value. */
export type VariantValue = number | boolean | string | number[] | bigint | undefined;

/** sizeof(VARIANT), and the offset of its value. */
export const VARIANT_BYTES = 24;
const VALUE = 8;

/** VARTYPE (wtypes.h). */
export const VT = {
  i4: 3,
  r8: 5,
  bstr: 8,
  dispatch: 9,
  bool: 11,
  unknown: 13,
  ui4: 19,
  array: 0x2000,
} as const;

/** SAFEARRAY: the offsets of its data's address and of its number of elements. */
const SAFEARRAY = { data: 16, count: 24 } as const;
/** Maximum number of array elements to read. */
const MOST = 64;

/** A VARIANT's type. */
export function variantType(variant: Uint8Array<ArrayBuffer>, at = 0): number {
  return new DataView(variant.buffer, variant.byteOffset + at).getUint16(0, true);
}

/**
 * Reads a VARIANT.
 * @param at Its offset in the bytes.
 * @returns undefined for unsupported types. For an object, its address as a number.
 */
export function variantValue(variant: Uint8Array<ArrayBuffer>, ole: Ole, at = 0): VariantValue {
  const view = new DataView(variant.buffer, variant.byteOffset + at, VARIANT_BYTES);
  const type = view.getUint16(0, true);
  if (type & VT.array) return arrayValues(view.getBigUint64(VALUE, true), type & ~VT.array);
  if (type === VT.i4) return view.getInt32(VALUE, true);
  if (type === VT.ui4) return view.getUint32(VALUE, true);
  if (type === VT.r8) return view.getFloat64(VALUE, true);
  if (type === VT.bool) return view.getInt16(VALUE, true) !== 0;
  if (type === VT.bstr) return ole.textAt(view.getBigUint64(VALUE, true));
  if (type === VT.dispatch) return view.getBigUint64(VALUE, true);
  return undefined;
}

/** The numbers in a one-dimensional array. */
function arrayValues(address: bigint, type: number): number[] | undefined {
  const pointer = Deno.UnsafePointer.create(address);
  if (!pointer || type !== VT.i4 && type !== VT.r8) return undefined;
  const array = new Deno.UnsafePointerView(pointer), data = array.getPointer(SAFEARRAY.data);
  if (!data) return [];
  const values = new Deno.UnsafePointerView(data), length = Math.min(MOST, array.getUint32(SAFEARRAY.count));
  return Array.from(
    { length },
    (_, i) => type === VT.i4 ? values.getInt32(i * 4) : values.getFloat64(i * 8),
  );
}

/** The numbers in a SAFEARRAY of 32-bit integers. */
export function integersAt(address: bigint): number[] {
  return arrayValues(address, VT.i4) ?? [];
}

/** A VARIANT with a 32-bit number. */
export function integerVariant(value: number): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(VARIANT_BYTES));
  view.setUint16(0, VT.i4, true);
  view.setInt32(VALUE, value, true);
  return new Uint8Array(view.buffer);
}

// UI Automation and MSAA interfaces: their identifiers, and the positions of the methods that deskhand calls
// in their tables (UIAutomationClient.h, oleacc.h).

/** UI Automation classes, the newer one first: Windows 8 and later, Windows 7. */
export const AUTOMATION_CLASSES = [
  "e22ad333-b25f-460c-83d0-0581107395c9",
  "ff48dba4-60ef-4201-aa87-54103eef594e",
]
  .map(guid);

/** Interface identifiers. */
export const IID = {
  IUIAutomation: guid("30cbe57d-d9d0-452a-ab13-7ac5ac4825ee"),
  IUIAutomation2: guid("34723aff-0c9d-49d0-9896-7ab52df8cd8a"),
  IAccessible: guid("618736e0-3c3d-11cf-810c-00aa00389b71"),
} as const;

/** Method positions by interface. A property `P` is `get_P` or `put_P`. */
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

/** TreeScope: an element, or an element with all its descendants. */
export const SCOPE = { element: 1, subtree: 7 } as const;

/** Control pattern numbers. */
export const PATTERN = {
  Invoke: 10000,
  Value: 10002,
  ExpandCollapse: 10005,
  SelectionItem: 10010,
  Toggle: 10015,
  ScrollItem: 10017,
  LegacyIAccessible: 10018,
} as const;

/** Numbers of the properties that a reading caches. A field's text is requested separately. */
export const CACHED = {
  RuntimeId: 30000,
  BoundingRectangle: 30001,
  ControlType: 30003,
  Name: 30005,
  HasKeyboardFocus: 30008,
  IsEnabled: 30010,
  AutomationId: 30011,
  ClassName: 30012,
  HelpText: 30013,
  NativeWindowHandle: 30020,
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
  AriaProperties: 30102,
  IsDialog: 30174,
} as const;
/** A field's text. */
export const VALUE_VALUE = 30045;

// Additional functions for reading elements, as tables in the order of their header files. Window handles are
// `usize`, since deskhand treats them as numbers.

/** combaseapi.h, objbase.h */
const OLE32 = prototypes({
  CoInitializeEx: "i32 HRESULT (pointer reserved, u32 COINIT_*)",
  CoCreateInstance: `i32 HRESULT (buffer CLSID*, pointer IUnknown* outer, u32 CLSCTX_*, buffer IID*,
    buffer void**)`,
});

/** oleauto.h */
const OLEAUT32 = prototypes({
  SysAllocStringLen: "usize BSTR (buffer WCHAR*, u32 units)",
  SysFreeString: "void (usize BSTR)",
  SysStringLen: "u32 units (usize BSTR)",
  VariantClear: "i32 HRESULT (buffer VARIANT*)",
  SafeArrayDestroy: "i32 HRESULT (usize SAFEARRAY*)",
});

/** oleacc.h */
const OLEACC = prototypes({
  AccessibleObjectFromWindow: "i32 HRESULT (usize HWND, u32 OBJID_*, buffer IID*, buffer void**)",
  AccessibleChildren: `i32 HRESULT (pointer IAccessible*, i32 first, i32 how many, buffer VARIANT*,
    buffer LONG* how many it gave)`,
});

/** winuser.h */
const USER32_ELEMENTS = prototypes({
  GetAncestor: "usize (usize HWND, u32 GA_*)",
  GetMenu: "usize HMENU (usize HWND)",
  GetGUIThreadInfo: "i32 (u32 thread; 0: the one in front, buffer)",
  RealGetWindowClassW: "u32 (usize, buffer WCHAR*, u32 its length)",
  SetFocus: "usize (usize HWND)",
  // Waits for the window's program for up to the given time, which only the Worker may do.
  SendMessageTimeoutW: `isize (usize HWND, u32 message, usize WPARAM, isize LPARAM, u32 SMTO_*, u32 ms,
    buffer DWORD_PTR*)`,
});

// Additional libraries for reading elements. They are opened when elements are read.

type Functions<T extends Deno.ForeignLibraryInterface> = Deno.DynamicLibrary<T>["symbols"];

/** The functions, and the OLE values that use them. */
export interface ElementLibraries {
  readonly desktop: Libraries;
  readonly ole32: Functions<typeof OLE32>;
  readonly oleacc: Functions<typeof OLEACC>;
  readonly user32: Functions<typeof USER32_ELEMENTS>;
  readonly ole: Ole;
}

/** COINIT_MULTITHREADED: the thread need not process window messages. */
const MULTITHREADED = 0;
/** CLSCTX_INPROC_SERVER. */
const IN_PROCESS = 1;

let opened: ElementLibraries | undefined;

/** Opens the libraries and COM, once per thread; they stay open. */
export function openElementLibraries(): ElementLibraries {
  if (opened) return opened;
  const oleaut32 = openLibrary("oleaut32.dll", OLEAUT32), ole32 = openLibrary("ole32.dll", OLE32);
  ole32.CoInitializeEx(null, MULTITHREADED);
  return opened = {
    desktop: openLibraries(),
    ole32,
    oleacc: openLibrary("oleacc.dll", OLEACC),
    user32: openLibrary("user32.dll", USER32_ELEMENTS),
    ole: oleOf(oleaut32),
  };
}

/**
 * Creates an object of a COM class that runs in this process.
 * @returns undefined if Windows lacks it.
 */
export function createObject(
  { ole32 }: ElementLibraries,
  classId: Uint8Array<ArrayBuffer>,
  interfaceId: Uint8Array<ArrayBuffer>,
): ComObject | undefined {
  const out = new BigUint64Array(1);
  if (ole32.CoCreateInstance(classId, null, IN_PROCESS, interfaceId, out) < 0) return undefined;
  const pointer = Deno.UnsafePointer.create(out[0]);
  return pointer ? new ComObject(pointer) : undefined;
}

function oleOf(oleaut32: Functions<typeof OLEAUT32>): Ole {
  return {
    textAt(address) {
      const pointer = Deno.UnsafePointer.create(address);
      if (!pointer) return "";
      const units = new Uint16Array(oleaut32.SysStringLen(address));
      if (units.length) new Deno.UnsafePointerView(pointer).copyInto(units);
      return new TextDecoder("utf-16le").decode(units);
    },
    freeText: (address) => oleaut32.SysFreeString(address),
    makeText(text) {
      const units = Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
      return oleaut32.SysAllocStringLen(units, units.length);
    },
    freeArray(address) {
      if (address) oleaut32.SafeArrayDestroy(address);
    },
    clear: (variant) => void oleaut32.VariantClear(variant),
  };
}
