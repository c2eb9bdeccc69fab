/**
 * deskhand's client for TypeScript and JavaScript: a desktop's pointer, keyboard, screen, windows and elements, over
 * HTTP. It runs in Node 18, Deno, Bun and browsers.
 *
 * @module
 */

export * from "./api.ts";
export { type Area, Desk, type FindOptions, type Held } from "./desk.ts";
export * from "./errors.ts";
export { ElementLocator, type ElementQuery, WindowLocator, type WindowQuery } from "./places.ts";
export { DEFAULT_URL, type TransportOptions } from "./transport.ts";
