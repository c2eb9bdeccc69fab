/** Input by Mutter's RemoteDesktop. */

import type { Point, Region } from "../../../control/desktop.ts";
import type { PlacedOutput } from "../wire/geometry.ts";
import type { MutterSession } from "./mutter_session.ts";
import type { RemoteInput } from "../streamed/remote_input.ts";
import { awaitKeyboard, pointerKnownAt, until } from "../streamed/seat.ts";

/** Sends input to a session, which is opened with the first. */
export class MutterInput implements RemoteInput {
  /** The place of the last move, in pixels of the desktop. */
  #place: Point | undefined;
  /** Buttons and keys that are pressed. */
  readonly #down = new Set<string>();
  /** The session whose keyboard programs know of. */
  #known: MutterSession | undefined;
  /** The session that has a pointer, and the time at which programs know of it. */
  #pointed: { session: MutterSession; knownAt: number } | undefined;

  /**
   * @param session Gives the open session.
   * @param socket The path of the compositor's Wayland socket.
   * @param outputCount How many displays there are.
   */
  constructor(
    readonly session: () => Promise<MutterSession>,
    readonly socket: string,
    readonly outputCount: () => number,
  ) {}

  /** Tells whether a key or button is pressed. */
  get isHolding(): boolean {
    return this.#down.size > 0;
  }

  async move(to: PlacedOutput, place: Point): Promise<void> {
    const { session } = await this.#withPointer(), { region } = to;
    const point: Point = {
      x: region.x + Math.round(place.x * region.width),
      y: region.y + Math.round(place.y * region.height),
    };
    if (this.outputCount() > 1 && !this.#isSafeWay(region)) {
      for (let i = 0; i < 2; i++) await this.#motion(session, to, { x: 0.5, y: 0.5 });
    }
    this.#place = point;
    await this.#motion(session, to, place);
  }

  async button(code: number, down: boolean): Promise<void> {
    const session = await this.#withKnownPointer();
    this.#note(`button ${code}`, down);
    await session.notify("NotifyPointerButton", "ib", [code, down]);
  }

  async scroll(axis: number, notches: number): Promise<void> {
    const session = await this.#withKnownPointer();
    await session.notify("NotifyPointerAxisDiscrete", "ui", [axis, notches]);
  }

  async key(code: number, down: boolean): Promise<void> {
    const session = await this.#withKeyboard();
    this.#note(`key ${code}`, down);
    await pressKey(session, code, down);
  }

  /** Forgets the pressed keys and buttons: Mutter releases them with the session. */
  forget(): void {
    this.#down.clear();
  }

  async #withKeyboard(): Promise<MutterSession> {
    const session = await this.session();
    if (session === this.#known) return session;
    await awaitKeyboard(this.socket, (code, down) => pressKey(session, code, down));
    this.#known = session;
    return session;
  }

  async #withPointer(): Promise<{ session: MutterSession; knownAt: number }> {
    const session = await this.session();
    if (session === this.#pointed?.session) return this.#pointed;
    const move = () => session.notify("NotifyPointerMotionRelative", "dd", [0, 0]);
    return this.#pointed = { session, knownAt: await pointerKnownAt(this.socket, move) };
  }

  async #withKnownPointer(): Promise<MutterSession> {
    const { session, knownAt } = await this.#withPointer();
    await until(knownAt);
    return session;
  }

  async #motion(session: MutterSession, { output }: PlacedOutput, { x, y }: Point): Promise<void> {
    const { name, mode: { width, height } } = output;
    await session.notify("NotifyPointerMotionAbsolute", "sdd", [session.pathOf(name), x * width, y * height]);
  }

  /**
   * Tells whether nothing stops the pointer on its way to an output. GNOME stops the pointer at the end of the top
   * panel, so that a person hits the menu there, on the way to another display and on the line between two displays.
   * The pointer gets past by way of the middle of the other display: the first try moves it down along the line, the
   * second starts from there.
   */
  #isSafeWay({ x, y, width, height }: Region): boolean {
    const from = this.#place;
    return from !== undefined && from.x > x && from.y > y && from.x < x + width - 1 &&
      from.y < y + height - 1;
  }

  #note(what: string, down: boolean): void {
    if (down) this.#down.add(what);
    else this.#down.delete(what);
  }
}

async function pressKey(session: MutterSession, code: number, down: boolean): Promise<void> {
  await session.notify("NotifyKeyboardKeycode", "ub", [code, down]);
}
