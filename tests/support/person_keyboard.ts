/** A user's keyboard on an X server: input from a device, separate from XTEST's keyboard. */

import type { Xvfb } from "./xvfb.ts";

const X11 = {
  XOpenDisplay: { parameters: ["buffer"], result: "pointer" },
  XCloseDisplay: { parameters: ["pointer"], result: "i32" },
  XSync: { parameters: ["pointer", "i32"], result: "i32" },
  XkbLatchModifiers: { parameters: ["pointer", "u32", "u32", "u32"], result: "i32" },
  XkbLockModifiers: { parameters: ["pointer", "u32", "u32", "u32"], result: "i32" },
  XkbChangeEnabledControls: { parameters: ["pointer", "u32", "u32", "u32"], result: "i32" },
} as const;
const XI = { XOpenDevice: { parameters: ["pointer", "u64"], result: "pointer" } } as const;
const XTST = {
  XTestFakeDeviceKeyEvent: {
    parameters: ["pointer", "pointer", "u32", "i32", "pointer", "i32", "u64"],
    result: "i32",
  },
} as const;
/** XkbUseCoreKbd, and all modifiers. */
const CORE = 0x100, ALL = 0xff;

/** The keyboard device of Xvfb. `using` closes it. */
export class PersonKeyboard {
  readonly #x11 = Deno.dlopen("libX11.so.6", X11);
  readonly #xi = Deno.dlopen("libXi.so.6", XI);
  readonly #xtst = Deno.dlopen("libXtst.so.6", XTST);
  readonly #display: Deno.PointerValue;
  readonly #device: Deno.PointerValue;

  private constructor(display: string, readonly id: string) {
    this.#display = this.#x11.symbols.XOpenDisplay(new TextEncoder().encode(`${display}\0`));
    this.#device = this.#xi.symbols.XOpenDevice(this.#display, BigInt(id));
  }

  /** @param id The device's number, as listed by xinput. */
  static open(display: string, id: string): PersonKeyboard {
    return new PersonKeyboard(display, id);
  }

  /** Requires xinput. */
  static async of(server: Xvfb): Promise<PersonKeyboard> {
    return new PersonKeyboard(
      server.display,
      (await server.run("xinput", "list", "--id-only", "Xvfb keyboard")).trim(),
    );
  }

  /** Presses or releases a key. */
  key(code: number, down: boolean): void {
    const { XTestFakeDeviceKeyEvent } = this.#xtst.symbols;
    XTestFakeDeviceKeyEvent(this.#display, this.#device, code, Number(down), null, 0, 0n);
    this.#sync();
  }

  tap(code: number): void {
    this.key(code, true);
    this.key(code, false);
  }

  /** Latches modifiers, like Sticky Keys. */
  latch(mods: number): void {
    this.#x11.symbols.XkbLatchModifiers(this.#display, CORE, ALL, mods);
    this.#sync();
  }

  /** Locks modifiers. */
  lock(mods: number): void {
    this.#x11.symbols.XkbLockModifiers(this.#display, CORE, ALL, mods);
    this.#sync();
  }

  /** Switches aids on (XkbSlowKeysMask 2, XkbBounceKeysMask 4, XkbStickyKeysMask 8), and all others off. */
  aids(mask: number): void {
    this.#x11.symbols.XkbChangeEnabledControls(this.#display, CORE, 2 | 4 | 8, mask);
    this.#sync();
  }

  [Symbol.dispose]() {
    this.#x11.symbols.XCloseDisplay(this.#display);
    for (const library of [this.#x11, this.#xi, this.#xtst]) library.close();
  }

  #sync(): void {
    this.#x11.symbols.XSync(this.#display, 0);
  }
}
