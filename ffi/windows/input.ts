/**
 * Input for SendInput: winuser.h's INPUT structure as bytes, and the coordinates in it. Pure.
 *
 * On 64-bit Windows an INPUT is 40 bytes: a DWORD type, 4 bytes of padding, and a union as large as MOUSEINPUT.
 */

import type { Button, Direction, Point, Region } from "../../control/desktop/desktop.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import { inspectSession, IntegrityGuard, outranks, refusalReason } from "./session.ts";
import type { Libraries } from "./symbols.ts";

/** sizeof(INPUT) on 64-bit Windows. */
export const INPUT_BYTES = 40;

/** dwExtraInfo of all input that deskhand sends, by which any program's hooks can recognize it. */
const OWN_INPUT = 0x6465736bn; // "desk"

const INPUT_MOUSE = 0;
const INPUT_KEYBOARD = 1;
/** Offsets in INPUT, including the union's MOUSEINPUT or KEYBDINPUT, whose DWORD time stays 0. */
const MOUSE = { dx: 8, dy: 12, data: 16, flags: 20, extra: 32 } as const;
const KEYBOARD = { vk: 8, scan: 10, flags: 12, extra: 24 } as const;

const MOUSEEVENTF_MOVE = 0x0001;
const MOUSEEVENTF_WHEEL = 0x0800;
const MOUSEEVENTF_HWHEEL = 0x1000;
const MOUSEEVENTF_VIRTUALDESK = 0x4000;
const MOUSEEVENTF_ABSOLUTE = 0x8000;

const KEYEVENTF_EXTENDEDKEY = 0x0001;
const KEYEVENTF_KEYUP = 0x0002;
const KEYEVENTF_UNICODE = 0x0004;

/** One notch of a wheel. */
export const WHEEL_DELTA = 120;

/** MOUSEINPUT. */
export interface MouseInput {
  type: "mouse";
  dx: number;
  dy: number;
  data: number;
  flags: number;
}

/** KEYBDINPUT. */
export interface KeyboardInput {
  type: "keyboard";
  vk: number;
  scan: number;
  flags: number;
}

/** INPUT. */
type Input = MouseInput | KeyboardInput;

/** MOUSEEVENTF flags for pressing and releasing, and the corresponding XBUTTON number. */
const BUTTON_FLAGS: Record<Button, [down: number, up: number, data: number]> = {
  left: [0x0002, 0x0004, 0],
  right: [0x0008, 0x0010, 0],
  middle: [0x0020, 0x0040, 0],
  back: [0x0080, 0x0100, 1],
  forward: [0x0080, 0x0100, 2],
};

const WHEEL: Record<Direction, [flags: number, delta: number]> = {
  up: [MOUSEEVENTF_WHEEL, WHEEL_DELTA],
  down: [MOUSEEVENTF_WHEEL, -WHEEL_DELTA],
  right: [MOUSEEVENTF_HWHEEL, WHEEL_DELTA],
  left: [MOUSEEVENTF_HWHEEL, -WHEEL_DELTA],
};

/**
 * A pixel's position in the units of an absolute move, 65536 of them across the virtual screen.
 *
 * Windows uses the pixel that contains the unit (rounding down), so the smallest unit inside a pixel is right
 * for every pixel; the common `x * 65535 / (width - 1)` misses some by one.
 * @param pixel Left or top coordinate on the virtual screen.
 * @param origin The virtual screen's left or top, which may be negative.
 * @param length The virtual screen's width or height.
 */
export function absoluteUnit(pixel: number, origin: number, length: number): number {
  return Math.ceil((pixel - origin) * 65536 / length);
}

/** A move to a pixel of the virtual screen, on any monitor. */
export function moveTo(point: Point, screen: Region): MouseInput {
  return mouse(
    MOUSEEVENTF_MOVE | MOUSEEVENTF_ABSOLUTE | MOUSEEVENTF_VIRTUALDESK,
    0,
    absoluteUnit(point.x, screen.x, screen.width),
    absoluteUnit(point.y, screen.y, screen.height),
  );
}

