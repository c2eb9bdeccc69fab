/** How long a program takes for a reading: its responses to the same calls from a client that only counts. */

import { openAccessibility } from "../ffi/atspi/bus.ts";
import { ask, type Call, ROOT_PATH } from "../ffi/atspi/objects.ts";
import { WindowReader } from "../ffi/atspi/window_reader.ts";
import type { WindowInfo } from "../control/desktop/desktop.ts";
import { parseAddresses } from "../ffi/linux/dbus/bus.ts";
import { encodeMessage, MESSAGE } from "../ffi/linux/dbus/message.ts";
import { ValueWriter } from "../ffi/linux/dbus/marshalling.ts";

interface ReadingCalls {
  /** The path of the program's own socket. */
  socket: string;
  count: number;
  /** The calls as messages, concatenated. */
  bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Reads a window in the session that the environment names, and returns the calls used.
 * @returns undefined if the window's program has no socket of its own.
 */
export function callsOfReading(window: WindowInfo): ReadingCalls | undefined {
  const calls = openAccessibility(), reader = new WindowReader(calls, "screen"), made: Call[] = [];
  try {
    const [{ key }] = reader.read(window, false).elements, [app] = key.split(" ");
    let address: unknown;
    calls.add(
      ask({ app, path: ROOT_PATH }, "Application", "GetApplicationBusAddress", (value) => address = value),
    );
    calls.run(1000);
    const [socket] = typeof address === "string" ? parseAddresses(address) : [];
    const add = calls.add.bind(calls);
    calls.add = (call) => {
      made.push(call);
      add(call);
    };
    reader.read(window, false);
    const own = made.filter(({ object }) => object.destination === app);
    return socket ? { socket, count: own.length, bytes: encoded(own) } : undefined;
  } finally {
    calls.close();
  }
}

function encoded(calls: readonly Call[]): Uint8Array<ArrayBuffer> {
  const writer = new ValueWriter();
  calls.forEach(
    ({ object: { destination, path, interface: type }, member, signature = "", args = [] }, i) => {
      const fields = { destination, path, interface: type, member };
      encodeMessage({ type: MESSAGE.call, serial: i + 1, fields, signature, args }, writer);
    },
  );
  return writer.bytes;
}
