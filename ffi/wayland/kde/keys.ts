/** The keys of one connection to KWin (org_kde_kwin_fake_input). */

import type { Button, Direction, Point } from "../../../control/desktop/desktop.ts";
import { attempt, DesktopUnavailableError, StateError } from "../../../core/errors.ts";
import type { Bus } from "../../linux/dbus/bus.ts";
import { DAEMON } from "../../linux/dbus/message.ts";
import { FCITX_SERVICE, fcitxHandled } from "../../linux/input_method/fcitx5.ts";
import type { KeyPresser } from "../layout/text_typer.ts";
import { type KeyOrder, RemoteKeys } from "../streamed/remote_input.ts";
import type { ConnectedPointer } from "../way.ts";
import type { Connection, Registry } from "../wire/connection.ts";
import { AXES, BUTTON_CODES, NOTCH } from "../wire/keymaps.ts";
import { KnownPlace } from "../wire/known_place.ts";
import { type Outputs, toLogical } from "../wire/outputs.ts";
import { PointerQuery } from "../wire/pointer.ts";

// Fcitx 5 as the input method to which KWin passes the keys of focused text fields (`QUIRKS.kwinModifiers`).

/** Delays a modifier while Fcitx 5 is still handling keys. */
class FcitxKeyOrder implements KeyOrder {
  /** Whether Fcitx 5 is running; undefined before the first key. */
  #isThere: boolean | undefined;
  /** The number of presses and releases since programs last had them all. */
  #unsettled = 0;

  /**
   * @param bus The session bus.
   * @param connection The connection to KWin that sends the keys.
   */
  constructor(readonly bus: Bus, readonly connection: Connection) {}

  /** Whether Fcitx 5 is running. */
  get isNeeded(): boolean {
    return attempt(
      () => {
        this.bus.dispatch();
        return this.#isThere ??= this.#watch();
      },
      false, // the bus is gone, and Fcitx 5 with it
      DesktopUnavailableError,
    );
  }

  count(): void {
    this.#unsettled++;
  }

  async beforeModifier(): Promise<void> {
    if (!this.#unsettled) return;
    this.#unsettled = 0;
    if (!this.isNeeded) return;
    await this.#passedOn();
    await fcitxHandled(this.bus);
    await this.#passedOn();
  }

  /** Waits until KWin has passed on what it has read, which its second answer follows. */
  async #passedOn(): Promise<void> {
    for (let i = 0; i < 2; i++) await this.connection.handled();
  }

  #watch(): boolean {
    const change = { sender: DAEMON.destination, member: "NameOwnerChanged", arg0: FCITX_SERVICE };
    this.bus.listen(change, ({ values: [, , owner] }) => this.#isThere = owner !== "");
    return this.bus.owner(FCITX_SERVICE) !== undefined;
  }
}

// Request and event numbers of KWin's own protocols (plasma-wayland-protocols), by interface.

/** org_kde_kwin_fake_input, version 4 (Plasma 5.27). */
export const FAKE_INPUT = {
  name: "org_kde_kwin_fake_input",
  authenticate: 0,
  pointerMotion: 1,
  button: 2,
  axis: 3,
  pointerMotionAbsolute: 9,
  keyboardKey: 10,
} as const;
/** The first version with keys, and the newest one tested with deskhand. */
export const FAKE_INPUT_VERSIONS = { least: 4, newest: 5 } as const;

/** org_kde_kwin_keystate, which reports lock keys and, in Plasma 6, held modifiers. */
export const KEY_STATE = {
  name: "org_kde_kwin_keystate",
  newest: 5,
  fetchStates: 0,
  stateChanged: 0,
  capsLock: 0,
  modifiers: { 3: "Alt", 4: "Ctrl", 5: "Shift", 6: "Super", 7: "AltGr" } as Readonly<Record<number, string>>,
  locked: 2,
  pressed: 3,
} as const;

/** Whether KWin reports held modifiers. @param version The version of its org_kde_kwin_keystate. */
export function tellsModifiers(version: number): boolean {
  return version >= KEY_STATE.newest;
}

