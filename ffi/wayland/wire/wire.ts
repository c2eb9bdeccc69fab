/**
 * Wayland protocol messages as bytes (The Wayland Protocol, "Wire Format"): an object number, a size with an
 * opcode, and arguments of whole 32-bit words in the machine's byte order, which is little-endian wherever
 * Deno runs. Pure: file descriptors travel separately from the bytes.
 */

/** Length of the header (object number, opcode and size), in bytes. */
const HEADER = 8;
/** The size field has 16 bits. */
const MESSAGE_LIMIT = 0xffff;

/** Received bytes that are not a protocol message. */
export class WireError extends Error {
  override name = "WireError";
}

/** A number with 8 fractional bits. */
interface Fixed {
  fixed: number;
}
/** A file descriptor, which takes no bytes. */
interface Descriptor {
  fd: number;
}
/** A request's argument; null stands for no object. */
export type Argument = number | string | null | Fixed | Descriptor;

/**
 * Encodes a request.
 * @param object The number of the target object.
 * @returns The bytes; descriptors among the arguments take no bytes.
 * @throws WireError if the request is too long for a message.
 */
export function encodeMessage(
  object: number,
  opcode: number,
  args: readonly Argument[],
): Uint8Array<ArrayBuffer> {
  const encoded = args.map((argument) => typeof argument === "string" ? encodeString(argument) : argument);
  const size = encoded.reduce<number>((sum, argument) => sum + sizeOf(argument), HEADER);
  if (size > MESSAGE_LIMIT) throw new WireError(`the request is too long: ${size} bytes`);
  const bytes = new Uint8Array(size), view = new DataView(bytes.buffer);
  view.setUint32(0, object, true);
  view.setUint32(4, ((size << 16) | opcode) >>> 0, true);
  let at = HEADER;
  for (const argument of encoded) {
    if (argument instanceof Uint8Array) bytes.set(argument, at);
    else if (argument === null) view.setUint32(at, 0, true);
    else if (typeof argument === "number") view.setInt32(at, argument | 0, true);
    else if ("fixed" in argument) view.setInt32(at, Math.round(argument.fixed * 256), true);
    at += sizeOf(argument);
  }
  return bytes;
}

function sizeOf(argument: Uint8Array | number | null | Fixed | Descriptor): number {
  if (argument instanceof Uint8Array) return argument.length;
  return argument !== null && typeof argument === "object" && "fd" in argument ? 0 : 4;
}

/** Encodes a string: its length with the final zero, its bytes, and zeros up to a whole word. */
function encodeString(text: string): Uint8Array<ArrayBuffer> {
  const utf8 = new TextEncoder().encode(text), length = utf8.length + 1;
  const bytes = new Uint8Array(4 + padded(length));
  new DataView(bytes.buffer).setUint32(0, length, true);
  bytes.set(utf8, 4);
  return bytes;
}

function padded(length: number): number {
  return Math.ceil(length / 4) * 4; // bit operations would truncate a length of 32 bits
}

/** A received event. */
export interface Message {
  object: number;
  opcode: number;
  args: ArgumentReader;
}

/**
 * Returns the length of the message at the start of the bytes.
 * @returns undefined if too few bytes have arrived to determine it.
 * @throws WireError if a size is impossible.
 */
export function messageLength(bytes: Uint8Array): number | undefined {
  if (bytes.length < HEADER) return undefined;
  const size = bytes[6] | bytes[7] << 8;
  if (size < HEADER || size % 4) throw new WireError(`a message claims to have ${size} bytes`);
  return size;
}

/**
 * Decodes a message.
 * @param bytes The whole message, according to {@linkcode messageLength}, valid while its arguments are read.
 * @param descriptors The descriptors received with the bytes; the argument reader takes those of its message.
 */
export function decodeMessage(bytes: Uint8Array, descriptors: number[]): Message {
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER);
  return {
    object: view.getUint32(0, true),
    opcode: view.getUint16(4, true),
    args: new ArgumentReader(bytes.subarray(HEADER), descriptors),
  };
}

/** Reads an event's arguments, in order. */
export class ArgumentReader {
  #at = 0;
  readonly #view: DataView;

  /**
   * @param bytes The message's body.
   * @param descriptors The descriptors received with the bytes; the reader takes those of its message.
   */
  constructor(readonly bytes: Uint8Array, readonly descriptors: number[]) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** A whole number, an object or an enumeration. @throws WireError if the message ends before it. */
  uint(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  /** A whole number that may be negative. */
  int(): number {
    return this.#view.getInt32(this.#take(4), true);
  }

  /** A number with 8 fractional bits. */
  fixed(): number {
    return this.int() / 256;
  }

  /** Reads a text; a null text is returned as empty. */
  string(): string {
    const length = this.uint();
    if (length === 0) return "";
    const at = this.#take(padded(length));
    return new TextDecoder().decode(this.bytes.subarray(at, at + length - 1));
  }

  /** Bytes, copied. */
  array(): Uint8Array<ArrayBuffer> {
    const length = this.uint(), at = this.#take(padded(length));
    return new Uint8Array(this.bytes.subarray(at, at + length));
  }

  /** A file descriptor, which the caller closes. */
  descriptor(): number {
    const fd = this.descriptors.shift();
    if (fd === undefined) throw new WireError("the message lacks its file descriptor");
    return fd;
  }

  #take(length: number): number {
    const at = this.#at;
    if (length > this.bytes.length - at) throw new WireError("a message ends within its arguments");
    this.#at += length;
    return at;
  }
}

