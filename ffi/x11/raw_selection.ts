/** Requests raw XInput 2 events and events of keyboard map changes from an X server. */

import { DesktopUnavailableError } from "../../core/errors.ts";
import type { Connection } from "./connection.ts";
import { USE_CORE_KEYBOARD } from "./xkb.ts";

/** Event types (X11/extensions/XI2.h). */
export const RAW = { keyPress: 13, keyRelease: 14, buttonPress: 15, buttonRelease: 16, motion: 17 } as const;

/** The mask for masters only: XIAllDevices would report every event twice, for the device and its master. */
const ALL_MASTER_DEVICES = 1;

/** XkbNewKeyboardNotifyMask and XkbMapNotifyMask (X11/extensions/XKB.h). */
const MAP_CHANGES = 1 | 2;

/**
 * Requests an XKB event for each change of the keyboard map, before the events of the keys that the change is
 * for: a program changes the map or loads another one, or a person switches to a keyboard with another map.
 */
export function selectMapChanges({ libraries: { x11 }, display }: Connection): void {
  x11.XkbSelectEvents(display, USE_CORE_KEYBOARD, MAP_CHANGES, MAP_CHANGES);
}

/**
 * Selects raw events of all devices.
 * @param types The event types, by XInput's numbers.
 * @returns The extension's opcode.
 * @throws DesktopUnavailableError if the server is gone, or supports only an XInput before 2.1, which reports
 * no raw events during grabs.
 */
export function selectRawEvents(
  connection: Connection,
  types: readonly number[],
): number {
  const { libraries: { x11, xi }, display, root } = connection;
  const extension = connection.extension("XInputExtension"),
    major = Int32Array.of(2),
    minor = Int32Array.of(2);
  // XIQueryVersion of libXi 1.8 reads the version that its first call fetched, and ends the process if the
  // server went away before the version arrived; XIQueryDevice fetches it too, and reports that.
  if (extension && !queryDevices(connection).length) {
    throw new DesktopUnavailableError("the X server is gone");
  }
  if (!extension || xi.XIQueryVersion(display, major, minor) !== 0 || major[0] === 2 && minor[0] < 1) {
    throw new DesktopUnavailableError("the X server lacks XInput 2.1");
  }
  const bits = new Uint8Array(4);
  for (const type of types) bits[type >> 3] |= 1 << (type & 7);
  const mask = new BigUint64Array(2); // XIEventMask: deviceid 0, mask_len 4, mask 8
  new Int32Array(mask.buffer).set([ALL_MASTER_DEVICES, bits.length]);
  mask[1] = Deno.UnsafePointer.value(Deno.UnsafePointer.of(bits));
  xi.XISelectEvents(display, root, mask, 1);
  x11.XSync(display, 0);
  return extension.opcode;
}

// An X server's input devices (XInput 2).

const ALL_DEVICES = 0;
/** `use` of XIDeviceInfo (X11/extensions/XI2.h). */
const SLAVE_KEYBOARD = 4;
/** Offsets in XIDeviceInfo (X11/extensions/XInput2.h). */
export const INFO = { size: 40, id: 0, name: 8, use: 16 } as const;

/** An input device; `use` is one of XInput2's kinds, such as {@linkcode SLAVE_KEYBOARD}. */
interface Device {
  id: number;
  name: string;
  use: number;
}

/** Every device, masters included. */
export function queryDevices({ libraries: { xi }, display }: Connection): Device[] {
  const count = new Int32Array(1);
  const list = xi.XIQueryDevice(display, ALL_DEVICES, count);
  if (!list) return [];
  const view = new Deno.UnsafePointerView(list);
  const devices = Array.from({ length: count[0] }, (_, i) => ({
    id: view.getInt32(i * INFO.size + INFO.id),
    name: new Deno.UnsafePointerView(view.getPointer(i * INFO.size + INFO.name)!).getCString(),
    use: view.getInt32(i * INFO.size + INFO.use),
  }));
  xi.XIFreeDeviceInfo(list);
  return devices;
}

/** Keyboards that are devices; the one named XTEST has the keys pressed by programs. */
export function slaveKeyboards(connection: Connection): Device[] {
  return queryDevices(connection).filter(({ use }) => use === SLAVE_KEYBOARD);
}