/** org_kde_plasma_window_management; from version 17 on, the window order must be requested. */
export const WINDOW_MANAGEMENT = {
  name: "org_kde_plasma_window_management",
  least: 13,
  newest: 17,
  ordersAskedFor: 17,
  getWindowByUuid: 2,
  getStackingOrder: 3,
  stackingOrderUuids: 3,
  windowWithUuid: 4,
  stackingOrderChanged: 5,
} as const;
/** org_kde_plasma_stacking_order, which lists windows from the bottom up; its other event ends the list. */
export const STACKING_ORDER = { window: 0 } as const;
/** org_kde_plasma_window. */
export const PLASMA_WINDOW = {
  setState: 0,
  close: 4,
  destroy: 7,
  title: 0,
  appId: 1,
  state: 2,
  unmapped: 5,
  initialState: 6,
  geometry: 8,
  pid: 10,
  desktopEntered: 11,
  desktopLeft: 12,
} as const;
/** org_kde_plasma_virtual_desktop_management, which every program may use. */
export const DESKTOP_MANAGEMENT = {
  name: "org_kde_plasma_virtual_desktop_management",
  getVirtualDesktop: 0,
  created: 0,
} as const;
/** Events of org_kde_plasma_virtual_desktop, which has no request to free it. */
export const VIRTUAL_DESKTOP = { activated: 2, deactivated: 3, removed: 5 } as const;
/** Bits of a window's state (org_kde_plasma_window_management.state). */
export const WINDOW_STATE = {
  active: 0x1,
  minimized: 0x2,
  maximized: 0x4,
  fullscreen: 0x8,
  closeable: 0x100,
  minimizable: 0x200,
  maximizable: 0x400,
  fullscreenable: 0x800,
  skipSwitcher: 0x40000,
} as const;

/** Text keys, from 1 to the right Shift, and modifiers, by kernel code (linux/input-event-codes.h). */
const TEXT_CODES: ReadonlySet<number> = new Set([
  ...Array.from({ length: 53 }, (_, i) => i + 2),
  ...[56, 57, 86, 97, 100, 125, 126],
]);

/** The held keys of the one keyboard that KWin presents to all programs: the person's keys and deskhand's. */
export class KwinKeys implements KeyPresser {
  sent = 0;
  /** The object for lock keys; undefined if KWin does not report them. */
  readonly #keyState: number | undefined;
  #isCapsLocked = false;
  /** Whether KWin reports held modifiers, and their names. */
  readonly #tellsModifiers: boolean;
  readonly #modifiers = new Set<string>();
  readonly #order: FcitxKeyOrder;
  /** Keys that are sent one at a time, each after Fcitx 5 has received the earlier ones. */
  readonly #queue: RemoteKeys;
  /** Whether keys may still be queued. */
  #isQueued = false;

