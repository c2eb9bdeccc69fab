/** C functions that are bound on first use: a start uses a dozen of a hundred. */

/**
 * Makes the functions of a library.
 * @param name The library's file, which can be opened.
 * @param functions A table of the functions, as for `Deno.dlopen`.
 * @param missing Makes the error that is thrown on first use of a function that the library lacks.
 * @param together Functions that are bound with the first of them, in a third of the time that they take one by one.
 * @returns An object with a property for each function; null for an optional one that is missing.
 */
export function bindOnUse(
  name: string,
  functions: Deno.ForeignLibraryInterface,
  missing: (symbol: string, cause: unknown) => Error,
  together: readonly string[] = [],
): object {
  const bound: Record<string, unknown> = {};
  const isBound = (symbol: string) => Object.getOwnPropertyDescriptor(bound, symbol)!.get === undefined;
  const bind = (symbols: readonly string[]) => {
    const table = Object.fromEntries(symbols.map((symbol) => [symbol, functions[symbol]]));
    for (const [symbol, value] of Object.entries(Deno.dlopen(name, table).symbols)) {
      Object.defineProperty(bound, symbol, { value });
    }
  };
  const bindTogether = () => {
    try {
      bind(together.filter((symbol) => !isBound(symbol)));
    } catch {
      // The library lacks one of them: each is bound by itself.
    }
  };
  for (const symbol of Object.keys(functions)) {
    const get = () => {
      try {
        if (symbol === together[0]) bindTogether();
        if (!isBound(symbol)) bind([symbol]);
        return bound[symbol];
      } catch (error) {
        throw missing(symbol, error);
      }
    };
    Object.defineProperty(bound, symbol, { get, configurable: true });
  }
  return bound;
}

// The C library, opened once a thread.

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
