/**
 * The Worker that reads a person's devices, and queries the compositor for the pointer's position while it
 * moves. The Worker sleeps in poll() until a device, the compositor or a stop wakes it.
 */

import type {
  Button,
  Direction,
  InputAction,
  ObservedAction,
  Point,
} from "../../../control/desktop/desktop.ts";
import { concat } from "../../../core/bytes.ts";
import { StateError } from "../../../core/errors.ts";
import { serveWorker } from "../../../core/worker_entry.ts";
import { isGone, openLibc, Poller } from "../../linux/libc.ts";
import { textOfPress } from "../../text.ts";
import { clockOf, type WatchReport, type WatchStart } from "../../watch.ts";
import { BUTTONS_BY_CODE } from "../wire/keymaps.ts";
import { isPointer, openDevices } from "./devices.ts";
import { type PersonLayout, PersonView, US_LAYOUT } from "./person_view.ts";
import type { PersonSource } from "./watch.ts";

// Events of the kernel's input devices (linux/input.h): a person's input with mouse and keyboard. Pure.

/** sizeof(struct input_event) with 64-bit times, and the offsets of its fields. */
const INPUT_EVENT = { size: 24, type: 16, code: 18, value: 20 } as const;
/** Event types. */
const EV = { syn: 0, key: 1, rel: 2, abs: 3 } as const;
const SYN_DROPPED = 3;
/** Codes of relative axes. */
const REL = { x: 0, y: 1, horizontalWheel: 6, wheel: 8 } as const;
/** The range of button codes, only some of which are on a mouse (BTN_MISC to BTN_GEAR_UP). */
const BUTTON_CODES = { first: 0x100, last: 0x15f } as const;
/** A key's value: 0 is released, 1 pressed, 2 repeats. */
const RELEASED = 0, REPEATED = 2;

/** A report from a device. */
type DeviceEvent =
  | { type: "motion" }
  | { type: "button"; button: Button; down: boolean }
  | { type: "scroll"; direction: Direction; amount: number }
  | { type: "key"; code: number; down: boolean }
  /** The kernel dropped events because they were not read in time. */
  | { type: "dropped" };

/** Reads one device's events. */
export class EvdevDecoder {
  /** The start of an event whose rest has not arrived. */
  #rest = new Uint8Array();

  /** @param bytes The bytes read, in pieces of any size. */
  decode(bytes: Uint8Array): DeviceEvent[] {
    const all = concat(this.#rest, bytes);
    const view = new DataView(all.buffer), events: DeviceEvent[] = [];
    let at = 0;
    for (; at + INPUT_EVENT.size <= all.length; at += INPUT_EVENT.size) {
      const event = eventOf(
        view.getUint16(at + INPUT_EVENT.type, true),
        view.getUint16(at + INPUT_EVENT.code, true),
        view.getInt32(at + INPUT_EVENT.value, true),
      );
      // The kernel reports a motion as one event per axis; both become one motion.
      if (event && !(event.type === "motion" && events.at(-1)?.type === "motion")) events.push(event);
    }
    this.#rest = all.slice(at);
    return events;
  }
}

function eventOf(type: number, code: number, value: number): DeviceEvent | undefined {
  if (type === EV.syn) return code === SYN_DROPPED ? { type: "dropped" } : undefined;
  if (type === EV.abs) return { type: "motion" };
  if (type === EV.rel) return relative(code, value);
  if (type !== EV.key || value === REPEATED) return undefined;
  const down = value !== RELEASED, button = BUTTONS_BY_CODE.get(code);
  if (button) return { type: "button", button, down };
  // A finger on a touchpad or a gamepad button is not a keyboard key.
  if (code >= BUTTON_CODES.first && code <= BUTTON_CODES.last) return undefined;
  return { type: "key", code, down };
}

function relative(code: number, value: number): DeviceEvent | undefined {
  if (code === REL.x || code === REL.y) return { type: "motion" };
  if (value === 0) return undefined;
  const amount = Math.abs(value);
  if (code === REL.wheel) return { type: "scroll", direction: value > 0 ? "up" : "down", amount };
  if (code === REL.horizontalWheel) {
    return { type: "scroll", direction: value > 0 ? "right" : "left", amount };
  }
  return undefined;
}

// Turns reports from a person's devices into actions. Pure: positions come from the caller.

/** A key's levels, in the order used by maps. */
const SHIFT_LEVEL = 1, ALTGR_LEVEL = 2;

/** Converts device events to actions. */
export class PersonInput {
  /** The layout of the person's keyboard. */
  layout: PersonLayout = US_LAYOUT;
  /** Whether a button is down, so that the compositor does not report the pointer's position. */
  get isDragging(): boolean {
    return this.#buttons.size > 0;
  }
  readonly #buttons = new Set<string>();
  /** Names of pressed keys by code: a release has the name of its press, even if the layout has changed. */
  readonly #keys = new Map<number, string | undefined>();

