/** Means of the tests of X11. */

import { need } from "./need.ts";
import type { Xvfb } from "./xvfb.ts";

/** The needs of every test: a server, and the libraries by way of xdotool, which uses them too. */
export const X11 = need("Xvfb", "xdotool");

/** xev's events of some kinds, in order, as `KIND detail`. */
export function xevEvents(printed: string): string[] {
  return printed.split(/\n\n/).flatMap((block) => {
    const kind = /^(\w+) event/m.exec(block)?.[1];
    if (!kind) return [];
    const at = /root:\((-?\d+),(-?\d+)\)/.exec(block);
    const button = /button (\d+)/.exec(block)?.[1];
    const keysym = /keysym 0x[0-9a-f]+, (\w+)/.exec(block)?.[1];
    if (kind.startsWith("Button")) return [`${kind} ${button} ${at![1]},${at![2]}`];
    if (kind === "KeyPress" || kind === "KeyRelease") return [`${kind} ${keysym}`];
    if (kind === "MotionNotify") return [`${kind} ${at![1]},${at![2]}`];
    return [];
  });
}

/** Keycodes that programs hold down, as xinput sees them. */
export async function keycodesDown(server: Xvfb): Promise<number[]> {
  const state = await server.run("xinput", "query-state", "Virtual core XTEST keyboard");
  return Array.from(state.matchAll(/key\[(\d+)\]=down/g), ([, code]) => Number(code));
}

/** Switches to another group (layout) of the keyboard map, counted from 0. */
export function lockGroup(server: Xvfb, group: number): void {
  const x11 = Deno.dlopen("libX11.so.6", {
    XOpenDisplay: { parameters: ["buffer"], result: "pointer" },
    XCloseDisplay: { parameters: ["pointer"], result: "i32" },
    XkbLockGroup: { parameters: ["pointer", "u32", "u32"], result: "i32" },
  });
  const display = x11.symbols.XOpenDisplay(new TextEncoder().encode(`${server.display}\0`));
  x11.symbols.XkbLockGroup(display, 0x100, group);
  x11.symbols.XCloseDisplay(display);
  x11.close();
}