// Numbers of the requests, events and values that deskhand uses, by interface. Requests and events are
// numbered by their order in the protocol files of wayland, wayland-protocols and wlr-protocols.

/** wl_display, which every connection has as its first object. */
export const DISPLAY = { object: 1, sync: 0, getRegistry: 1, error: 0, deleteId: 1 } as const;

/** wl_registry. */
export const REGISTRY = { bind: 0, globalRemove: 1 } as const;

/** wl_output. */
export const OUTPUT = { geometry: 0, mode: 1, scale: 3, name: 4 } as const;
/** The flag of the current mode. */
export const MODE_CURRENT = 1;

/** zxdg_output_manager_v1. */
export const XDG_OUTPUT_MANAGER = { getXdgOutput: 1 } as const;
/** zxdg_output_v1. */
export const XDG_OUTPUT = { destroy: 0, logicalPosition: 0, logicalSize: 1, name: 3 } as const;

/** wl_seat. */
export const SEAT = {
  getPointer: 0,
  getKeyboard: 1,
  capabilities: 0,
  hasPointer: 1,
  hasKeyboard: 2,
} as const;
/** Requests and events of wl_pointer. */
export const POINTER = { release: 1, enter: 0 } as const;

/** wl_keyboard. */
export const KEYBOARD = { release: 0, keymap: 0, xkbV1: 1 } as const;

/** wl_compositor. */
export const COMPOSITOR = { createSurface: 0 } as const;
/** wl_surface. */
export const SURFACE = { destroy: 0, attach: 1, commit: 6 } as const;
/** wp_viewporter. */
export const VIEWPORTER = { getViewport: 1 } as const;
/** wp_viewport. */
export const VIEWPORT = { destroy: 0, setDestination: 2 } as const;
/** zwlr_layer_shell_v1. */
export const LAYER_SHELL = { getLayerSurface: 0, overlay: 3 } as const;
/** zwlr_layer_surface_v1. */
export const LAYER_SURFACE = {
  setAnchor: 1,
  setExclusiveZone: 2,
  ackConfigure: 6,
  destroy: 7,
  configure: 0,
  allEdges: 15,
} as const;

/** wl_shm. */
export const SHM = { createPool: 0 } as const;
/** wl_shm_pool. */
export const SHM_POOL = { createBuffer: 0, destroy: 1 } as const;
/** wl_buffer. */
export const BUFFER = { destroy: 0 } as const;

/** zwlr_screencopy_manager_v1. */
export const SCREENCOPY = { captureOutput: 0 } as const;
/** zwlr_screencopy_frame_v1. */
export const SCREENCOPY_FRAME = {
  copy: 0,
  destroy: 1,
  copyWithDamage: 2,
  buffer: 0,
  flags: 1,
  ready: 2,
  failed: 3,
  damage: 4,
  bufferDone: 6,
  yInverted: 1,
} as const;

/** zwlr_virtual_pointer_manager_v1. */
export const VIRTUAL_POINTER_MANAGER = { create: 0 } as const;
/** zwlr_virtual_pointer_v1. */
export const VIRTUAL_POINTER = {
  motion: 0,
  motionAbsolute: 1,
  button: 2,
  frame: 4,
  axisSource: 5,
  axisDiscrete: 7,
  wheel: 0,
} as const;

/** zwp_virtual_keyboard_manager_v1. */
export const VIRTUAL_KEYBOARD_MANAGER = { create: 0 } as const;
/** zwp_virtual_keyboard_v1. */
export const VIRTUAL_KEYBOARD = { keymap: 0, key: 1, modifiers: 2, xkbV1: 1 } as const;

/** ext_data_control_manager_v1, and zwlr_data_control_manager_v1, which has the same numbers. */
export const DATA_CONTROL_MANAGER = { createSource: 0, getDevice: 1 } as const;
/** ext_data_control_device_v1. */
export const DATA_CONTROL_DEVICE = {
  setSelection: 0,
  setPrimarySelection: 2,
  dataOffer: 0,
  selection: 1,
  primarySelection: 3,
} as const;
/** ext_data_control_source_v1. */
export const DATA_CONTROL_SOURCE = { offer: 0, destroy: 1, send: 0, cancelled: 1 } as const;
/** ext_data_control_offer_v1. */
export const DATA_CONTROL_OFFER = { receive: 0, destroy: 1, offer: 0 } as const;

/** zwlr_foreign_toplevel_manager_v1. */
export const TOPLEVEL_MANAGER = { toplevel: 0 } as const;
/** zwlr_foreign_toplevel_handle_v1. */
export const TOPLEVEL = {
  setMaximized: 0,
  unsetMaximized: 1,
  setMinimized: 2,
  unsetMinimized: 3,
  activate: 4,
  close: 5,
  destroy: 7,
  setFullscreen: 8,
  unsetFullscreen: 9,
  title: 0,
  appId: 1,
  state: 4,
  closed: 6,
} as const;
/** Values in the array of a toplevel's `state` event. */
export const TOPLEVEL_STATES = ["maximized", "minimized", "activated", "fullscreen"] as const;
