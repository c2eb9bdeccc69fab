/** C functions that are bound when they are used, as cheaply as their use deserves. */

/** Calls after which a function is worth machine code of its own: that takes 0.25 ms to make, a pointer 0.05. */
const OFTEN = 8;

/** A library's functions by name. */
type Functions = Record<string, Deno.ForeignFunction>;

/**
 * Binds each function of a library when it is first looked at.
 * @param name The library's file, which can be opened.
 * @param lacks Makes the error that is thrown when the library lacks a function, on the first look at it.
 * @returns An object with a property for each function; null for an optional one that is missing.
 */
export function bindOnUse(
  name: string,
  functions: Deno.ForeignLibraryInterface,
  lacks: (symbol: string, cause: unknown) => Error,
): object {
  const bound = {};
  for (const [symbol, definition] of Object.entries(functions as Functions)) {
    const find = (definition: Deno.ForeignFunction | Deno.ForeignStatic): unknown => {
      try {
        return Deno.dlopen(name, { [symbol]: definition }).symbols[symbol];
      } catch (error) {
        throw lacks(symbol, error);
      }
    };
    const set = (value: unknown) => Object.defineProperty(bound, symbol, { value, configurable: true });
    const get = () => {
      const value = definition.nonblocking ? find(definition) : byAddress(definition, find, set);
      set(value);
      return value;
    };
    Object.defineProperty(bound, symbol, { get, configurable: true });
  }
  return bound;
}

/**
 * A function that is called by its address.
 * @param set Puts another in its place when it turns out to be called often.
 */
function byAddress(
  definition: Deno.ForeignFunction,
  find: (definition: Deno.ForeignFunction | Deno.ForeignStatic) => unknown,
  set: (value: unknown) => void,
): unknown {
  const { name, optional } = definition;
  const address = find({ type: "pointer", name, optional });
  if (!address) return null;
  const pointer = new Deno.UnsafeFnPointer(address as Deno.PointerObject<typeof definition>, definition);
  const call = pointer.call as (...args: unknown[]) => unknown;
  let calls = 0;
  return (...args: unknown[]) => {
    if (++calls === OFTEN) set(find(definition));
    return call.apply(pointer, args);
  };
}
