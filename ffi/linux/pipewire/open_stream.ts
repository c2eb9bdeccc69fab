/** A stream into this program, on the thread that runs PipeWire's loop. */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import { closedOnFailure } from "../../reconnecting.ts";
import { cString, openLibc } from "../libc.ts";
import { PARAM } from "./buffers.ts";
import { openPipeWire, type PipeWire } from "./symbols.ts";

/** A stream to open. */
interface StreamWish {
  /** The number of the stream's source node; if omitted, PipeWire's session manager chooses one. */
  node?: number;
  /** Properties, in the format of pw_properties_new_string. */
  properties: string;
  /** Flags in addition to {@linkcode AUTOCONNECT} and {@linkcode MAP_BUFFERS}. */
  flags?: number;
  /** The requested format, as a PipeWire value. Its module keeps it in memory. */
  format: Uint8Array<ArrayBuffer>;
  /** The stream's name in messages, such as `the picture's stream`. */
  name: string;
}

/** A stream listener. Pointers are to `struct pw_buffer`. */
interface StreamListener {
  /**
   * Called when the format has been agreed.
   * @param bytes The parameter, valid until this method returns.
   * @returns Further stream parameters; their module keeps them in memory.
   */
  format(bytes: Uint8Array): readonly Uint8Array<ArrayBuffer>[];
  added?(buffer: Deno.PointerObject): void;
  removed?(buffer: Deno.PointerObject): void;
  /** Called with new buffers, which are returned to the stream afterwards. */
  come(buffers: readonly Deno.PointerObject[]): void;
}

/** enum pw_stream_state. */
const STATE = { error: -1, unconnected: 0 } as const;
/** enum pw_stream_flags: link it to a node, and map its memory. */
const AUTOCONNECT = 1, MAP_BUFFERS = 4;
const DIRECTION_INPUT = 0;
/** PW_ID_ANY. */
const ANY_NODE = 0xffffffff;
/** `struct pw_stream_events` as 64-bit words: a version and function pointers. */
const EVENTS = {
  words: 14,
  stateChanged: 2,
  paramChanged: 5,
  addBuffer: 6,
  removeBuffer: 7,
  process: 8,
} as const;
/** sizeof(struct spa_hook). */
const HOOK_BYTES = 48;
const POD_HEADER_BYTES = 8;

const STATE_CHANGED = { parameters: ["pointer", "i32", "i32", "pointer"], result: "void" } as const;
const PARAM_CHANGED = { parameters: ["pointer", "u32", "pointer"], result: "void" } as const;
const BUFFER_CHANGED = { parameters: ["pointer", "pointer"], result: "void" } as const;
const PROCESS = { parameters: ["pointer"], result: "void" } as const;

/** An open stream. */
export class OpenStream {
  #stream: Deno.PointerValue = null;
  // C holds pointers to these arrays.
  readonly #hook = new Uint8Array(HOOK_BYTES);
  readonly #events = new BigUint64Array(EVENTS.words);
  readonly #callbacks: Deno.UnsafeCallback[] = [];
  #ended: string | undefined;

