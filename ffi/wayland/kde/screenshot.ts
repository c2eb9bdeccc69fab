/**
 * Pictures from KWin's screenshots (org.kde.KWin.ScreenShot2): KWin answers with a picture's size and then
 * writes its pixels into a pipe.
 */

import {
  type Frame,
  intersection,
  type Region,
  type Screen,
  type ScreenLayout,
  type WindowInfo,
} from "../../../control/desktop/desktop.ts";
import { DesktopUnavailableError, StateError, UnsupportedError } from "../../../core/errors.ts";
import { timeByLoad } from "../../../core/proc.ts";
import type { Bus } from "../../linux/dbus/bus.ts";
import { BusError, ERROR_NAMES } from "../../linux/dbus/channel.ts";
import type { RemoteObject } from "../../linux/dbus/message.ts";
import { type Sent, Variant } from "../../linux/dbus/values.ts";
import { openLibc, POLLIN } from "../../linux/libc.ts";
import { PIXEL_FORMATS, type PixelFormat } from "../wire/frame_buffers.ts";
import {
  type Arrangement,
  cutOut,
  joined,
  layoutOf,
  type OutputPicture,
  type Outputs,
  type PlacedOutput,
  turnedSize,
} from "../wire/outputs.ts";
import { WholeScreen } from "../wire/whole_screen.ts";

/** wl_shm.format XRGB8888, and the fourcc of XBGR8888 ("XB24"), whose first byte is red, and of XBGR2101010 ("XB30"). */
const XRGB = 1, XBGR = 0x34324258, XRGB30 = 0x30335258, XBGR30 = 0x30334258;

/** Formats by QImage's number. */
const QIMAGE_FORMATS: ReadonlyMap<number, PixelFormat> = new Map([
  [4, XRGB], // RGB32
  [5, XRGB], // ARGB32
  [6, XRGB], // ARGB32_Premultiplied
  [16, XBGR], // RGBX8888
  [17, XBGR], // RGBA8888
  [18, XBGR], // RGBA8888_Premultiplied
  [19, XBGR30], // BGR30
  [20, XBGR30], // A2BGR30_Premultiplied
  [21, XRGB30], // RGB30
  [22, XRGB30], // A2RGB30_Premultiplied
].map(([format, name]) => [format, PIXEL_FORMATS.get(name)!]));

const SCREENSHOT: RemoteObject = {
  destination: "org.kde.KWin",
  path: "/org/kde/KWin/ScreenShot2",
  interface: "org.kde.KWin.ScreenShot2",
};
/**
 * Maximum time for KWin to deliver a picture, and between two parts of it, in milliseconds: on an idle
 * machine, and at most.
 */
const PICTURE_MS = { idle: 5000, most: 20_000 };
/** KWin 6 offers screenshots only if it renders with OpenGL. */
const NO_OPENGL = "KWin provides no screenshots because it renders without OpenGL here";
const MISSING: ReadonlySet<string> = new Set([ERROR_NAMES.unknownObject, ERROR_NAMES.unknownMethod]);
const NOT_ALLOWED = "org.kde.KWin.ScreenShot2.Error.NoAuthorized";
/** KWin's answers when a window is closed before or during its capture. */
const CLOSED: ReadonlySet<string> = new Set(
  ["InvalidWindow", "Cancelled"].map((name) => `org.kde.KWin.ScreenShot2.Error.${name}`),
);
/** Maximum size of a picture accepted from KWin, in bytes. */
const SIZE_LIMIT = 1024 * 1024 * 1024;
const O_CLOEXEC = 0o2000000, F_SETPIPE_SZ = 1031;
/**
 * The largest pipe size for users (/proc/sys/fs/pipe-max-size), so that reading a picture takes fewer waits.
 */
const PIPE_BYTES = 1024 * 1024;

/** Subject of a capture: a display by name, a window by KWin's id, or a region in logical pixels. */
type Subject = { display: string } | { window: string } | { area: Region };

/** KWin's answer, which the pixels follow. */
type Head = Omit<OutputPicture, "bytes">;

/** The KWin method that captures a subject, with its arguments. */
function callOf(subject: Subject): [member: string, signature: string, args: Sent[]] {
  if ("display" in subject) return ["CaptureScreen", "s", [subject.display]];
  if ("window" in subject) return ["CaptureWindow", "s", [subject.window]];
  const { x, y, width, height } = subject.area;
  return ["CaptureArea", "iiuu", [x, y, width, height]];
}

/**
 * Captures a picture.
 * @param cursor Whether to draw the pointer.
 * @throws UnsupportedError if KWin provides no pictures; DesktopUnavailableError if KWin refuses, or does not
 * answer in time.
 */
