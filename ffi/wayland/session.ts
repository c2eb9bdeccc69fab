/** A session of Wayland: where its compositor and its bus listen. */

/** Plain data, so that a Worker can open the same session. */
export interface Session {
  /** The path of the compositor's socket. */
  socket: string;
  /** Paths of sockets of the session's bus, in the order in which they are tried; the environment's if left out. */
  buses?: readonly string[];
  /** The path of PipeWire's socket; the environment's if left out. */
  pipewire?: string;
}

/**
 * The compositor's socket, by the environment (wl_display_connect(3)).
 * @returns undefined if the environment names none.
 */
export function socketPath(): string | undefined {
  const name = Deno.env.get("WAYLAND_DISPLAY"), folder = Deno.env.get("XDG_RUNTIME_DIR");
  if (!name) return undefined;
  if (name.startsWith("/")) return name;
  return folder ? `${folder}/${name}` : undefined;
}
