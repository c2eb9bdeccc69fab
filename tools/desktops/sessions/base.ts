/**
 * The base of sessions: a session bus, a system bus with a stand-in for logind, sound and video by PipeWire.
 */

import type { Session } from "../session.ts";

const PING = "--dest org.freedesktop.DBus --object-path / --method org.freedesktop.DBus.GetId";

/**
 * WirePlumber's Bluetooth module asks systemd-logind for seats, which crashes Debian 12's without systemd.
 */
const NO_BLUETOOTH = "bluez_monitor.enabled = false\n";

/** Starts the buses and PipeWire. */
export async function startBase(session: Session): Promise<void> {
  const { env } = session, address = (name: string) => `unix:path=${env.XDG_RUNTIME_DIR}/${name}`;
  for (const name of ["bus", "system"]) {
    session.launch(`dbus-${name}`, `dbus-daemon --session --address=${address(name)} --nofork`);
    await session.ready(`the ${name} bus`, `gdbus call --address ${address(name)} ${PING}`);
  }
  env.DBUS_SESSION_BUS_ADDRESS = address("bus");
  env.DBUS_SYSTEM_BUS_ADDRESS = address("system");
  session.launch("logind", "/usr/bin/python3 -m dbusmock --system --template logind");
  const login1 = "--dest org.freedesktop.login1 --object-path /org/freedesktop/login1";
  await session.ready("logind", `gdbus introspect --address ${address("system")} ${login1}`);
  session.launch("pipewire", "pipewire");
  await session.ready("PipeWire", `test -S ${env.XDG_RUNTIME_DIR}/pipewire-0`);
  session.write(".config/wireplumber/bluetooth.lua.d/60-none.lua", NO_BLUETOOTH);
  session.launch("wireplumber", "wireplumber");
  await session.ready("WirePlumber", "pw-cli ls Client | grep -q WirePlumber");
}
