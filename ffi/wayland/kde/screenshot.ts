/**
 * Pictures by KWin's screenshots (org.kde.KWin.ScreenShot2): KWin answers with a picture's size and then writes its
 * pixels into a pipe.
 */

import {
  type Frame,
  intersection,
  type Region,
  type ScreenLayout,
} from "../../../control/desktop/desktop.ts";
import { DesktopUnavailableError, UnsupportedError } from "../../../core/errors.ts";
import { timeByLoad } from "../../../core/proc.ts";
import type { Bus } from "../../linux/dbus/bus.ts";
import { BusError, ERROR_NAMES } from "../../linux/dbus/channel.ts";
import type { RemoteObject } from "../../linux/dbus/message.ts";
import { type Sent, Variant } from "../../linux/dbus/values.ts";
import { openLibc, POLLIN } from "../../linux/libc.ts";
import {
  type Arrangement,
  cutOut,
  joined,
  layoutOf,
  type OutputPicture,
  type Outputs,
  PIXEL_FORMATS,
  type PixelFormat,
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
 * The time that KWin may take for a picture, and between two parts of it, in milliseconds: where the machine is not busy,
 * and at most.
 */
const PICTURE_MS = { idle: 5000, most: 20_000 };
/** KWin 6 offers screenshots where it draws with OpenGL alone. */
const NO_OPENGL = "KWin gives no pictures, since it draws without OpenGL here";
const MISSING: ReadonlySet<string> = new Set([ERROR_NAMES.unknownObject, ERROR_NAMES.unknownMethod]);
const NOT_ALLOWED = "org.kde.KWin.ScreenShot2.Error.NoAuthorized";
/** The largest size of a picture that deskhand accepts from KWin, in bytes. */
const SIZE_LIMIT = 1024 * 1024 * 1024;
const O_CLOEXEC = 0o2000000, F_SETPIPE_SZ = 1031;
/**
 * The largest size that users may give a pipe (/proc/sys/fs/pipe-max-size), so that reading a picture waits less often.
 */
const PIPE_BYTES = 1024 * 1024;

/** Subject of a capture: a display by its name, or a region in logical pixels. */
type Subject = { display: string } | { area: Region };

/** KWin's answer, whose pixels follow. */
type Head = Omit<OutputPicture, "bytes">;

/** The method of KWin that captures a subject, with its arguments. */
function callOf(subject: Subject): [member: string, signature: string, args: Sent[]] {
  if ("display" in subject) return ["CaptureScreen", "s", [subject.display]];
  const { x, y, width, height } = subject.area;
  return ["CaptureArea", "iiuu", [x, y, width, height]];
}

/**
 * Takes a picture.
 * @param cursor Whether the pointer is drawn in.
 * @throws UnsupportedError if KWin takes no pictures; DesktopUnavailableError if KWin refuses, or does not answer in
 * time.
 */
export async function takeScreenshot(bus: Bus, subject: Subject, cursor: boolean): Promise<OutputPicture> {
  using pipe = new Pipe();
  const [member, signature, args] = callOf(subject);
  const sent = [...args, optionsOf(cursor), pipe.writing];
  const answer = bus.callAsync(SCREENSHOT, member, `${signature}a{sv}h`, sent, "a{sv}", { ms: pictureMs() });
  pipe.closeWriting(); // KWin has got this end with the request
  const head = headOf(...await answer.catch(refused));
  const bytes = new Uint8Array(head.stride * head.height);
  for (let at = 0; at < bytes.length; at += pipe.read(bytes.subarray(at))) await pipe.ready();
  return { ...head, bytes };
}

function optionsOf(cursor: boolean): Sent {
  return { "include-cursor": new Variant("b", cursor), "native-resolution": new Variant("b", true) };
}

/**
 * Tells why KWin takes no pictures for any program.
 * @returns undefined if KWin takes pictures.
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

/** Whether KWin does not have the interface at all. */
function isMissing(error: unknown): boolean {
  return error instanceof BusError && MISSING.has(error.errorName);
}

function refused(error: unknown): never {
  if (isMissing(error)) throw new UnsupportedError(NO_OPENGL);
  if (!(error instanceof BusError) || error.errorName !== NOT_ALLOWED) throw error;
  throw new DesktopUnavailableError(
    "KWin gives deskhand no screenshots without a permission file. To write one, run: deskhand setup",
  );
}

/** @throws DesktopUnavailableError if KWin's answer is no readable picture. */
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

/** A pipe of which another program writes into one end. `using` closes it. */
class Pipe {
  readonly #c = openLibc();
  readonly #ends = Int32Array.of(-1, -1);

  /** @throws DesktopUnavailableError if the system has no descriptors left. */
  constructor() {
    if (this.#c.pipe2(this.#ends, O_CLOEXEC) !== 0) {
      throw new DesktopUnavailableError("the system cannot create a pipe for a picture");
    }
    this.#c.fcntl(this.#ends[0], F_SETPIPE_SZ, PIPE_BYTES);
  }

  get writing(): number {
    return this.#ends[1];
  }

  /** Waits for bytes while other work goes on. @throws DesktopUnavailableError if no bytes come in time. */
  async ready(): Promise<void> {
    const ms = pictureMs();
    const count = await this.#c.poll_waiting(Int32Array.of(this.#ends[0], POLLIN), 1n, ms);
    if (count <= 0) throw late(ms);
  }

  /** Reads the bytes that have arrived. @throws DesktopUnavailableError at the end. */
  read(into: Uint8Array<ArrayBuffer>): number {
    const count = Number(this.#c.read(this.#ends[0], into, BigInt(into.length)));
    if (count <= 0) throw new DesktopUnavailableError("KWin ended during a screenshot");
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
  return Math.round(timeByLoad(PICTURE_MS.idle, PICTURE_MS.most));
}

function late(ms: number): DesktopUnavailableError {
  return new DesktopUnavailableError(`KWin returned no picture within ${ms} ms`);
}

// The screen of a KDE desktop: displays by Wayland, pictures by KWin's screenshots.

/** A part of the desktop that is captured at once. */
interface Shot {
  subject: Subject;
  /** The place of the shot's picture. */
  placed: PlacedOutput;
}

/** Pictures over the bus. */
export class KwinScreen extends WholeScreen {
  constructor(readonly outputs: Outputs, readonly bus: Bus) {
    super();
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

/**
 * Plans the pictures that a region is made of: one of each display that it touches. Where a pixel of the picture is a
 * whole number of the compositor's, only the region itself is captured; elsewhere pixels might be cut through.
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