  /**
   * @param connection The connection, which is closed with the stream.
   * @throws DesktopUnavailableError if PipeWire refuses.
   */
  constructor(
    readonly connection: Connection,
    readonly wish: StreamWish,
    readonly listener: StreamListener,
  ) {
    closedOnFailure(this, () => this.#open());
  }

  /**
   * Handles events that have arrived, and calls the listener.
   * @param ms Maximum wait for an event, in milliseconds.
   * @returns Whether an event had arrived.
   * @throws DesktopUnavailableError if the stream has ended.
   */
  iterate(ms: number): boolean {
    const hasHandled = this.connection.loop.iterate(ms);
    if (this.#ended !== undefined) throw new DesktopUnavailableError(this.#ended);
    return hasHandled;
  }

  /** Pauses the stream, or resumes it. */
  setActive(isActive: boolean): void {
    this.connection.pw.pw_stream_set_active(this.#stream, isActive);
  }

  /** Frees everything. */
  close(): void {
    if (this.#stream) this.connection.pw.pw_stream_destroy(this.#stream);
    this.connection.close();
    for (const callback of this.#callbacks) callback.close();
  }

  #open(): void {
    const { connection: { pw, core }, wish } = this;
    const properties = pw.pw_properties_new_string(cString(wish.properties));
    const stream = pw.pw_stream_new(core, cString("deskhand"), properties);
    if (!stream) throw new DesktopUnavailableError("PipeWire could not create a stream");
    this.#stream = stream;
    this.#listen(stream);
    const flags = AUTOCONNECT | MAP_BUFFERS | (wish.flags ?? 0);
    const result = pw.pw_stream_connect(
      stream,
      DIRECTION_INPUT,
      wish.node ?? ANY_NODE,
      flags,
      addresses([wish.format]),
      1,
    );
    if (result < 0) throw new DesktopUnavailableError(`PipeWire refused the stream (error ${-result})`);
  }

  #listen(stream: Deno.PointerObject): void {
    const { listener } = this;
    const set = <D extends Deno.UnsafeCallbackDefinition>(at: number, callback: Deno.UnsafeCallback<D>) => {
      this.#events[at] = Deno.UnsafePointer.value(callback.pointer);
      this.#callbacks.push(callback as unknown as Deno.UnsafeCallback);
    };
    set(
      EVENTS.stateChanged,
      new Deno.UnsafeCallback(STATE_CHANGED, (_data, _before, state, error) => this.#onState(state, error)),
    );
    set(
      EVENTS.paramChanged,
      new Deno.UnsafeCallback(PARAM_CHANGED, (_data, id, pod) => {
        if (id === PARAM.format && pod) this.#onFormat(pod);
      }),
    );
    set(
      EVENTS.addBuffer,
      new Deno.UnsafeCallback(BUFFER_CHANGED, (_data, buffer) => listener.added?.(buffer!)),
    );
    set(
      EVENTS.removeBuffer,
      new Deno.UnsafeCallback(BUFFER_CHANGED, (_data, buffer) => listener.removed?.(buffer!)),
    );
    set(EVENTS.process, new Deno.UnsafeCallback(PROCESS, () => this.#onProcess()));
    this.connection.pw.pw_stream_add_listener(stream, this.#hook, this.#events, null);
  }

  #onState(state: number, error: Deno.PointerValue): void {
    const { name } = this.wish;
    if (state === STATE.error) {
      const reason = error ? new Deno.UnsafePointerView(error).getCString() : "no reason given";
      this.#ended ??= `${name} failed: ${reason}`;
    } else if (state === STATE.unconnected) this.#ended ??= `PipeWire has ended ${name}`;
  }

  #onFormat(pod: Deno.PointerObject): void {
    const length = POD_HEADER_BYTES + new Deno.UnsafePointerView(pod).getUint32();
    const bytes = new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(pod, length));
    const wanted = this.listener.format(bytes);
    if (wanted.length) {
      this.connection.pw.pw_stream_update_params(this.#stream, addresses(wanted), wanted.length);
    }
  }

  #onProcess(): void {
    const { pw } = this.connection;
    const come: Deno.PointerObject[] = [];
    for (let pointer; (pointer = pw.pw_stream_dequeue_buffer(this.#stream));) come.push(pointer);
    this.listener.come(come);
    for (const pointer of come) pw.pw_stream_queue_buffer(this.#stream, pointer);
  }
}

/** An array of pointers to values, which do not move: modules hold them. */
function addresses(pods: readonly Uint8Array<ArrayBuffer>[]): BigUint64Array<ArrayBuffer> {
  return BigUint64Array.from(pods, (pod) => Deno.UnsafePointer.value(Deno.UnsafePointer.of(pod)));
}

// PipeWire's loop on the calling thread: its callbacks run during {@linkcode Loop.iterate}.

/**
 * Offsets of the functions that run a loop: the third pointer in `struct pw_loop` is its control, a `struct
 * spa_interface`, whose callbacks are a function table and the functions' first argument
 * (spa/support/loop.h).
 */
const CONTROL_AT = 16, FUNCTIONS_AT = 16, OBJECT_AT = 24;
const ENTER_AT = 24, LEAVE_AT = 32, ITERATE_AT = 40;

const ENTER = { parameters: ["pointer"], result: "void" } as const;
const ITERATE = { parameters: ["pointer", "i32"], result: "i32" } as const;

/** A loop, entered by this thread. */
class Loop {
  readonly #object: Deno.PointerValue;
  readonly #functions: Deno.UnsafePointerView;

  private constructor(readonly pw: PipeWire, readonly pointer: Deno.PointerObject) {
    const control = new Deno.UnsafePointerView(new Deno.UnsafePointerView(pointer).getPointer(CONTROL_AT)!);
    this.#functions = new Deno.UnsafePointerView(control.getPointer(FUNCTIONS_AT)!);
    this.#object = control.getPointer(OBJECT_AT);
    this.#call(ENTER_AT);
  }

  /** @throws DesktopUnavailableError if the system refuses. */
  static open(pw: PipeWire): Loop {
    const pointer = pw.pw_loop_new(null);
    if (!pointer) throw new DesktopUnavailableError("PipeWire could not create its event loop");
    return new Loop(pw, pointer);
  }

  /**
   * Handles events that have arrived; waits for them for at most some milliseconds.
   * @returns Whether an event had arrived.
   */
  iterate(ms: number): boolean {
    const pointer = this.#functions.getPointer(ITERATE_AT) as Deno.PointerObject<typeof ITERATE>;
    return new Deno.UnsafeFnPointer(pointer, ITERATE).call(this.#object, ms) > 0;
  }

  /** Frees the loop, after everything that runs in it has been freed. */
  close(): void {
    this.#call(LEAVE_AT);
    this.pw.pw_loop_destroy(this.pointer);
  }

  #call(at: number): void {
    const pointer = this.#functions.getPointer(at) as Deno.PointerObject<typeof ENTER>;
    new Deno.UnsafeFnPointer(pointer, ENTER).call(this.#object);
  }
}

// A connection to PipeWire, with the loop run by its thread.

/** The PipeWire to connect to: plain data. */
export interface Remote {
  /** A PipeWire connection opened by the portal, which is taken over; the session's PipeWire if omitted. */
  fd?: number;
  /** The path of PipeWire's socket; the environment's if omitted. */
  remote?: string;
}

/** An open connection. */
export class Connection {
  readonly pw: PipeWire;
  readonly loop: Loop;
  #context: Deno.PointerValue = null;
  #core: Deno.PointerValue = null;

  /** @throws DesktopUnavailableError if PipeWire is not running, or refuses. */
  constructor(remote: Remote) {
    const { fd } = remote;
    let isTaken = false; // PipeWire closes the descriptor from then on, even if it cannot connect
    try {
      const pw = this.pw = openPipeWire();
      this.loop = Loop.open(pw);
      closedOnFailure(this, () => {
        this.#context = pw.pw_context_new(this.loop.pointer, null, 0n);
        if (!this.#context) {
          throw new DesktopUnavailableError(
            "this desktop provides its screen through PipeWire, whose client configuration (client.conf) cannot be read: " +
              "install it (Debian, Ubuntu: pipewire-bin; Fedora: pipewire)",
          );
        }
        isTaken = true;
        this.#core = this.#connect(remote);
      });
    } finally {
      if (!isTaken && fd !== undefined) openLibc().close(fd);
    }
  }

  /** The `struct pw_core *`. */
  get core(): Deno.PointerObject {
    return this.#core!;
  }

  /** Frees everything, after the streams have been freed. */
  close(): void {
    if (this.#core) this.pw.pw_core_disconnect(this.#core);
    if (this.#context) this.pw.pw_context_destroy(this.#context);
    this.loop.close();
  }

  #connect({ fd, remote }: Remote): Deno.PointerObject {
    const properties = remote === undefined
      ? null
      : this.pw.pw_properties_new_string(cString(`remote.name="${remote}"`));
    const core = fd === undefined
      ? this.pw.pw_context_connect(this.#context, properties, 0n)
      : this.pw.pw_context_connect_fd(this.#context, fd, null, 0n);
    if (core) return core;
    throw new DesktopUnavailableError(
      "PipeWire, which provides the screen of this desktop, is not responding: its services (pipewire, wireplumber) " +
        "must run in the session",
    );
  }
}
