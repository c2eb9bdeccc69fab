/** C functions that are bound on first use: a start uses a dozen of a hundred. */

/**
 * Makes the functions of a library.
 * @param name The library's file, which can be opened.
 * @param functions A table of the functions, as for `Deno.dlopen`.
 * @param missing Makes the error that is thrown on first use of a function that the library lacks.
 * @returns An object with a property for each function; null for an optional one that is missing.
 */
export function bindOnUse(
  name: string,
  functions: Deno.ForeignLibraryInterface,
  missing: (symbol: string, cause: unknown) => Error,
): object {
  const bound = {};
  for (const [symbol, definition] of Object.entries(functions)) {
    const get = () => {
      try {
        const value = Deno.dlopen(name, { [symbol]: definition }).symbols[symbol];
        Object.defineProperty(bound, symbol, { value });
        return value;
      } catch (error) {
        throw missing(symbol, error);
      }
    };
    Object.defineProperty(bound, symbol, { get, configurable: true });
  }
  return bound;
}
