/** The configuration and the start of a dbus-daemon, which a bus of its own and a whole session share. */

/** The services that this system describes. */
export const STANDARD_SERVICES = "<standard_session_servicedirs/>";

/**
 * The configuration of a bus that every user may use; a bus by itself refuses other users' connections.
 * @param path The path of its socket.
 * @param services Where its services are described, as the elements of its configuration.
 */
export function busConfig(path: string, services = ""): string {
  return `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=${path}</listen>
  <auth>EXTERNAL</auth>
  ${services}
  <policy context="default">
    <allow user="*"/>
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;
}

/**
 * Arguments of env(1) that leave out empty names of displays, which the services of accessibility, which a bus starts, take
 * for displays: the registry ends at once, and the launcher does not tell Qt on X11 where its bus is.
 */
export function withoutEmptyDisplays(env: Record<string, string>): string[] {
  return ["DISPLAY", "WAYLAND_DISPLAY"].filter((name) => !env[name]).flatMap((name) => ["-u", name]);
}

/** Tells whether a program takes connections at a Unix socket; its file may be there somewhat earlier. */
export async function isListening(path: string): Promise<boolean> {
  return await Deno.connect({ transport: "unix", path }).then(
    (socket) => (socket.close(), true),
    () => false,
  );
}
