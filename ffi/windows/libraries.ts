/** The libraries of Windows that deskhand calls. They are opened with a desktop, never on import. */

import { NoDesktopError } from "../../core/errors.ts";
import { bindOnUse } from "../../core/binding.ts";
import { ADVAPI32, DWMAPI, GDI32, KERNEL32, SHCORE } from "./symbols.ts";
import { USER32 } from "./user32_symbols.ts";

type Functions<T extends Deno.ForeignLibraryInterface> = Deno.DynamicLibrary<T>["symbols"];

/** The functions of all libraries. */
export interface Libraries {
  readonly user32: Functions<typeof USER32>;
  readonly gdi32: Functions<typeof GDI32>;
  readonly kernel32: Functions<typeof KERNEL32>;
  readonly advapi32: Functions<typeof ADVAPI32>;
  /** shcore.dll; undefined before Windows 8.1. */
  readonly shcore: Functions<typeof SHCORE> | undefined;
  /**
   * dwmapi.dll; undefined where no window manager composes the screen: before Windows Vista, and on reduced systems.
   */
  readonly dwmapi: Functions<typeof DWMAPI> | undefined;
}

let opened: Libraries | undefined;

/**
 * Opens the libraries, once a thread; they stay open.
 * @returns Their functions, each bound on first use.
 * @throws NoDesktopError where one is missing: on any system other than Windows.
 */
export function openLibraries(): Libraries {
  return opened ??= {
    user32: openLibrary("user32.dll", USER32),
    gdi32: openLibrary("gdi32.dll", GDI32),
    kernel32: openLibrary("kernel32.dll", KERNEL32),
    advapi32: openLibrary("advapi32.dll", ADVAPI32),
    shcore: openOptional(() => openLibrary("shcore.dll", SHCORE)),
    dwmapi: openOptional(() => openLibrary("dwmapi.dll", DWMAPI)),
  };
}

/**
 * Opens a library.
 * @param name Its file.
 * @param functions The table of its functions, each of which is bound on first use.
 * @throws NoDesktopError if it is missing.
 */
export function openLibrary<T extends Deno.ForeignLibraryInterface>(
  name: string,
  functions: T,
): Functions<T> {
  try {
    Deno.dlopen(name, {});
  } catch (cause) {
    throw new NoDesktopError(`No desktop to control: ${(cause as Error).message}`, { cause });
  }
  const bound = bindOnUse(
    name,
    functions,
    (symbol, cause) =>
      new NoDesktopError(`No desktop to control: this Windows is too old, its ${name} lacks ${symbol}`, {
        cause,
      }),
  );
  return bound as Functions<T>;
}

function openOptional<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}
