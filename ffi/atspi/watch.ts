/** Watched programs: by their elements' events, and by some of the elements' positions. */

import { timeByLoad } from "../../core/proc.ts";
import type { Region } from "../../control/desktop/desktop.ts";
import { DAEMON } from "../linux/dbus/message.ts";
import type { Calls } from "./calls.ts";
import { interfaceOf, REGISTRY_OBJECT } from "./objects.ts";
import type { Node } from "./reader.ts";

/** Maximum time for beginning and ending, in milliseconds; longer on a busy machine. */
const ASK_MS = 1000;
/**
 * Number of a window's elements whose positions are compared, since not every program reports that its
 * content was scrolled.
 */
const SAMPLE = 48;
/** Prefixes of element events (at-spi2-core, xml/Event.xml). */
const EVENTS = ["object:", "document:"];
/** Interval between reads of events from the bus, in milliseconds: pending events take up memory there. */
const TAKE_MS = 200;

/** A window as read. */
interface Sighting {
  app: string;
  sample: Node[];
}

/**
 * Watches programs from one reading to the next. A program's first event ends its watch: each event costs the
 * program work, and one event is enough to show that something has changed.
 */
export class Watches {
  readonly #watched = new Set<string>();
  /** Programs that have sent an event, and may still send more. */
  readonly #ended = new Set<string>();
  readonly #sightings = new Map<string, Sighting>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(readonly calls: Calls) {
    calls.onSignal = (sender) => this.#changed(sender);
  }

  /** Begins to watch a program, before one of its windows is read. */
  begin(app: string): void {
    if (this.#watched.has(app)) return;
    this.#watched.add(app);
    if (this.#ended.delete(app)) return;
    this.#ask("AddMatch", "RegisterEvent", "sass", app);
    this.#timer ??= setInterval(() => this.#take(), TAKE_MS);
  }

  /** Records the elements that were read from a window. */
  seen(windowId: string, app: string, nodes: readonly Node[]): void {
    const placed = nodes.filter(({ place }) => place), step = Math.max(1, placed.length / SAMPLE);
    const sample = Array.from(
      { length: Math.min(SAMPLE, placed.length) },
      (_, i) => placed[Math.floor(i * step)],
    );
    this.#sightings.set(windowId, { app, sample });
  }

  /** Whether a window has not changed since the last reading, as far as its program reports changes. */
  isSame(windowId: string, placesOf: (nodes: Node[]) => (Region | undefined)[]): boolean {
    const sighting = this.#sightings.get(windowId);
    if (!sighting || !this.#watched.has(sighting.app)) return false;
    const { app, sample } = sighting, places = placesOf(sample);
    const isSame = sample.every(({ place }, i) => JSON.stringify(places[i]) === JSON.stringify(place));
    return isSame && this.#watched.has(app); // an event may have come with the answers
  }

  /** Ends the watches of all but the given programs, since the others have ended. */
  retain(apps: readonly string[]): void {
    for (const app of this.#watched) if (!apps.includes(app)) this.#changed(app);
  }

  /** Whether watched programs have reported no change. */
  isQuiet(apps: readonly string[]): boolean {
    this.calls.take(TAKE_MS);
    return apps.every((app) => this.#watched.has(app));
  }

  #take(): void {
    try {
      this.calls.take(TAKE_MS);
      for (const app of this.#ended) this.#ask("RemoveMatch", "DeregisterEvent", "s", app);
    } catch {
      this.#watched.clear(); // the bus is gone, which the next call reports
    }
    this.#ended.clear();
    if (this.#watched.size) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #changed(app: string): void {
    if (this.#watched.delete(app)) this.#ended.add(app);
  }

  /** Requests a program's events from bus and registry, or none. */
  #ask(match: string, register: string, signature: "s" | "sass", app: string): void {
    const object = interfaceOf(REGISTRY_OBJECT, "Registry"), then = () => {};
    this.calls.add({
      object: DAEMON,
      member: match,
      signature: "s",
      args: [`type='signal',sender='${app}'`],
      then,
    });
    for (const event of EVENTS) {
      const args = signature === "s" ? [event] : [event, [], app];
      this.calls.add({ object, member: register, signature, args, then });
    }
    this.calls.run(timeByLoad(ASK_MS));
  }
}
