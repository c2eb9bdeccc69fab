/**
 * The client by its name in npm. An import map of Deno that leads out of the folder of its file would make the whole
 * repository a linked package, whose own import map then counted in tests.
 */

export * from "../../../clients/typescript/src/mod.ts";
