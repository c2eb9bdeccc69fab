/** C functions: tables of prototypes, and functions bound on first use: a start uses a dozen of a hundred. */

/** The first word of a text. */
type Word<Text extends string> = Text extends `${" " | "\n"}${infer Rest}` ? Word<Rest>
  : Text extends `${infer First} ${string}` ? First
  : Text;
/** The first word of each part of a comma-separated list. */
type Words<List extends string> = List extends "" ? []
  : List extends `${infer First},${infer Rest}` ? [Word<First>, ...Words<Rest>]
  : [Word<List>];
/** A prototype in the form that `Deno.dlopen` expects; never if it contains other types. */
type CFunction<Prototype extends string> = Prototype extends `${infer Result}(${infer Parameters})`
  ? [Words<Parameters>, Word<Result>] extends
    [infer Types extends readonly Deno.NativeType[], infer Type extends Deno.NativeResultType]
    ? { parameters: Types; result: Type }
  : never
  : never;
/** Functions in the form that `Deno.dlopen` expects. */
type CFunctions<Table extends Record<string, string>> = { [K in keyof Table]: CFunction<Table[K]> };
/** A table that contains only Deno's types. */
type Valid<Table extends Record<string, string>> = {
  [K in keyof Table]: [CFunction<Table[K]>] extends [never] ? "no type of Deno.NativeType" : Table[K];
};

/**
 * Parses a table of C functions.
 * @param table Prototypes by name: the result type, and the parameter types in parentheses. The first word is
 * the type, as in `Deno.NativeType`; the words after it name the parameter, or its C type, for the reader.
 * @returns The table for `Deno.dlopen`.
 * @example
 * prototypes({ nice: "i32 (i32 increment)" }); // { nice: { parameters: ["i32"], result: "i32" } }
 */
export function prototypes<const Table extends Record<string, string>>(
  table: Table & Valid<Table>,
): CFunctions<Table> {
  return readPrototypes(table) as CFunctions<Table>;
}

function readPrototypes(table: Record<string, string>): Deno.ForeignLibraryInterface {
  const typeOf = (text: string) => text.trimStart().split(" ", 1)[0];
  const functions = Object.entries(table).map(([name, prototype]) => {
    const list = prototype.slice(prototype.indexOf("(") + 1, -1);
    return [name, { parameters: list ? list.split(",").map(typeOf) : [], result: typeOf(prototype) }];
  });
  return Object.fromEntries(functions);
}

/**
 * Binds a library's functions on first use.
 * @param name The library's file name or path, which must be loadable.
 * @param functions A table of the functions, as for `Deno.dlopen`.
 * @param missing Creates the error thrown on first use of a function that the library lacks.
 * @param together Functions bound together with the first of them, in a third of the time that binding each
 * would take.
 * @returns An object with a property per function; null for an optional function that is missing.
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
      // The library lacks one of them, so each is bound individually.
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

// The C library, opened once per thread.

/**
 * The library's file name. musl treats each name beginning with `libc.` as itself (dynlink.c, load_library).
 */
export const LIBC = Deno.build.os === "darwin" ? "libSystem.B.dylib" : "libc.so.6";

/**
 * Returns C library functions, each bound on first use.
 * @param table Their prototypes, as for {@linkcode prototypes}.
 * @param together Functions bound together with the first of them.
 * @returns An object with a function per row. The first use of a row throws if the library lacks the
 * function, or cannot be opened, as on Windows and without FFI.
 * @example
 * const { nice } = libcFunctions({ nice: "i32 (i32 increment)" });
 */
export function libcFunctions<const Table extends Record<string, string>>(
  table: Table & Valid<Table>,
  together?: readonly (keyof Table & string)[],
): Deno.DynamicLibrary<CFunctions<Table>>["symbols"] {
  const bound = bindOnUse(
    LIBC,
    readPrototypes(table),
    (symbol, cause) => new Error(`${LIBC} lacks ${symbol}`, { cause }),
    together,
  );
  return bound as Deno.DynamicLibrary<CFunctions<Table>>["symbols"];
}

/** A C string: UTF-8, zero-terminated. */
export function cString(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text + "\0");
}