  /**
   * @param place Where the pointer is.
   * @returns undefined for a motion, a repeat, and a release without a press.
   */
  actionOf(event: DeviceEvent, place: Point): InputAction | undefined {
    switch (event.type) {
      case "button":
        if (event.down === this.#buttons.has(event.button)) return undefined;
        if (event.down) this.#buttons.add(event.button);
        else this.#buttons.delete(event.button);
        return { type: "button", button: event.button, down: event.down, ...place };
      case "scroll":
        return { ...event, ...place };
      case "key":
        return this.#key(event.code, event.down);
      default:
        return undefined;
    }
  }

  #key(code: number, down: boolean): InputAction | undefined {
    if (down === this.#keys.has(code)) return undefined;
    const levels = this.layout.get(code) ?? US_LAYOUT.get(code) ?? [];
    const key = down ? levels[0] : this.#keys.get(code);
    if (!down) {
      this.#keys.delete(code);
      return key === undefined ? undefined : { type: "key", key, down };
    }
    this.#keys.set(code, key);
    if (key === undefined) return undefined;
    const held = [...this.#keys.values()];
    const isShifted = held.includes("shift") || held.includes("rightshift");
    const level = (isShifted ? SHIFT_LEVEL : 0) + (held.includes("altgr") ? ALTGR_LEVEL : 0);
    const typed = levels[level] ?? "",
      character = typed === "space" ? " " : [...typed].length === 1 ? typed : "";
    const text = textOfPress(key, held, character);
    return { type: "key", key, down, ...(text ? { text } : {}) };
  }
}

/**
 * Interval between queries for the pointer's position while it moves, in milliseconds: the program below it
 * notices each query.
 */
const SAMPLE_MS = 30;
/** Interval between searches for new devices, in milliseconds. */
const DEVICES_MS = 2000;

serveWorker<WatchStart<PersonSource>, WatchReport<undefined>, void>(async (start, { report, stopped }) => {
  const view = await PersonView.open(start.source.path);
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
  /** Whether the device moves the pointer. */
  isPointer: boolean;
  decoder: EvdevDecoder;
}

/** Reads devices and reports actions. */
class DeviceWatcher {
  readonly #c = openLibc();
  readonly #input = new PersonInput();
  readonly #devices = new Map<number, Device>();
  /** The pointer's last position; undefined before the first query. */
  #place: Point | undefined;
  /** Whether the pointer has moved since the last query. */
  #isMoved = false;
  #askedAt = -Infinity;
  #lookedAt = -Infinity;

  constructor(
    readonly view: PersonView,
    readonly folder: string,
    readonly now: () => number,
    readonly report: (report: WatchReport<undefined>) => void,
  ) {}

  /** Opens the devices and determines the pointer's position. */
  async begin(): Promise<void> {
    this.#openNew();
    await this.#sample();
  }

  /** The file descriptors to wait for. */
  get fds(): number[] {
    return [this.view.connection.socket.fd, ...[...this.#devices.values()].map(({ fd }) => fd)];
  }

  /** Milliseconds until the next query for the pointer, or the next search for devices. */
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
    // The compositor reports a drag's position only after the drag has ended.
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