export async function takeScreenshot(bus: Bus, subject: Subject, cursor: boolean): Promise<OutputPicture> {
  using pipe = new Pipe();
  const [member, signature, args] = callOf(subject);
  const sent = [...args, optionsOf(cursor), pipe.writing];
  const answer = bus.callAsync(SCREENSHOT, member, `${signature}a{sv}h`, sent, "a{sv}", { ms: pictureMs() });
  pipe.closeWriting(); // KWin received this end with the request
  const head = headOf(...await answer.catch(refused));
  const bytes = new Uint8Array(head.stride * head.height);
  for (let at = 0; at < bytes.length; at += pipe.read(bytes.subarray(at))) await pipe.ready();
  return { ...head, bytes };
}

/**
 * Options of every capture. They include window frames but no shadows; KWin 5.27 ignores `include-shadow`.
 */
function optionsOf(cursor: boolean): Sent {
  const options = {
    "include-cursor": cursor,
    "native-resolution": true,
    "include-decoration": true,
    "include-shadow": false,
  };
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, new Variant("b", value)]));
}

/**
 * Why KWin provides no pictures to any program.
 * @returns undefined if KWin provides pictures.
 * @throws DesktopUnavailableError if KWin does not answer.
 */
export function missingScreenshots(bus: Bus): string | undefined {
  try {
    bus.property(SCREENSHOT, "Version");
    return undefined;
  } catch (error) {
    if (isMissing(error)) return NO_OPENGL;
    throw error;
  }
}

/** Whether KWin lacks the whole interface. */
function isMissing(error: unknown): boolean {
  return error instanceof BusError && MISSING.has(error.errorName);
}

function refused(error: unknown): never {
  if (isMissing(error)) throw new UnsupportedError(NO_OPENGL);
  if (!(error instanceof BusError) || error.errorName !== NOT_ALLOWED) throw error;
  throw new DesktopUnavailableError(
    "KWin does not let deskhand take screenshots without a permission file. To write one, run: deskhand setup",
  );
}

/** @throws DesktopUnavailableError if KWin's answer is not a readable picture. */
function headOf(answer: ReadonlyMap<string, unknown>): Head {
  const [width, height, stride, number] = ["width", "height", "stride", "format"].map((name) =>
    answer.get(name)
  );
  const format = QIMAGE_FORMATS.get(number as number);
  const isSize = [width, height, stride].every((size) => Number.isInteger(size) && (size as number) > 0);
  const size = { width: width as number, height: height as number, stride: stride as number };
  if (
    format && isSize && size.stride >= size.width * format.bytesPerPixel &&
    size.stride * size.height <= SIZE_LIMIT
  ) {
    return { ...size, format, isInverted: false };
  }
  throw new DesktopUnavailableError(
    `KWin returned a ${width}x${height} picture in format ${number}, which deskhand cannot read`,
  );
}

/** A pipe into which another program writes. `using` closes it. */
class Pipe {
  readonly #c = openLibc();
  readonly #ends = Int32Array.of(-1, -1);

  /** @throws DesktopUnavailableError if the system has run out of file descriptors. */
  constructor() {
    if (this.#c.pipe2(this.#ends, O_CLOEXEC) !== 0) {
      throw new DesktopUnavailableError("the system could not create a pipe for a picture");
    }
    this.#c.fcntl(this.#ends[0], F_SETPIPE_SZ, PIPE_BYTES);
  }

  get writing(): number {
    return this.#ends[1];
  }

  /**
   * Waits for bytes without blocking other work.
   * @throws DesktopUnavailableError if no bytes come in time.
   */
  async ready(): Promise<void> {
    const ms = pictureMs();
    const count = await this.#c.poll_waiting(Int32Array.of(this.#ends[0], POLLIN), 1n, ms);
    if (count <= 0) throw late(ms);
  }

