/** A session of Wayland: where its compositor and its bus listen. */

/** Plain data, so that a Worker can open the same session. */
export interface Session {
  /** The path of the compositor's socket. */
  socket: string;
  /** Paths of sockets of the session's bus, in the order in which they are tried; the environment's if left out. */
  buses?: readonly string[];
  /** The path of PipeWire's socket; the environment's if left out. */
  pipewire?: string;
  /** Whether this process does a few actions and ends, and if so, whether it presses keys; left out if it stays. */
  brief?: { hasKeys: boolean };
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

/**
 * Sockets of compositors that the user may mean if the environment names none, as over SSH, from cron and in a unit
 * of systemd.
 * @returns The folder and names of the sockets; undefined if there are none.
 */
export function unnamedSockets(): { folder: string; names: string[] } | undefined {
  if (Deno.env.get("WAYLAND_DISPLAY")) return undefined;
  const folder = Deno.env.get("XDG_RUNTIME_DIR") ?? `/run/user/${Deno.uid()}`;
  try {
    const names = Array.from(Deno.readDirSync(folder), ({ name }) => name)
      .filter((name) => /^wayland-\d+$/.test(name) && Deno.lstatSync(`${folder}/${name}`).isSocket);
    return names.length ? { folder, names: names.sort() } : undefined;
  } catch {
    return undefined; // the folder is missing, or belongs to another user
  }
}
