/** The kernel's input devices, which only members of the `input` group may read. */

import { cString, errno, type Libc, openLibc } from "../../linux/libc.ts";

/** The folder with input devices. */
export const DEVICE_FOLDER = "/dev/input";
/** Maximum number of devices, which count from 0; a machine has a dozen. */
const NUMBERS = 64;
const O_RDONLY = 0, O_NONBLOCK = 0o4000, O_CLOEXEC = 0o2000000;
const EACCES = 13;

/** Readable devices, and the number of others. */
interface FoundDevices {
  /** File descriptors by device number, which the caller closes. */
  opened: Map<number, number>;
  /** The number of devices that this user may not read. */
  refused: number;
}

/**
 * Opens devices with the C library, since compiled deskhand may not read /dev with Deno's own functions.
 * @param known Numbers of devices that are already open.
 */
export function openDevices(c: Libc, folder: string, known: ReadonlySet<number> = new Set()): FoundDevices {
  const opened = new Map<number, number>();
  let refused = 0;
  for (let number = 0; number < NUMBERS; number++) {
    if (known.has(number)) continue;
    const fd = c.open(cString(`${folder}/event${number}`), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0) opened.set(number, fd);
    else if (errno(c) === EACCES) refused++;
  }
  return { opened, refused };
}

/** EVIOCGBIT(EV_KEY, 96 bytes): a bit for each of a device's buttons and keys (linux/input.h). */
const EVIOCGBIT_KEY = 0x80604521n, KEY_BYTES = 96;
/** BTN_LEFT and BTN_TOUCH: every device that moves the pointer has one of them. */
const POINTER_BUTTONS = [0x110, 0x14a];

/** Whether a device moves the pointer. Axes do not identify one, since motion sensors report them too. */
export function isPointer(c: Libc, fd: number): boolean {
  const keys = new Uint8Array(KEY_BYTES);
  if (c.ioctl(fd, EVIOCGBIT_KEY, keys) < 0) return true; // the device does not report its keys
  return POINTER_BUTTONS.some((code) => keys[code >> 3] & (1 << (code & 7)));
}

/**
 * Why a person's input cannot be read.
 * @param seesMoves Whether pointer moves are seen without devices.
 * @returns undefined if it can.
 */
export function deviceRefusal(folder = DEVICE_FOLDER, seesMoves = false): string | undefined {
  const c = openLibc(), { opened, refused } = openDevices(c, folder);
  for (const fd of opened.values()) c.close(fd);
  if (opened.size) return undefined;
  const person = seesMoves ? "a person's only as pointer moves" : "a person's is not";
  const own = `deskhand's own input is recorded, ${person}: `;
  if (!refused) return `${own}there are no input devices in ${folder}`;
  return `${own}this user may not read the devices in ${folder}. To allow it: sudo usermod -aG input $USER, then ` +
    "log in again; every program of this user can then read everything typed";
}
