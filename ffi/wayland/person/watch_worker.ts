/**
 * The Worker that reads a person's devices, and asks the compositor for the pointer's place while it moves. The
 * Worker sleeps in poll() until a device, the compositor or a stop wakes it.
 */

import type { InputAction, ObservedAction, Point } from "../../../control/desktop.ts";
import { StateError } from "../../../core/errors.ts";
import { serveWorker } from "../../../core/worker_entry.ts";
import { clockOf } from "../../clock.ts";
import type { WatchReport, WatchStart } from "../../watch.ts";
import { isPointer, openDevices } from "./devices.ts";
import { type DeviceEvent, EvdevDecoder, INPUT_EVENT } from "./evdev.ts";
import { isGone, openLibc } from "../../linux/libc.ts";
import { PersonInput } from "./person_input.ts";
import { PersonView } from "./person_view.ts";
import { Poller } from "../../linux/poller.ts";
import type { PersonSource } from "./watch.ts";

/**
 * The time between questions for the pointer's place while it moves, in milliseconds: the program below it notices each
 * question.
 */
const SAMPLE_MS = 30;
/** The time between two looks for new devices, in milliseconds. */
const DEVICES_MS = 2000;

serveWorker<WatchStart<PersonSource>, WatchReport<undefined>, void>(async (start, { report, stopped }) => {
  const view = PersonView.open(start.source.path);
  const watcher = new DeviceWatcher(view, start.source.folder, clockOf(start.skew), report);
  const poller = new Poller(openLibc(), () => watcher.fds, () => watcher.patience);
  stopped.onabort = () => poller.stop();
  try {
    await watcher.begin();
    report({ type: "ready", ready: undefined });
    await poller.run(() => watcher.step());
  } finally {
    stopped.onabort = null;
    watcher.close();
  }
});

/** An open device. */
interface Device {
  fd: number;
  /** Tells whether the device moves the pointer. */
  isPointer: boolean;
  decoder: EvdevDecoder;
}

/** Reads devices and reports actions. */
class DeviceWatcher {
  readonly #c = openLibc();
  readonly #input = new PersonInput();
  readonly #devices = new Map<number, Device>();
  /** The last place of the pointer; undefined before the first question. */
  #place: Point | undefined;
  /** Tells whether the pointer moved since the last question for it. */
  #isMoved = false;
  #askedAt = -Infinity;
  #lookedAt = -Infinity;

  constructor(
    readonly view: PersonView,
    readonly folder: string,
    readonly now: () => number,
    readonly report: (report: WatchReport<undefined>) => void,
  ) {}

  /** Opens the devices and learns where the pointer is. */
  async begin(): Promise<void> {
    this.#openNew();
    await this.#sample();
  }

  /** The descriptors to wait for. */
  get fds(): number[] {
    return [this.view.connection.socket.fd, ...[...this.#devices.values()].map(({ fd }) => fd)];
  }

  /** The milliseconds until the next question for the pointer, or the next search for devices. */
  get patience(): number {
    const isDue = this.#isMoved && !this.#input.isDragging;
    return isDue ? Math.max(0, this.#askedAt + SAMPLE_MS - performance.now()) : DEVICES_MS;
  }

  /** Reports the input that has arrived. */
  async step(): Promise<void> {
    this.view.connection.dispatch();
    this.#input.layout = this.view.layout ?? this.#input.layout;
    for (const [number, device] of this.#devices) {
      for (const event of this.#read(number, device)) await this.#handle(event);
    }
    if (this.#isMoved && !this.#input.isDragging && performance.now() - this.#askedAt >= SAMPLE_MS) {
      await this.#sample();
    }
    this.#openNew();
  }

  close(): void {
    for (const { fd } of this.#devices.values()) this.#c.close(fd);
    this.view.close();
  }

  #openNew(): void {
    if (performance.now() - this.#lookedAt < DEVICES_MS) return;
    this.#lookedAt = performance.now();
    const { opened } = openDevices(this.#c, this.folder, new Set(this.#devices.keys()));
    for (const [number, fd] of opened) {
      this.#devices.set(number, { fd, isPointer: isPointer(this.#c, fd), decoder: new EvdevDecoder() });
    }
  }

  #read(number: number, { fd, decoder, isPointer }: Device): DeviceEvent[] {
    const bytes = new Uint8Array(64 * INPUT_EVENT.size), events: DeviceEvent[] = [];
    for (;;) {
      const count = Number(this.#c.read(fd, bytes, BigInt(bytes.length)));
      if (count > 0) {
        const decoded = decoder.decode(bytes.subarray(0, count));
        events.push(...decoded.filter(({ type }) => isPointer || type !== "motion"));
      } else if (count === 0 || isGone(this.#c, fd)) {
        this.#c.close(fd); // unplugged
        this.#devices.delete(number);
        return events;
      } else return events;
    }
  }

  async #handle(event: DeviceEvent): Promise<void> {
    if (event.type === "dropped") return this.report({ type: "gap", message: "the system dropped input" });
    if (event.type === "motion") {
      this.#isMoved = true;
      return;
    }
    const wasDragging = this.#input.isDragging;
    const action = this.#input.actionOf(event, this.#place ?? { x: 0, y: 0 });
    // The compositor reports the place of a drag only when the drag has ended.
    if (wasDragging && !this.#input.isDragging && this.#isMoved) await this.#sample();
    if (action) this.#tell(action.type === "key" ? action : { ...action, ...this.#place });
  }

  async #sample(): Promise<void> {
    this.#isMoved = false;
    try {
      const { x, y } = await this.view.position();
      const before = this.#place;
      this.#place = { x, y };
      if (before && (x !== before.x || y !== before.y)) this.#tell({ type: "move", x, y });
    } catch (error) {
      // A button that deskhand holds keeps the compositor from answering.
      if (!(error instanceof StateError)) throw error;
    } finally {
      this.#askedAt = performance.now();
    }
  }

  #tell(action: InputAction): void {
    const seen: ObservedAction = { action, at: this.now(), injected: false };
    this.report({ type: "actions", batch: [seen] });
  }
}
