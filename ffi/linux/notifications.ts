/**
 * Desktop notifications with buttons (specifications.freedesktop.org/notification-spec/1.2/protocol.html).
 */

import { Bus } from "./dbus/bus.ts";
import { DAEMON, type RemoteObject } from "./dbus/message.ts";
import { Variant } from "./dbus/values.ts";

const SERVICE: RemoteObject = {
  destination: "org.freedesktop.Notifications",
  path: "/org/freedesktop/Notifications",
  interface: "org.freedesktop.Notifications",
};
/** Maximum time for the bus to start the service, in milliseconds. */
const START_MS = 25_000;
/** The "critical" urgency, which is also shown over full-screen windows and in do-not-disturb mode. */
const CRITICAL = 2;

/** A notification. */
export interface Notice {
  summary: string;
  /** Plain text. */
  body: string;
  /** The buttons, the most important first: a desktop may show only three. */
  actions: readonly { key: string; label: string }[];
  /** Time after which the desktop may remove it if deskhand has ended, in milliseconds. */
  lastsMs: number;
}

/**
 * Shows a notification until a button is pressed or the signal is aborted. Closing it counts as pressing
 * nothing.
 * @param sockets The session bus's sockets; the environment's if omitted.
 * @returns The button's key; undefined if the signal is aborted, or the bus ends.
 * @throws NoDesktopError if there is no session bus; BusError if no service shows notifications, or none with buttons;
 * DesktopUnavailableError if the bus or the service does not answer.
 */
export async function showNotification(
  { summary, body, actions, lastsMs }: Notice,
  signal: AbortSignal,
  sockets?: readonly string[],
): Promise<string | undefined> {
  const bus = await Bus.openAside(sockets),
    { promise, resolve } = Promise.withResolvers<string | undefined>();
  const stop = () => resolve(undefined),
    pressed = new Map<unknown, unknown>();
  let id = 0;
  try {
    signal.throwIfAborted();
    signal.addEventListener("abort", stop);
    bus.onEnd(stop);
    bus.stayAwake();
    const [abilities] = await bus.callAsync(SERVICE, "GetCapabilities", "", [], "as", {
      ms: START_MS,
      signal,
    });
    const [sender] = await bus.callAsync(DAEMON, "GetNameOwner", "s", [SERVICE.destination], "s", { signal });
    await bus.listenAside({ sender, member: "ActionInvoked" }, ({ values: [of, key] }) => {
      pressed.set(of, key); // which may happen before the notification's number is known here
      if (of === id) resolve(key as string);
    });
    const text = abilities.includes("body-markup") ? escaped(body) : body;
    const buttons = abilities.includes("actions") ? actions.flatMap(({ key, label }) => [key, label]) : [];
    const args = [
      "deskhand",
      0,
      "",
      summary,
      text,
      buttons,
      { urgency: new Variant("y", CRITICAL) },
      lastsMs,
    ];
    // Without the signal, since a notification with an unknown number cannot be closed.
    [id] = await bus.callAsync(SERVICE, "Notify", "susssasa{sv}i", args, "u", { ms: START_MS });
    if (pressed.has(id)) resolve(pressed.get(id) as string);
    return await promise;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    if (id) bus.tell(SERVICE, "CloseNotification", "u", [id]);
    bus.close();
  }
}

/** Escapes a text for a body with markup, in which a window's title must not become a link. */
const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
