/** Listeners to signals of a bus. */

import type { Incoming } from "./channel.ts";
import { DAEMON } from "./objects.ts";

/** A filter of signals; a field that is left out matches any value. */
export interface MatchRule {
  /** A unique name (`:1.5`), or a well-known one, which the bus then looks up. */
  sender?: string;
  path?: string;
  interface?: string;
  member?: string;
  /** The first value of the signal, a text. */
  arg0?: string;
}

/** A received signal. */
export interface Signal {
  sender: string;
  path: string;
  interface: string;
  member: string;
  signature: string;
  /** The values of the signal. Descriptors among them are closed after the listeners have returned. */
  values: unknown[];
}

/** Called with each signal that a rule means. */
export type SignalListener = (signal: Signal) => void;

/** The listeners of one connection. */
export class Listeners {
  readonly #all = new Set<{ rule: MatchRule; listener: SignalListener }>();

  /** @returns A function that removes the listener, and tells whether the listener was still there. */
  add(rule: MatchRule, listener: SignalListener): () => boolean {
    const entry = { rule, listener };
    this.#all.add(entry);
    return () => this.#all.delete(entry);
  }

  /** Calls the listeners whose rules match a signal. */
  handOut(message: Incoming): void {
    const { sender = "", path = "", interface: name = "", member = "", signature = "", values } = message;
    const signal: Signal = { sender, path, interface: name, member, signature, values };
    for (const { rule, listener } of [...this.#all]) if (matches(rule, signal)) listener(signal);
  }
}

/**
 * A rule as the bus takes it (D-Bus Specification, "Match Rules").
 * @example
 * matchText({ member: "Closed" }); // "type='signal',member='Closed'"
 */
export function matchText(rule: MatchRule): string {
  const pairs = Object.entries({ type: "signal", ...rule }).filter(([, value]) => value !== undefined);
  return pairs.map(([key, value]) => `${key}='${value.replaceAll("'", String.raw`'\''`)}'`).join(",");
}

/**
 * Tells whether a rule means a signal. The bus sends each signal that any rule matches, and signals to this
 * connection alone, so that each listener's rule has to be checked again.
 */
function matches(rule: MatchRule, signal: Signal): boolean {
  const { sender, arg0, ...others } = rule;
  // Only the bus knows the owner of a well-known name.
  const isSender = sender?.startsWith(":") || sender === DAEMON.destination;
  if (isSender && sender !== signal.sender) return false;
  if (arg0 !== undefined && arg0 !== signal.values[0]) return false;
  return Object.entries(others).every(([key, value]) =>
    value === undefined || signal[key as keyof typeof others] === value
  );
}