  /**
   * @param fakeInput The connection's authenticated org_kde_kwin_fake_input object.
   * @param bus The session bus.
   * @param isStaying Whether the process stays: a single command does not touch keys that another one holds.
   */
  constructor(
    readonly connection: Connection,
    registry: Registry,
    readonly fakeInput: number,
    bus: Bus,
    readonly isStaying: boolean,
  ) {
    const order = this.#order = new FcitxKeyOrder(bus, connection);
    this.#queue = new RemoteKeys({ key: (code, down) => Promise.try(() => this.#send(code, down)) }, {
      order,
    });
    const [global] = registry.all(KEY_STATE.name);
    this.#tellsModifiers = tellsModifiers(global?.version ?? 0);
    this.#keyState = global && registry.bind(global, KEY_STATE.newest, (opcode, args) => {
      if (opcode === KEY_STATE.stateChanged) this.#note(args.uint(), args.uint());
    });
  }

  /** Sends a press or release before it returns, unless Fcitx 5 is running. */
  press(code: number, down: boolean, isModifier?: boolean): void {
    this.sent++;
    if (!this.#isQueued && !this.#order.isNeeded) return this.#send(code, down);
    this.#isQueued = true;
    this.#queue.press(code, down, isModifier);
  }

  async flush(): Promise<void> {
    const { sent } = this;
    try {
      await this.#queue.flush();
    } finally {
      if (this.sent === sent) this.#isQueued = false;
    }
    await this.connection.handled();
  }

  /**
   * KWin counts a key once, whichever keyboards hold it. KWin in Plasma 5 does not report which keys are
   * down; it passes on a release if the key is down, or if nothing has pressed or released it before. KWin in
   * Plasma 6 ignores the release of a key that deskhand has not pressed (`FakeInputDevice::pressedKeys`), and
   * reports which modifiers are down.
   */
  async releaseOthers(codes: readonly number[]): Promise<void> {
    if (!this.isStaying) return;
    if (!this.#tellsModifiers) {
      for (const code of codes) if (TEXT_CODES.has(code)) this.press(code, false);
      return;
    }
    await this.flush();
    await this.#fetch();
    const held = [...this.#modifiers].join("+");
    if (held) {
      throw new StateError(`${held} is held on another keyboard, and KWin adds it to the text: release it`);
    }
  }

  async isCapsLocked(): Promise<boolean> {
    await this.#fetch();
    return this.#isCapsLocked;
  }

  /** Returns when KWin has reported the states of keys, if it does so. */
  async #fetch(): Promise<void> {
    if (this.#keyState === undefined) return;
    this.connection.request(this.#keyState, KEY_STATE.fetchStates);
    await this.flush();
  }

  #note(key: number, state: number): void {
    if (key === KEY_STATE.capsLock) this.#isCapsLocked = state === KEY_STATE.locked;
    const modifier = KEY_STATE.modifiers[key];
    if (modifier && state === KEY_STATE.pressed) this.#modifiers.add(modifier);
    else if (modifier) this.#modifiers.delete(modifier);
  }

  #send(code: number, down: boolean): void {
    this.connection.request(this.fakeInput, FAKE_INPUT.keyboardKey, code, down ? 1 : 0);
  }
}

// The pointer of one connection to KWin (org_kde_kwin_fake_input).

/** Moves the pointer shared by all mice. */
export class KwinPointer implements ConnectedPointer {
  readonly #place: KnownPlace;

  /** @param fakeInput The connection's authenticated org_kde_kwin_fake_input object. */
  constructor(
    readonly connection: Connection,
    registry: Registry,
    readonly outputs: Outputs,
    seat: number,
    readonly fakeInput: number,
  ) {
    const query = PointerQuery.open(connection, registry, outputs, seat);
    const nudge = () => this.#request(FAKE_INPUT.pointerMotion, { fixed: 0 }, { fixed: 0 });
    this.#place = KnownPlace.byQuery(outputs, query, nudge);
  }

  get lastPlace(): Point {
    return this.#place.last;
  }

  position(): Promise<Point> {
    return this.#place.now();
  }

  async move(point: Point): Promise<void> {
    const { x, y } = toLogical(this.outputs.arrangement(), point);
    this.#request(FAKE_INPUT.pointerMotionAbsolute, { fixed: x }, { fixed: y });
    this.#place.set(point);
    await this.connection.handled();
  }

  async button(button: Button, down: boolean): Promise<void> {
    this.#request(FAKE_INPUT.button, BUTTON_CODES[button], down ? 1 : 0);
    this.#place.button(button, down);
    await this.connection.handled();
  }

  async scroll(direction: Direction, amount: number): Promise<void> {
    const [axis, sign] = AXES[direction];
    for (let i = 0; i < amount; i++) this.#request(FAKE_INPUT.axis, axis, { fixed: sign * NOTCH });
    await this.connection.handled();
  }

  close(): void {
    this.#place.close();
  }

  #request(opcode: number, ...args: (number | { fixed: number })[]): void {
    this.connection.request(this.fakeInput, opcode, ...args);
  }
}
