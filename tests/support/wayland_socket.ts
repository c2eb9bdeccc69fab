/** Sockets of Wayland compositors. */

import { until } from "./until.ts";

/**
 * Waits until a compositor has made its socket.
 * @param folder Its runtime folder, which is its own.
 * @returns The socket's name, such as `wayland-1`.
 */
export async function waylandSocket(folder: string): Promise<string> {
  const names = () => Array.from(Deno.readDirSync(folder), ({ name }) => name);
  return (await until(() => names().find((name) => /^wayland-\d+$/.test(name))))!;
}
