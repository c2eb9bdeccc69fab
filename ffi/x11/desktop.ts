/** An X11 desktop that outlives its X server: when that is back, the next call finds it. */

import type {
  Button,
  Desktop,
  Direction,
  Frame,
  Picture,
  Point,
  Region,
  Screen,
  Watch,
  WatchListener,
} from "../../control/desktop.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import { Session } from "./session.ts";
import { watchX11 } from "./watch.ts";

/** Between two tries to find the server again, in milliseconds. */
const RETRY_MS = 250;

/** See the module's comment. */
export class X11Desktop implements Desktop {
  readonly kind = "x11";
  #session: Session | undefined;
  #lastTry = -Infinity;

  /** @param display Its name, such as `:0`. */
  constructor(readonly display: string, session: Session) {
    this.#session = session;
  }

  screen(): Screen {
    return this.#do((session) => session.screen());
  }

  position(): Point {
    return this.#do((session) => session.position());
  }

  move(point: Point): void {
    this.#do((session) => session.move(point));
  }

  button(button: Button, down: boolean): void {
    this.#do((session) => session.button(button, down));
  }

  scroll(direction: Direction, amount: number): void {
    this.#do((session) => session.scroll(direction, amount));
  }

  key(key: string, down: boolean): void {
    this.#do((session) => session.keyboard.key(key, down));
  }

  async type(text: string, signal?: AbortSignal): Promise<void> {
    const session = this.#live();
    try {
      await session.keyboard.type(text, signal);
    } catch (error) {
      throw this.#seen(error, session);
    }
  }

  async settle(): Promise<void> {
    await this.#session?.keyboard.settle();
  }

  capture(region: Region, cursor: boolean): Frame {
    return this.#do((session) => session.capture(region, cursor));
  }

  picture(region: Region, cursor: boolean): Picture | undefined {
    return this.#do((session) => session.picture(region, cursor));
  }

  watch(listener: WatchListener): Promise<Watch> {
    return watchX11(this.display, listener);
  }

  close(): void {
    this.#session?.close();
    this.#session = undefined;
    this.#lastTry = Infinity;
  }

  #do<T>(act: (session: Session) => T): T {
    const session = this.#live();
    try {
      return act(session);
    } catch (error) {
      throw this.#seen(error, session);
    }
  }

  /** Gives a session up when its server is gone. */
  #seen(error: unknown, session: Session): unknown {
    if (
      error instanceof DesktopUnavailableError && session === this.#session && !session.connection.alive()
    ) {
      this.#session = undefined;
      session.close();
    }
    return error;
  }

  #live(): Session {
    if (this.#session) return this.#session;
    const gone = new DesktopUnavailableError(
      `the X server of display ${this.display} is gone; waiting for it to be back`,
    );
    const now = performance.now();
    if (now - this.#lastTry < RETRY_MS) throw gone;
    this.#lastTry = now;
    this.#session = Session.open(this.display);
    if (!this.#session) throw gone;
    return this.#session;
  }
}
