/**
 * The client under its npm name. A Deno import map that leads out of its file's folder would make the whole
 * repository a linked package, whose own import map would then apply in tests.
 */

export * from "../../../clients/typescript/src/mod.ts";
