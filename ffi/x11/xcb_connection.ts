/**
 * A connection to an X server through XCB: requests are sent together and their replies are collected
 * afterwards. An error belongs to its request, so a window that vanishes in between only causes a missing
 * reply.
 */

import { DesktopUnavailableError } from "../../core/errors.ts";
import { cString, POLLIN } from "../linux/libc.ts";
import { type Libraries, openLibraries } from "./libraries.ts";

// The setup of a connection: the server's reply to its opening, which lists the screens.

/** Sizes in xcb_setup_t, xcb_screen_t and xcb_depth_t (xproto.h). */
export const SETUP = { size: 40, vendorLength: 24, formats: 29, formatSize: 8 };
export const SCREEN = { size: 40, depths: 39 }, DEPTH = { size: 8, visuals: 2, visualSize: 24 };

/**
 * Finds a screen's root window. The setup lists screens consecutively, and the length of each depends on its
 * depths and visuals.
 * @param setup An xcb_setup_t with the data behind it, as returned by xcb_get_setup(3).
 * @param screen The number of a screen in the setup, counted from 0.
 */
function rootOf(setup: Deno.UnsafePointerView, screen: number): number {
  const vendor = (setup.getUint16(SETUP.vendorLength) + 3) & ~3;
  let at = SETUP.size + vendor + setup.getUint8(SETUP.formats) * SETUP.formatSize;
  for (let number = 0; number < screen; number++) {
    const depths = setup.getUint8(at + SCREEN.depths);
    at += SCREEN.size;
    for (let depth = 0; depth < depths; depth++) {
      at += DEPTH.size + setup.getUint16(at + DEPTH.visuals) * DEPTH.visualSize;
    }
  }
  return setup.getUint32(at);
}

/** The offset of the data in a variable-length reply. */
export const REPLY_DATA = 32;
/** SubstructureNotifyMask | SubstructureRedirectMask: messages for the window manager (EWMH, "Root Window Messages"). */
const TO_MANAGER = 0x180000;
/** sizeof(xcb_generic_event_t) without its full sequence number. */
export const EVENT_SIZE = 32;
/** XCB_CW_EVENT_MASK. */
const EVENT_MASK = 1 << 11;
/** Maximum number of window levels in a walk, in case the tree changes meanwhile. */
export const TREE_LEVELS = 32;

/** Event types of the X11 protocol (X11/X.h). */
export const EVENT = {
  error: 0,
  destroyNotify: 17,
  configureNotify: 22,
  propertyNotify: 28,
  selectionClear: 29,
  selectionRequest: 30,
  selectionNotify: 31,
  clientMessage: 33,
  mappingNotify: 34,
  generic: 35,
} as const;
/** Masks that select events (X11 protocol, "SETofEVENT"). */
export const PROPERTY_CHANGE = 1 << 22, STRUCTURE_NOTIFY = 1 << 17;
/** The bit in an event's type for events sent by a client. */
const SENT = 0x80;

/** A property's value. */
export interface Property {
  /** The atom of the property's type. */
  type: number;
  /** Bits per item: 8, 16 or 32. */
  format: number;
  data: Uint8Array<ArrayBuffer>;
}

/** The value of a property as 32-bit numbers; empty if the property is missing or has another format. */
export function numbersOf(property: Property | undefined): number[] {
  return property?.format === 32 ? [...new Uint32Array(property.data.buffer)] : [];
}

/** A window around another one. */
interface Enclosing {
  window: number;
  /** The requested property; undefined if the window lacks it. */
  value: Property | undefined;
  /** Undefined if the window is gone. */
  parent: number | undefined;
}

/** A cookie: the number of a request with a pending reply. */
type Cookie = number;
type RequestOf<Name> = Name extends `xcb_${infer Request}_reply` ? Request : never;
/** A request that has a reply. */
type Replied = Exclude<RequestOf<keyof Libraries["xcb"]>, "poll_for" | "discard">;

