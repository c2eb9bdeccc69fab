/**
 * Node's modules, loaded when they are first used. To import one costs a start 20 ms (Deno 2.9.6), more than
 * everything of our own.
 */

type NodeModules = typeof globalThis.process.getBuiltinModule;

/** Gives a module of Node, such as `node:zlib`. */
export const nodeModule: NodeModules = (name: string) => globalThis.process.getBuiltinModule(name);