  /** Reads the bytes that have arrived. @throws DesktopUnavailableError at the end. */
  read(into: Uint8Array<ArrayBuffer>): number {
    const count = Number(this.#c.read(this.#ends[0], into, BigInt(into.length)));
    if (count <= 0) throw new DesktopUnavailableError("KWin exited while taking a screenshot");
    return count;
  }

  closeWriting(): void {
    if (this.#ends[1] >= 0) this.#c.close(this.#ends[1]);
    this.#ends[1] = -1;
  }

  [Symbol.dispose](): void {
    this.closeWriting();
    this.#c.close(this.#ends[0]);
  }
}

function pictureMs(): number {
  return timeByLoad(PICTURE_MS.idle, PICTURE_MS.most);
}

function late(ms: number): DesktopUnavailableError {
  return new DesktopUnavailableError(`KWin returned no picture within ${ms} ms`);
}

// A KDE desktop's screen: displays from Wayland, pictures from KWin's screenshots.

/** A part of the desktop captured at a time. */
interface Shot {
  subject: Subject;
  /** Where the shot's picture belongs. */
  placed: PlacedOutput;
}

/** Pictures over the bus. */
export class KwinScreen extends WholeScreen {
  /** Captures windows; omitted until {@linkcode showWindows} is called. */
  captureWindow?: Screen["captureWindow"];

  constructor(readonly outputs: Outputs, readonly bus: Bus) {
    super();
  }

  /** @param idOf Returns KWin's own id for a listed window; undefined if the window is closed. */
  showWindows(idOf: (window: WindowInfo) => Promise<string | undefined>): void {
    this.captureWindow = async (window, region, cursor, read) => {
      const id = await idOf(window);
      if (id === undefined) throw changed(window);
      const picture = await takeScreenshot(this.bus, { window: id }, cursor).catch((error) => {
        throw error instanceof BusError && CLOSED.has(error.errorName) ? changed(window) : error;
      });
      const placed = placedWindow(picture, window, this.outputs.arrangement());
      if (!placed) throw changed(window);
      return read(cutOut(picture, placed, region) ?? joined([picture], [placed], region));
    };
  }

  layout(): ScreenLayout {
    return layoutOf(this.outputs.arrangement());
  }

  protected async take(region: Region, cursor: boolean): Promise<Frame> {
    const shots = planShots(this.outputs.arrangement(), region);
    const pictures = await Promise.all(shots.map(({ subject }) => takeScreenshot(this.bus, subject, cursor)));
    const placed = shots.map(({ placed }) => placed);
    const only = shots.length === 1 ? cutOut(pictures[0], placed[0], region) : undefined;
    return only ?? joined(pictures, placed, region);
  }
}

function changed({ title }: WindowInfo): StateError {
  return new StateError(
    `${JSON.stringify(title)} moved or was closed while its picture was being taken; try again`,
  );
}

/**
 * Where a window's picture belongs. KWin 5.27 includes shadows, which start outside the window's region: the
 * first opaque pixels are the window's corner.
 * @param window The window's region in pixels of the desktop.
 * @returns undefined if the picture's size differs from the window's.
 */
export function placedWindow(
  picture: OutputPicture,
  window: Region,
  { outputs, scale }: Arrangement,
): PlacedOutput | undefined {
  const shared = outputs.map(({ region }) => {
    const part = intersection(region, window);
    return part ? part.width * part.height : 0;
  });
  const output = outputs[shared.indexOf(Math.max(...shared))];
  const factor = scale / output.scale; // pixels of the desktop per pixel of the picture
  const size = { width: Math.round(window.width / factor), height: Math.round(window.height / factor) };
  const [across, down] = [picture.width - size.width, picture.height - size.height];
  if (across < -1 || down < -1) return undefined;
  // A size that is not a whole number of logical pixels may be rounded differently.
  const corner = {
    x: across > 1 ? firstOpaque(picture, (i) => [i, picture.height >> 1], picture.width) : 0,
    y: down > 1 ? firstOpaque(picture, (i) => [picture.width >> 1, i], picture.height) : 0,
  };
  if (corner.x > across + 1 || corner.y > down + 1) return undefined;
  const mode = { width: picture.width, height: picture.height };
  return {
    output: { ...output.output, mode, transform: 0 },
    scale: output.scale,
    region: {
      x: Math.round(window.x - corner.x * factor),
      y: Math.round(window.y - corner.y * factor),
      width: Math.round(mode.width * factor),
      height: Math.round(mode.height * factor),
    },
  };
}

/** The first pixel in a line that is opaque, unlike shadows; the line's length if there is none. */
function firstOpaque(
  { bytes, stride }: OutputPicture,
  at: (i: number) => [x: number, y: number],
  count: number,
): number {
  for (let i = 0; i < count; i++) {
    const [x, y] = at(i);
    if (bytes[y * stride + 4 * x + 3] === 255) return i;
  }
  return count;
}

/**
 * Plans the pictures that make up a region: one for each display that it touches. If a picture pixel is a
 * whole number of the compositor's pixels, only the region itself is captured; otherwise pixels might be cut
 * apart.
 */
function planShots({ outputs, scale }: Arrangement, region: Region): Shot[] {
  return outputs.flatMap((placed): Shot[] => {
    const part = intersection(placed.region, region);
    if (!part) return [];
    const isWhole = part.width === placed.region.width && part.height === placed.region.height;
    const upright = { ...placed.output, mode: turnedSize(placed.output), transform: 0 };
    if (isWhole || placed.scale !== scale || !Number.isInteger(scale)) {
      return [{ subject: { display: placed.output.name }, placed: { ...placed, output: upright } }];
    }
    const x = Math.floor(part.x / scale), y = Math.floor(part.y / scale);
    const area: Region = {
      x,
      y,
      width: Math.ceil((part.x + part.width) / scale) - x,
      height: Math.ceil((part.y + part.height) / scale) - y,
    };
    const covered = { x: x * scale, y: y * scale, width: area.width * scale, height: area.height * scale };
    return [{ subject: { area }, placed: { output: upright, scale, region: covered } }];
  });
}
