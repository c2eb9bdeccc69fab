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