/** A button press or release. */
export function pressButton(button: Button, down: boolean): MouseInput {
  const [press, release, data] = BUTTON_FLAGS[button];
  return mouse(down ? press : release, data);
}

/** One notch of the wheel. */
export function turnWheel(direction: Direction): MouseInput {
  return mouse(...WHEEL[direction]);
}

/**
 * A key press or release.
 * @param vk Virtual-key code.
 * @param scan Its scan code, which games and remote desktop programs use.
 * @param extended Whether the keyboard sends it with the E0 prefix.
 */
export function pressKey(vk: number, scan: number, extended: boolean, down: boolean): KeyboardInput {
  return {
    type: "keyboard",
    vk,
    scan,
    flags: (extended ? KEYEVENTF_EXTENDEDKEY : 0) | (down ? 0 : KEYEVENTF_KEYUP),
  };
}

/**
 * A UTF-16 code unit typed as VK_PACKET, independent of the keyboard layout; a surrogate pair takes two.
 * @param unit 0 to 0xffff.
 */
export function packUnit(unit: number, down: boolean): KeyboardInput {
  return { type: "keyboard", vk: 0, scan: unit, flags: KEYEVENTF_UNICODE | (down ? 0 : KEYEVENTF_KEYUP) };
}

/**
 * Input without effect. It makes this process the last one with input, which may choose the foreground
 * window.
 */
export const NO_INPUT: MouseInput = mouse(0, 0);

/** The array of INPUT structures for one SendInput call. */
export function encodeInputs(inputs: readonly Input[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(inputs.length * INPUT_BYTES);
  const view = new DataView(bytes.buffer);
  inputs.forEach((input, i) => {
    const at = i * INPUT_BYTES;
    if (input.type === "mouse") {
      view.setUint32(at, INPUT_MOUSE, true);
      view.setInt32(at + MOUSE.dx, input.dx, true);
      view.setInt32(at + MOUSE.dy, input.dy, true);
      view.setInt32(at + MOUSE.data, input.data, true);
      view.setUint32(at + MOUSE.flags, input.flags, true);
      view.setBigUint64(at + MOUSE.extra, OWN_INPUT, true);
    } else {
      view.setUint32(at, INPUT_KEYBOARD, true);
      view.setUint16(at + KEYBOARD.vk, input.vk, true);
      view.setUint16(at + KEYBOARD.scan, input.scan, true);
      view.setUint32(at + KEYBOARD.flags, input.flags, true);
      view.setBigUint64(at + KEYBOARD.extra, OWN_INPUT, true);
    }
  });
  return bytes;
}

function mouse(flags: number, data: number, dx = 0, dy = 0): MouseInput {
  return { type: "mouse", dx, dy, data, flags };
}

// SendInput, and the reason if Windows refuses it.

/** Sends input to Windows. */
export class InputSender {
  /** Refuses input for windows that would not receive it. */
  readonly guard: IntegrityGuard;

  constructor(readonly libraries: Libraries) {
    this.guard = new IntegrityGuard(libraries);
  }

  /**
   * Sends inputs atomically: no input from other programs or devices comes between them.
   * @throws DesktopUnavailableError if Windows does not accept all of them.
   */
  send(inputs: readonly Input[]): void {
    if (inputs.length === 0) return;
    const sent = this.libraries.user32.SendInput(inputs.length, encodeInputs(inputs), INPUT_BYTES);
    if (sent !== inputs.length) throw this.refused("input");
  }

  /**
   * Creates the error for a call that Windows refused, with the cause as far as deskhand can determine it.
   * @param call The refused call, as in "Windows refuses …".
   */
  refused(call: string): DesktopUnavailableError {
    const elevated = outranks(this.guard.foreground(), this.guard.ours);
    return new DesktopUnavailableError(refusalReason(call, inspectSession(this.libraries), elevated));
  }
}
