/**
 * A session that a person has agreed to. The session ends when the person takes the consent back, and is then not
 * opened again.
 */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import type { Bus } from "../../linux/dbus/bus.ts";
import type { RemoteObject } from "../../linux/dbus/objects.ts";
import { BusError } from "../../linux/dbus/errors.ts";
import type { Sent } from "../../linux/dbus/values.ts";
import { REMOTE_DESKTOP, SCREEN_CAST, SERVICE, SESSION } from "./names.ts";
import type { PortalStream } from "./streams.ts";

const ENDED =
  "the desktop has ended the remote control that was agreed to: a person took the consent back, or the " +
  "screen was locked. Start deskhand again, which asks for consent again";

/** An open session. */
export class PortalSession {
  /** Streams that are shared; empty before the consent. */
  streams: PortalStream[] = [];
  /** Called when the desktop ends the session, by a person's wish or since the screen was locked. */
  onRevoked = () => {};
  #isEnded = false;
  readonly #endings: (() => void)[] = [];

  /**
   * @param portal The unique name of the portal's connection.
   * @param path The path of the session's object.
   */
  constructor(readonly bus: Bus, readonly portal: string, readonly path: string) {
    const closed = { sender: portal, path, interface: SESSION, member: "Closed" };
    this.#endings.push(
      bus.stayAwake(),
      bus.listen(closed, () => this.#revoked()),
      bus.onOwnerChange(portal, () => this.#end()),
    );
  }

  /** @throws DesktopUnavailableError if the session has ended. */
  check(): void {
    if (this.#isEnded) throw new DesktopUnavailableError(ENDED);
    this.bus.check();
  }

  /**
   * Sends input and waits until the portal has passed it on.
   * @param member A method of RemoteDesktop that begins with `Notify`.
   * @param signature The signature of the arguments behind the session and the options.
   * @throws DesktopUnavailableError if the session has ended, or the portal refuses.
   */
  async notify(member: string, signature: string, args: readonly Sent[]): Promise<void> {
    await this.#call(() =>
      this.bus.callAsync(REMOTE_DESKTOP, member, `oa{sv}${signature}`, [this.path, {}, ...args], "")
    );
  }

  /**
   * Opens a connection to PipeWire that has the shared screens alone.
   * @returns A descriptor, which the caller closes.
   * @throws DesktopUnavailableError if the session has ended, or the portal refuses.
   */
  async openPipeWire(): Promise<number> {
    const call = () => this.bus.callAsync(SCREEN_CAST, "OpenPipeWireRemote", "oa{sv}", [this.path, {}], "h");
    return (await this.#call(call))[0];
  }

  /** Ends the session, and with it the desktop's sign that it is being controlled. Safe to call twice. */
  close(): void {
    if (!this.#isEnded) this.bus.tell(this.#object, "Close", "", []);
    this.#end();
  }

  get #object(): RemoteObject {
    return { destination: SERVICE, path: this.path, interface: SESSION };
  }

  #revoked(): void {
    this.#end();
    this.onRevoked();
  }

  #end(): void {
    this.#isEnded = true;
    for (const end of this.#endings.splice(0)) end();
  }

  async #call<T>(run: () => Promise<T>): Promise<T> {
    this.check();
    try {
      return await run();
    } catch (error) {
      // The portal may refuse calls of a closed session before it sends the signal that the session is closed.
      if (error instanceof BusError) this.check();
      throw error;
    }
  }
}
