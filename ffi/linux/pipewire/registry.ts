/** The objects of a PipeWire, as its registry lists them (pipewire/core.h); used to list nodes. */

import type { Connection } from "./connection.ts";

/**
 * A proxy begins with a `struct spa_interface`, whose callbacks are a table of functions and their first argument
 * (spa/utils/hook.h).
 */
const FUNCTIONS_AT = 16, OBJECT_AT = 24;
/** Functions of `struct pw_core_methods` and `struct pw_registry_methods`. */
const ADD_LISTENER_AT = 8, SYNC_AT = 24, GET_REGISTRY_AT = 48;
/** `struct pw_core_events` and `struct pw_registry_events` as 64-bit words, and where their `done` and `global` are. */
const CORE_EVENTS = { words: 10, at: 2 } as const, REGISTRY_EVENTS = { words: 3, at: 1 } as const;
const REGISTRY_VERSION = 3;
/** sizeof(struct spa_hook). */
const HOOK_BYTES = 48;
/** `struct spa_dict`: u32 flags, u32 n_items, items; each is a key and a value. */
const DICT = { count: 4, items: 8, item: 16, value: 8 } as const;
/** The time that PipeWire may take to tell its objects, in milliseconds. */
const ANSWER_MS = 2000;

const ADD_LISTENER = { parameters: ["pointer", "buffer", "buffer", "pointer"], result: "void" } as const;
const SYNC = { parameters: ["pointer", "u32", "i32"], result: "i32" } as const;
const GET_REGISTRY = { parameters: ["pointer", "u32", "usize"], result: "pointer" } as const;
const DONE = { parameters: ["pointer", "u32", "i32"], result: "void" } as const;
const GLOBAL = {
  parameters: ["pointer", "u32", "u32", /* char *type */ "pointer", "u32", /* struct spa_dict * */ "pointer"],
  result: "void",
} as const;

type Pointer = Deno.PointerObject;

/**
 * Asks PipeWire for the classes of its nodes, such as `Audio/Sink`, and waits for the answer.
 * @param connection Taken over: it is closed when this returns.
 * @returns undefined if no answer comes.
 */
export function nodeClasses(connection: Connection): Set<string> | undefined {
  const classes = new Set<string>();
  let isDone = false;
  const done = new Deno.UnsafeCallback(DONE, () => void (isDone = true));
  const global = new Deno.UnsafeCallback(GLOBAL, (_data, _id, _permissions, _type, _version, properties) => {
    const name = properties && valueOf(properties, "media.class");
    if (name) classes.add(name);
  });
  /** Objects to which C keeps pointers. */
  const kept: [hook: Uint8Array<ArrayBuffer>, events: BigUint64Array<ArrayBuffer>][] = [];
  const listen = (proxy: Pointer, events: BigUint64Array<ArrayBuffer>) => {
    const hook = new Uint8Array(HOOK_BYTES);
    kept.push([hook, events]);
    call(proxy, ADD_LISTENER_AT, ADD_LISTENER)(hook, events, null);
  };
  try {
    const registry: Deno.PointerValue = call(connection.core, GET_REGISTRY_AT, GET_REGISTRY)(
      REGISTRY_VERSION,
      0n,
    );
    if (!registry) return undefined;
    listen(connection.core, eventsWith(CORE_EVENTS, done.pointer));
    listen(registry, eventsWith(REGISTRY_EVENTS, global.pointer));
    call(connection.core, SYNC_AT, SYNC)(0, 0);
    const end = performance.now() + ANSWER_MS;
    while (!isDone && performance.now() < end) connection.loop.iterate(100);
    return isDone ? classes : undefined;
  } finally {
    connection.close();
    done.close();
    global.close();
    kept.length = 0;
  }
}

/** A function of a proxy, without its first argument. Its results other than pointers are not for use. */
function call<const D extends Deno.UnsafeCallbackDefinition>(proxy: Pointer, at: number, definition: D) {
  const view = new Deno.UnsafePointerView(proxy);
  const functions = new Deno.UnsafePointerView(view.getPointer(FUNCTIONS_AT)!);
  const pointer = functions.getPointer(at) as Deno.PointerObject<D>, object = view.getPointer(OBJECT_AT);
  const bound = new Deno.UnsafeFnPointer(pointer, definition);
  return (...args: unknown[]) => (bound.call as (...all: unknown[]) => Deno.PointerValue)(object, ...args);
}

function eventsWith(
  { words, at }: { words: number; at: number },
  callback: Pointer,
): BigUint64Array<ArrayBuffer> {
  const events = new BigUint64Array(words);
  events[at] = Deno.UnsafePointer.value(callback);
  return events;
}

/** The value of a property; undefined if the dictionary lacks it. */
function valueOf(dictionary: Pointer, key: string): string | undefined {
  const view = new Deno.UnsafePointerView(dictionary), count = view.getUint32(DICT.count);
  const first = view.getPointer(DICT.items);
  if (!first) return undefined;
  const items = new Deno.UnsafePointerView(first);
  for (let i = 0; i < count; i++) {
    const name = items.getPointer(i * DICT.item), value = items.getPointer(i * DICT.item + DICT.value);
    if (name && value && new Deno.UnsafePointerView(name).getCString() === key) {
      return new Deno.UnsafePointerView(value).getCString();
    }
  }
  return undefined;
}
