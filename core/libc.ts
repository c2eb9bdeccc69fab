/** The C library, opened once a thread. */

import { bindOnUse } from "./binding.ts";

/** File name of the library. musl takes every name that begins with `libc.` for itself (ldso/dynlink.c, load_library). */
export const LIBC = Deno.build.os === "darwin" ? "libSystem.B.dylib" : "libc.so.6";

/**
 * Makes functions of the C library, each bound on its first use.
 * @param functions A table of the functions, as for `Deno.dlopen`.
 * @param together Functions that are bound with the first of them.
 * @returns An object with a function for each row. The first use of a row throws if the library lacks the function, or
 *   cannot be opened, as on Windows and without FFI.
 * @example
 * const { nice } = libcFunctions({ nice: { parameters: ["i32"], result: "i32" } });
 */
export function libcFunctions<const S extends Deno.ForeignLibraryInterface>(
  functions: S,
  together?: readonly (keyof S & string)[],
): Deno.DynamicLibrary<S>["symbols"] {
  const bound = bindOnUse(
    LIBC,
    functions,
    (symbol, cause) => new Error(`${LIBC} lacks ${symbol}`, { cause }),
    together,
  );
  return bound as Deno.DynamicLibrary<S>["symbols"];
}

/** A C string: UTF-8 with a zero at the end. */
export function cString(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text + "\0");
}
