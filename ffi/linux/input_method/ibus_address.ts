/** Where IBus listens: it has a bus of its own beside the session's, and writes the address into a file. */

import { join } from "../../../core/path.ts";
import { parseAddresses } from "../dbus/address.ts";

/**
 * The sockets of a display's IBus (`ibus_get_socket_path` of libibus): `IBUS_ADDRESS`, else what the file of
 * `<config>/ibus/bus/` says whose name ends with the display.
 * @param display The name of the Wayland socket (`wayland-0`), or the number of the X display (`0`).
 * @returns Empty if IBus has never run there. What is named need not listen any more.
 */
export function ibusSockets(
  display: string,
  env: (name: string) => string | undefined = (name) => Deno.env.get(name),
): string[] {
  const address = env("IBUS_ADDRESS"), config = configFolder(env);
  if (address) return parseAddresses(address);
  return config === undefined ? [] : addressesIn(join(config, "ibus", "bus"), `-unix-${display}`);
}

function configFolder(env: (name: string) => string | undefined): string | undefined {
  const own = env("XDG_CONFIG_HOME"), home = env("HOME");
  if (own?.startsWith("/")) return own;
  return home ? join(home, ".config") : undefined;
}

/** A home that several machines share has a file for each of them, of which the others name sockets that are not here. */
function addressesIn(folder: string, ending: string): string[] {
  try {
    return Array.from(Deno.readDirSync(folder))
      .filter(({ name }) => name.endsWith(ending))
      .flatMap(({ name }) => {
        const text = Deno.readTextFileSync(join(folder, name));
        return parseAddresses(/^IBUS_ADDRESS=(.*)$/m.exec(text)?.[1] ?? "");
      });
  } catch {
    return []; // no IBus, or one of another user
  }
}