/** An open connection. */
export class XcbConnection {
  readonly xcb: Libraries["xcb"];
  readonly root: number;
  readonly #connection: Deno.PointerObject;
  readonly #c: Libraries["c"];
  readonly #error = new BigUint64Array(1);
  readonly #atoms = new Map<string, number>();
  #isClosed = false;

  /**
   * Connects to the X server.
   * @param display The name of the display, such as `:0`.
   * @throws DesktopUnavailableError if the server is gone or refuses this user.
   */
  constructor(readonly display: string) {
    ({ xcb: this.xcb, c: this.#c } = openLibraries());
    const screen = new Int32Array(1);
    this.#connection = this.xcb.xcb_connect(cString(display), screen)!; // never null (xcb_connect(3))
    if (this.isBroken) {
      this.close();
      throw this.#gone();
    }
    this.root = rootOf(new Deno.UnsafePointerView(this.xcb.xcb_get_setup(this.connection)!), screen[0]);
  }

  /**
   * The `xcb_connection_t *`.
   * @throws DesktopUnavailableError after {@linkcode close}, which frees its memory: a caller may have waited
   * meanwhile.
   */
  get connection(): Deno.PointerObject {
    if (this.#isClosed) throw this.#gone();
    return this.#connection;
  }

  /** Whether this or the server has closed the connection. */
  get isBroken(): boolean {
    return this.#isClosed || this.xcb.xcb_connection_has_error(this.#connection) !== 0;
  }

  /** Closes the connection. Safe to call twice. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.xcb.xcb_disconnect(this.#connection);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** The numbers of atom names, each requested once. */
  atoms<const N extends string>(names: readonly N[]): Record<N, number> {
    const unknown = names.filter((name) => !this.#atoms.has(name));
    const asked = unknown.map((name) =>
      this.xcb.xcb_intern_atom(this.connection, 0, name.length, cString(name))
    );
    unknown.forEach((name, i) => {
      const atom = this.#reply("intern_atom", asked[i], (reply) => reply.getUint32(8));
      if (atom !== undefined) this.#atoms.set(name, atom);
    });
    return Object.fromEntries(names.map((name) => [name, this.#atoms.get(name) ?? 0])) as Record<N, number>;
  }

  /**
   * Requests a property.
   * @param longs Maximum length of its value, in units of 4 bytes.
   * @param remove Deletes the property after it is read.
   */
  askProperty(window: number, property: number, longs = 1024, remove = false): Cookie {
    return this.xcb.xcb_get_property(this.connection, Number(remove), window, property, 0, 0, longs);
  }

  /** @returns undefined if the window is gone or lacks the property. */
  property(cookie: Cookie): Property | undefined {
    return this.#reply("get_property", cookie, (reply) => {
      const format = reply.getUint8(1), type = reply.getUint32(8), items = reply.getUint32(16);
      if (!type) return undefined;
      const data = new Uint8Array(items * format / 8);
      if (data.length) reply.copyInto(data, REPLY_DATA);
      return { type, format, data };
    });
  }

  /** A property's value as 32-bit numbers; empty if the property is missing or has another format. */
  numbers(cookie: Cookie): number[] {
    return numbersOf(this.property(cookie));
  }

  /**
   * Sets a property.
   * @param format Bits per item.
   */
  setProperty(
    window: number,
    property: number,
    type: number,
    format: 8 | 32,
    data: Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>,
  ): void {
    this.xcb.xcb_change_property(this.connection, 0, window, property, type, format, data.length, data);
  }

  /** The window that owns a selection; 0 if there is none. */
  selectionOwner(selection: number): number {
    const cookie = this.xcb.xcb_get_selection_owner(this.connection, selection);
    return this.#reply("get_selection_owner", cookie, (reply) => reply.getUint32(8)) ?? 0;
  }

  /** The next event that has arrived, with its type in the first byte; undefined if there is none. */
  event(): DataView<ArrayBuffer> | undefined {
    return this.#take(this.xcb.xcb_poll_for_event(this.connection), (event) => {
      const bytes = new Uint8Array(EVENT_SIZE);
      event.copyInto(bytes);
      bytes[0] &= ~SENT;
      return new DataView(bytes.buffer);
    });
  }

  /**
   * Sleeps until the server has sent something, blocking this thread.
   * @param ms Maximum sleep, in milliseconds.
   */
  waitForInput(ms: number): void {
    const fd = this.xcb.xcb_get_file_descriptor(this.connection);
    this.#c.poll(Int32Array.of(fd, POLLIN), 1n, ms);
  }

  /** Selects a window's events (SETofEVENT); 0 for none. */
  select(window: number, mask: number): void {
    this.xcb.xcb_change_window_attributes(this.connection, window, EVENT_MASK, Uint32Array.of(mask));
  }

  /** Sends queued requests. */
  flush(): void {
    this.xcb.xcb_flush(this.connection);
  }

  askTree(window: number): Cookie {
    return this.xcb.xcb_query_tree(this.connection, window);
  }

  /** @returns The children from the bottom up; undefined if the window is gone. */
  tree(cookie: Cookie): { parent: number; children: number[] } | undefined {
    return this.#reply("query_tree", cookie, (reply) => {
      const children = new Uint32Array(reply.getUint16(16));
      if (children.length) reply.copyInto(new Uint8Array(children.buffer), REPLY_DATA);
      return { parent: reply.getUint32(12), children: [...children] };
    });
  }

  /**
   * Yields a window and those around it, from the inside up to a child of the root window.
   * @param property A property to read from each window in the same round trip, as with
   * {@linkcode askProperty}; omitted for none.
   */
  *around(window: number, property?: number, longs?: number): Generator<Enclosing> {
    for (let level = 0; window && window !== this.root && level < TREE_LEVELS; level++) {
      const asked = property && this.askProperty(window, property, longs), tree = this.askTree(window);
      const value = asked ? this.property(asked) : undefined, parent = this.tree(tree)?.parent;
      yield { window, value, parent };
      window = parent ?? 0;
    }
  }

  askGeometry(window: number): Cookie {
    return this.xcb.xcb_get_geometry(this.connection, window);
  }

  /** @returns Size in pixels without the border; undefined if the window is gone. */
  geometry(cookie: Cookie): { width: number; height: number; border: number } | undefined {
    return this.#reply("get_geometry", cookie, (reply) => ({
      width: reply.getUint16(16),
      height: reply.getUint16(18),
      border: reply.getUint16(20),
    }));
  }

  /** Requests the position of a window's top left corner on the root window. */
  askOrigin(window: number): Cookie {
    return this.xcb.xcb_translate_coordinates(this.connection, window, this.root, 0, 0);
  }

  /** @returns undefined if the window is gone. */
  origin(cookie: Cookie): { x: number; y: number } | undefined {
    return this.#reply("translate_coordinates", cookie, (reply) => ({
      x: reply.getInt16(12),
      y: reply.getInt16(14),
    }));
  }

  askAttributes(window: number): Cookie {
    return this.xcb.xcb_get_window_attributes(this.connection, window);
  }

  /** @returns undefined if the window is gone. */
  attributes(
    cookie: Cookie,
  ): { isInputOutput: boolean; isViewable: boolean; isUnmanaged: boolean } | undefined {
    return this.#reply("get_window_attributes", cookie, (reply) => ({
      isInputOutput: reply.getUint16(12) === 1,
      isViewable: reply.getUint8(26) === 2,
      isUnmanaged: reply.getUint8(27) !== 0, // override_redirect
    }));
  }

  /** @returns The pointer's position on the root window (`xcb_query_pointer`); undefined for an error. */
  pointer(cookie: Cookie): { x: number; y: number } | undefined {
    return this.#reply("query_pointer", cookie, (reply) => ({
      x: reply.getInt16(16),
      y: reply.getInt16(18),
    }));
  }

  /** A window's child that contains the pointer; 0 if there is none. */
  childBelowPointer(window: number): number {
    const cookie = this.xcb.xcb_query_pointer(this.connection, window);
    return this.#reply("query_pointer", cookie, (reply) => reply.getUint32(12)) ?? 0;
  }

  /** The root window's child at a position; 0 if there is none. */
  childAt({ x, y }: { x: number; y: number }): number {
    const cookie = this.xcb.xcb_translate_coordinates(this.connection, this.root, this.root, x, y);
    return this.#reply("translate_coordinates", cookie, (reply) => reply.getUint32(8)) ?? 0;
  }

  /** The focused window; 0 or 1 (PointerRoot) if there is none. */
  focus(): number {
    const cookie = this.xcb.xcb_get_input_focus(this.connection);
    return this.#reply("get_input_focus", cookie, (reply) => reply.getUint32(8)) ?? 0;
  }

  /**
   * Sends a client message (ICCCM section 4.2.8).
   * @param data At most five numbers.
   * @param to The window that receives the message; if omitted, the root window, where the window manager
   * listens.
   */
  sendMessage(window: number, type: number, data: number[], to = this.root): void {
    const event = new DataView(new ArrayBuffer(32));
    event.setUint8(0, EVENT.clientMessage);
    event.setUint8(1, 32); // format
    event.setUint32(4, window, true);
    event.setUint32(8, type, true);
    data.forEach((value, i) => event.setUint32(12 + 4 * i, value >>> 0, true));
    const mask = to === this.root ? TO_MANAGER : 0;
    this.xcb.xcb_send_event(this.connection, 0, to, mask, new Uint8Array(event.buffer));
    this.xcb.xcb_flush(this.connection);
  }

  /**
   * Waits for a request that has no reply.
   * @returns Whether the request succeeded; false for a window that is gone.
   */
  isDone(cookie: Cookie): boolean {
    const error = this.xcb.xcb_request_check(this.connection, cookie);
    if (error) this.#c.free(error);
    return !error;
  }

  /**
   * Whether a request has a reply, which is freed.
   * @param take Takes the reply, or the error in its place.
   */
  isAnswered(take: (error: BigUint64Array<ArrayBuffer>) => Deno.PointerValue): boolean {
    return this.#take(take(this.#error), () => true) ?? false;
  }

  #gone(): DesktopUnavailableError {
    return new DesktopUnavailableError(`the X server of display ${this.display} is gone`);
  }

  /** Takes the reply to a request; undefined for an error. */
  #reply<T>(request: Replied, cookie: Cookie, read: (view: Deno.UnsafePointerView) => T): T | undefined {
    return this.#take(this.xcb[`xcb_${request}_reply`](this.connection, cookie, this.#error), read);
  }

  /** Reads a reply and frees it; undefined for an error, which is also freed. */
  #take<T>(reply: Deno.PointerValue, read: (view: Deno.UnsafePointerView) => T): T | undefined {
    if (!reply) {
      if (this.#error[0]) this.#c.free(Deno.UnsafePointer.create(this.#error[0]));
      this.#error[0] = 0n;
      return undefined;
    }
    try {
      return read(new Deno.UnsafePointerView(reply));
    } finally {
      this.#c.free(reply);
    }
  }
}

// deskhand's own windows, which are never shown: programs send their answers there.

/** The classes of xcb_create_window (xproto.h). */
export const WINDOW_CLASS = { inputOutput: 1, inputOnly: 2 } as const;

/**
 * Creates a window of one pixel outside the screen, which is destroyed with the connection.
 * @param events The mask of events that the window reports.
 * @returns The window's number.
 */
export function createOwnWindow(
  { xcb: { xcb_generate_id, xcb_create_window }, connection, root }: XcbConnection,
  windowClass: typeof WINDOW_CLASS[keyof typeof WINDOW_CLASS],
  events = 0,
): number {
  const window = xcb_generate_id(connection), values = Uint32Array.of(events);
  xcb_create_window(
    connection,
    0,
    window,
    root,
    -1,
    -1,
    1,
    1,
    0,
    windowClass,
    0,
    events && EVENT_MASK,
    values,
  );
  return window;
}
