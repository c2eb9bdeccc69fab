/**
 * The session's screen lock, as reported by GNOME, KDE and others on the session bus, and by logind on the
 * system bus (https://www.freedesktop.org/software/systemd/man/org.freedesktop.login1.html, "LockedHint").
 */

import type { ScreenLock } from "../../control/desktop/desktop.ts";
import { ExpectedError, on } from "../../core/errors.ts";
import type { Bus } from "./dbus/bus.ts";
import type { RemoteObject } from "./dbus/message.ts";

/**
 * The session services that lock the screen; `freedesktop` is the name used by KDE, light-locker and others.
 */
const SAVERS = ["gnome", "freedesktop", "mate", "cinnamon", "xfce"].map((desktop): RemoteObject => {
  const name = `org.${desktop}.ScreenSaver`;
  return { destination: name, path: `/org/${desktop}/ScreenSaver`, interface: name };
});

const LOGIND = "org.freedesktop.login1";
/** logind's object for the calling user, whose Display property names the session with the screen. */
const USER: RemoteObject = {
  destination: LOGIND,
  path: "/org/freedesktop/login1/user/self",
  interface: "org.freedesktop.login1.User",
};
const SYSTEM_BUS = "unix:path=/run/dbus/system_bus_socket";

/** Records whether one of the sources reports that the screen is locked. */
type Note = (source: string, isLocked: boolean) => void;

/**
 * The session's screen lock. A lock that neither bus reports, such as swaylock's, is not noticed. The bus
 * client is loaded with the first watch.
 */
export class SessionLock implements ScreenLock {
  /**
   * @param sockets The session bus's sockets; the environment's if omitted.
   * @param system The system bus's sockets, likewise.
   */
  constructor(readonly sockets?: readonly string[], readonly system?: readonly string[]) {}

  watch(listener: (isLocked: boolean) => void): () => void {
    const locked = new Set<string>();
    let was = false;
    const note: Note = (source, isLocked) => {
      if (isLocked) locked.add(source);
      else locked.delete(source);
      if (was === locked.size > 0) return;
      was = !was;
      listener(was);
    };
    const buses: Bus[] = [];
    let isOver = false;
    const begin = async () => {
      const { Bus, parseAddresses, sessionSockets } = await import("./dbus/bus.ts");
      const open = async (
        sockets: () => readonly string[],
        sources: readonly string[],
        watch: (bus: Bus) => unknown,
        name?: string,
      ) => {
        const bus = isOver ? undefined : await Bus.openAside(sockets(), name);
        if (isOver) bus?.close();
        if (!bus || isOver) return;
        buses.push(bus);
        bus.stayAwake();
        bus.onEnd(() => { // what it reported last may no longer be so
          if (!isOver) { for (const source of sources) note(source, false); }
        });
        await watch(bus);
      };
      const system = Deno.env.get("DBUS_SYSTEM_BUS_ADDRESS") ?? SYSTEM_BUS;
      const watches = [
        open(
          () => this.sockets ?? sessionSockets(),
          SAVERS.map(({ destination }) => destination),
          (bus) => Promise.all(SAVERS.map((saver) => watchSaver(bus, saver, note))),
        ),
        open(
          () => this.system ?? parseAddresses(system),
          [LOGIND],
          (bus) => watchLogind(bus, note),
          "system bus",
        ),
      ];
      // A bus that is missing, hangs or ends reports no lock.
      await Promise.all(watches.map((watch) => watch.catch(on(ExpectedError))));
    };
    begin(); // an unexpected error is reported as the program's
    return () => {
      isOver = true;
      for (const bus of buses) bus.close();
    };
  }
}

async function watchSaver(bus: Bus, saver: RemoteObject, note: Note): Promise<void> {
  const { destination } = saver;
  const isActive = async () =>
    await bus.ownerAsync(destination) !== undefined &&
    (await bus.callAsync(saver, "GetActive", "", [], "b"))[0];
  const ask = () => unlessRefused(isActive(), (isActive) => note(destination, isActive));
  await bus.onOwnerChangeAside(destination, ask);
  const changed = { sender: destination, interface: saver.interface, member: "ActiveChanged" };
  await bus.listenAside(changed, ({ values }) => note(destination, values[0] === true));
  ask();
}

async function watchLogind(bus: Bus, note: Note): Promise<void> {
  const display = await bus.ownerAsync(LOGIND) && await bus.propertyAsync(USER, "Display");
  if (!display) return;
  const [, path] = display as [id: string, path: string];
  const session = { destination: LOGIND, path, interface: "org.freedesktop.login1.Session" };
  const ask = () =>
    unlessRefused(bus.propertyAsync(session, "LockedHint"), (hint) => note(LOGIND, hint === true));
  const changed = { path, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged" };
  await bus.listenAside(changed, ask);
  ask();
}

/** Passes on an answer; ignores a service's refusal, and a bus that is gone. */
function unlessRefused<T>(answer: Promise<T>, take: (value: T) => void): void {
  answer.then(take).catch(on(ExpectedError));
}
