/** Input devices of an X server (XInput 2). */

import type { Connection } from "./connection.ts";

const ALL_DEVICES = 0;
/** `use` of XIDeviceInfo (X11/extensions/XI2.h). */
const SLAVE_KEYBOARD = 4;
/** Offsets in XIDeviceInfo (X11/extensions/XInput2.h). */
export const INFO = { size: 40, id: 0, name: 8, use: 16 } as const;

/** An input device; `use` is one of XInput2's kinds, such as {@linkcode SLAVE_KEYBOARD}. */
export interface Device {
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

/** Keyboards that are devices; the one named XTEST has the keys that programs press. */
export function slaveKeyboards(connection: Connection): Device[] {
  return queryDevices(connection).filter(({ use }) => use === SLAVE_KEYBOARD);
}
