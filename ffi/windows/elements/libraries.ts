/** The additional libraries for reading elements. They are opened when elements are read. */

import { type Libraries, openLibraries, openLibrary } from "../libraries.ts";
import { ComObject } from "./com.ts";
import { OLE32, OLEACC, OLEAUT32, USER32_ELEMENTS } from "./symbols.ts";
import type { Ole } from "./variant.ts";

type Functions<T extends Deno.ForeignLibraryInterface> = Deno.DynamicLibrary<T>["symbols"];

/** The functions, and OLE's values by them. */
export interface ElementLibraries {
  readonly desktop: Libraries;
  readonly ole32: Functions<typeof OLE32>;
  readonly oleacc: Functions<typeof OLEACC>;
  readonly user32: Functions<typeof USER32_ELEMENTS>;
  readonly ole: Ole;
}

/** COINIT_MULTITHREADED: no message of a window has to be waited for. */
const MULTITHREADED = 0;
/** CLSCTX_INPROC_SERVER. */
const IN_PROCESS = 1;

let opened: ElementLibraries | undefined;

/** Opens the libraries and COM, once a thread; they stay open. */
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
 * Makes an object of a COM class that runs in this process.
 * @returns undefined where Windows lacks it.
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
