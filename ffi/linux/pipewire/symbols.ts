/** The functions of libpipewire-0.3 that are used. It is opened with a stream, never on import. */

import { DesktopUnavailableError } from "../../../core/errors.ts";

const FUNCTIONS = {
  pw_init: { parameters: ["pointer", /* int *argc */ "pointer" /* char **argv[] */], result: "void" },
  pw_loop_new: { parameters: ["pointer" /* struct spa_dict *props */], result: "pointer" },
  pw_loop_destroy: { parameters: ["pointer"], result: "void" },
  pw_context_new: { parameters: ["pointer", /* loop */ "pointer", "usize"], result: "pointer" },
  pw_context_destroy: { parameters: ["pointer"], result: "void" },
  pw_context_connect: {
    parameters: ["pointer", "pointer", /* struct pw_properties *, taken over */ "usize"],
    result: "pointer",
  },
  pw_context_connect_fd: {
    parameters: ["pointer", "i32", /* fd, taken over */ "pointer", "usize"],
    result: "pointer",
  },
  pw_core_disconnect: { parameters: ["pointer"], result: "i32" },
  pw_properties_new_string: { parameters: ["buffer" /* char *args */], result: "pointer" },
  pw_stream_new: {
    parameters: ["pointer", /* core */ "buffer", "pointer" /* taken over */],
    result: "pointer",
  },
  pw_stream_add_listener: {
    parameters: ["pointer", "buffer", /* struct spa_hook * */ "buffer", "pointer" /* data */],
    result: "void",
  },
  pw_stream_connect: {
    parameters: ["pointer", "i32", /* direction */ "u32", /* target */ "u32", /* flags */ "buffer", "u32"],
    result: "i32",
  },
  pw_stream_update_params: { parameters: ["pointer", "buffer", "u32"], result: "i32" },
  pw_stream_set_active: { parameters: ["pointer", "bool"], result: "i32" },
  pw_stream_dequeue_buffer: { parameters: ["pointer"], result: "pointer" },
  pw_stream_queue_buffer: { parameters: ["pointer", "pointer"], result: "i32" },
  pw_stream_destroy: { parameters: ["pointer"], result: "void" },
} as const satisfies Deno.ForeignLibraryInterface;

/** The functions of PipeWire. */
export type PipeWire = Deno.DynamicLibrary<typeof FUNCTIONS>["symbols"];

const LIBRARY = "libpipewire-0.3.so.0";
/** The remedy where the library cannot be opened, as the rest of a sentence. */
export const PIPEWIRE_MISSING = `${LIBRARY} cannot be opened: install libpipewire-0.3 ` +
  "(Debian, Ubuntu: libpipewire-0.3-0 and pipewire-bin; Fedora: pipewire)";
let opened: PipeWire | undefined;

/**
 * Opens PipeWire, once a thread.
 * @throws DesktopUnavailableError if this system lacks PipeWire.
 */
export function openPipeWire(): PipeWire {
  if (opened) return opened;
  try {
    opened = Deno.dlopen(LIBRARY, FUNCTIONS).symbols;
  } catch {
    throw new DesktopUnavailableError(
      `this desktop provides its screen through PipeWire, but ${PIPEWIRE_MISSING}`,
    );
  }
  opened.pw_init(null, null);
  return opened;
}

/** Whether this system has PipeWire's library. */
export function hasPipeWire(): boolean {
  try {
    openPipeWire();
    return true;
  } catch {
    return false;
  }
}
