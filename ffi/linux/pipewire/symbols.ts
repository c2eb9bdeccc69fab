/** The libpipewire-0.3 functions in use. The library is opened with a stream, never on import. */

import { prototypes } from "../../../core/binding.ts";
import { attempt, DesktopUnavailableError } from "../../../core/errors.ts";

const FUNCTIONS = prototypes({
  pw_init: "void (pointer int *argc, pointer char **argv[])",
  pw_loop_new: "pointer (pointer struct spa_dict *props)",
  pw_loop_destroy: "void (pointer)",
  pw_context_new: "pointer (pointer loop, pointer, usize)",
  pw_context_destroy: "void (pointer)",
  pw_context_connect: "pointer (pointer, pointer struct pw_properties *; taken over, usize)",
  pw_context_connect_fd: "pointer (pointer, i32 fd; taken over, pointer, usize)",
  pw_core_disconnect: "i32 (pointer)",
  pw_properties_new_string: "pointer (buffer char *args)",
  pw_stream_new: "pointer (pointer core, buffer, pointer taken over)",
  pw_stream_add_listener: "void (pointer, buffer struct spa_hook *, buffer, pointer data)",
  pw_stream_connect: "i32 (pointer, i32 direction, u32 target, u32 flags, buffer, u32)",
  pw_stream_update_params: "i32 (pointer, buffer, u32)",
  pw_stream_set_active: "i32 (pointer, bool)",
  pw_stream_dequeue_buffer: "pointer (pointer)",
  pw_stream_queue_buffer: "i32 (pointer, pointer)",
  pw_stream_destroy: "void (pointer)",
});

/** The functions of PipeWire. */
export type PipeWire = Deno.DynamicLibrary<typeof FUNCTIONS>["symbols"];

const LIBRARY = "libpipewire-0.3.so.0";
/** The remedy if the library cannot be opened, as the rest of a sentence. */
export const PIPEWIRE_MISSING = `${LIBRARY} cannot be opened: install libpipewire-0.3 ` +
  "(Debian, Ubuntu: libpipewire-0.3-0 and pipewire-bin; Fedora: pipewire)";
let opened: PipeWire | undefined;

/**
 * Opens PipeWire, once per thread.
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
  return attempt(openPipeWire) !== undefined;
}
