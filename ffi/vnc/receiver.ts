/** The connection to a VNC server, in a Worker: receives pictures into shared memory, and sends input. */

import { delay } from "@std/async/delay";
import { isWithin, type Region } from "../../control/desktop/desktop.ts";
import { NoDesktopError, type PlainError, plainError } from "../../core/errors.ts";
import { nodeModule } from "../../core/path.ts";
import { type ClipboardMessage, ClipboardWriter, takeClipboard } from "../../rfb/clipboard.ts";
import { formatBytes, NATIVE } from "../../rfb/pixel_format.ts";
import {
  CLIENT_MESSAGE,
  ENCODING,
  FENCE,
  fenceMessage,
  int32,
  longs,
  message,
  readRectangle,
  readScreens,
  SCREEN_LENGTH,
  SERVER_MESSAGE,
  uint16,
  uint32,
  words,
} from "../../rfb/protocol.ts";
import { ByteStream } from "../../rfb/stream.ts";
import { addressOf, type VncTarget } from "./address.ts";
import { type ByteReader, Decoder, Raster } from "./encodings.ts";
import { checkSize, firstMessages, greet, type Greeting, WithoutVeNCrypt } from "./handshake.ts";
import { type PictureMemory, pictureMemory, POINTER_LIMIT, SharedPicture } from "./picture.ts";
import type { PointerImage } from "../../control/desktop/screen.ts";

/** Encodings in order of preference, and the extensions that deskhand supports. */
const ENCODINGS = Object.values(ENCODING).toReversed();
/** Maximum time for a server to connect and send its first picture, in milliseconds. */
const OPENING_MS = 10_000;
/** Maximum time for a server to handle input, in milliseconds; after it the connection is closed. */
const SILENT_MS = 10_000;
/** How long a server may send nothing before it is asked for a pixel, in milliseconds. */
const IDLE_MS = 10_000;
/** Delay before reconnecting, in milliseconds: at first, and at most. */
const AGAIN_MS = { first: 300, most: 5000 } as const;
/** Maximum time for a server to receive the last input, in milliseconds. */
const LAST_MS = 500;
/** Maximum number of input bytes queued for a server that accepts none. */
const UNSENT_LIMIT = 1 << 20;

const CLIPBOARD = new ClipboardWriter(CLIENT_MESSAGE.cutText);

// Messages between the thread that owns the desktop and the Worker that owns the connection.

/** Messages to the Worker. */
export type ToReceiver =
  /** Connects, and reconnects whenever the connection is lost. */
  | { type: "open"; target: VncTarget }
  /** Sends bytes, and reports `sent` when the server has received them. */
  | { type: "send"; bytes: Uint8Array; number: number }
  /** Ends the connection after the last input has been sent, then stores 1 in the memory. */
  | { type: "close"; ended: Int32Array<SharedArrayBuffer> };

/** Messages from the Worker. */
export type FromReceiver =
  /** The server is connected and has sent its picture. */
  | { type: "opened"; picture: PictureMemory; name: string; isSecure: boolean }
  /** The first attempt failed; the Worker does not retry. */
  | { type: "failed"; error: PlainError }
  /** The connection was lost; the Worker is reconnecting. */
  | { type: "lost"; reason: string }
  /** The screen's size has changed. */
  | { type: "resized"; picture: PictureMemory }
  | { type: "facts"; facts: Partial<ServerFacts> }
  | { type: "clipboard"; message: ClipboardMessage }
  | { type: "sent"; number: number };

/** The state that a server reports during a connection. */
export interface ServerFacts {
  /** The displays of the screen; empty if the server reports none. */
  displays: readonly Region[];
  /** Whether the server accepts a second byte of buttons. */
  hasManyButtons: boolean;
  /** Whether the server supports fences, with which it reports that it has handled input. */
  hasFences: boolean;
}

type Report = (report: FromReceiver) => void;

/** Maintains the connection to one server until {@linkcode close}. */
export class Receiver {
  #connection: Connection | undefined;
  #isClosed = false;
  #wake = () => {};

  /** @param encodings The encodings and extensions to request. */
  constructor(readonly report: Report, readonly encodings: readonly number[] = ENCODINGS) {}

  /** Handles a message from the thread that started the Worker. */
  handle(message: ToReceiver): void {
    if (message.type === "open") void this.#run(message.target);
    else if (message.type === "send") this.#connection?.send(message.bytes, message.number);
    else void this.#close(message.ended);
  }

  /** Ends the connection after the server has received the last input, which releases keys. */
  async #close(ended: Int32Array): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    const stream = this.#connection?.stream, end = performance.now() + LAST_MS;
    while (stream?.backlog && performance.now() < end) await delay(1);
    stream?.end();
    Atomics.store(ended, 0, 1);
    Atomics.notify(ended, 0);
  }

  async #run(target: VncTarget): Promise<void> {
    let hasOpened = false, wait: number = AGAIN_MS.first;
    while (!this.#isClosed) {
      let openedAt = Infinity;
      try {
        const connection = this.#connection = await connect(target, this.report);
        await connection.run(this.encodings, () => openedAt = performance.now());
      } catch (error) {
        this.#connection?.close();
        this.#connection = undefined;
        if (this.#isClosed) return;
        const reason = reasonOf(error, target);
        hasOpened ||= openedAt < Infinity;
        if (!hasOpened) {
          const refusal = new NoDesktopError(`vnc://${addressOf(target)}: ${reason}`);
          return this.report({ type: "failed", error: plainError(refusal) });
        }
        this.report({ type: "lost", reason });
        if (performance.now() - openedAt > AGAIN_MS.most) wait = AGAIN_MS.first;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, wait);
      });
      wait = Math.min(AGAIN_MS.most, 2 * wait);
    }
  }
}

/** The system's error codes for failed connections, in words. */
const UNREACHED: Readonly<Record<string, string | undefined>> = {
  ECONNREFUSED: "no VNC server listens on that port",
  ENOTFOUND: "there is no host of that name",
  EAI_AGAIN: "there is no host of that name",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the host cannot be reached",
  ETIMEDOUT: "the host is not responding",
};
/** Ports below this are taken for a display number, which viewers accept in place of a port. */
const DISPLAYS = 100;

/** A reason for users. Nothing that a server sends is deskhand's own error. */
function reasonOf(error: unknown, { port }: VncTarget): string {
  const { message, cause } = error as Error, { code = "" } = (cause ?? {}) as { code?: string };
  if (error instanceof RangeError) return `the VNC server sent invalid data: ${message}`;
  const isDisplay = code === "ECONNREFUSED" && port < DISPLAYS;
  return (UNREACHED[code] ?? message.replace(/^the peer/, "the VNC server")) +
    (isDisplay ? `; display :${port} has port ${5900 + port}` : "");
}

/** @param avoids Whether to avoid VeNCrypt. */
async function connect(target: VncTarget, report: Report, avoids = false): Promise<Connection> {
  const { host, port } = target;
  const stream = new ByteStream(nodeModule("node:net").connect({ host, port }));
  stream.expire(OPENING_MS, "the VNC server is not responding");
  try {
    return new Connection(stream, await greet(stream, target, avoids), report);
  } catch (error) {
    stream.destroy();
    if (!(error instanceof WithoutVeNCrypt)) throw error;
    return await connect(target, report, true);
  }
}

/**
 * A server's silence. A screen at rest sends nothing, and neither does a hung server; a request for a pixel,
 * which no server may leave unanswered, distinguishes the two. Pure.
 */
export class Silence {
  #heardAt: number | undefined;
  #askedAt: number | undefined;

  /** Records that the server has sent something. @param now Milliseconds of any clock. */
  heard(now: number): void {
    this.#heardAt = now;
    this.#askedAt = undefined;
  }

  /** @returns Whether to ask the server now, or to consider it gone. */
  at(now: number): "fine" | "ask" | "gone" {
    this.#heardAt ??= now;
    if (this.#askedAt !== undefined) return now - this.#askedAt < SILENT_MS ? "fine" : "gone";
    if (now - this.#heardAt < IDLE_MS) return "fine";
    this.#askedAt = now;
    return "ask";
  }
}

/** One connection after its handshake. */
class Connection {
  #raster: Raster;
  #picture: SharedPicture;
  readonly #decoder = new Decoder();
  /** Whether the first picture has arrived. */
  #isPainted = false;
  #hasFences = false;
  #isContinuous = false;
  readonly #silence = new Silence();
  /** Input that the server has not yet reported as handled, oldest first. */
  #unsent: { number: number; at: number }[] = [];
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(readonly stream: ByteStream, readonly greeting: Greeting, readonly report: Report) {
    const { width, height } = greeting;
    this.#raster = new Raster(width, height);
    this.#picture = new SharedPicture(pictureMemory(width, height));
    this.#timer = setInterval(() => this.#checkSilence(), SILENT_MS / 10);
  }

  /** Receives until the end of the connection. @param opened Called after the first picture. */
  async run(encodings: readonly number[], opened: () => void): Promise<never> {
    this.stream.write(firstMessages(formatBytes(NATIVE), encodings));
    this.#request(false);
    for (;;) {
      const [type] = await this.stream.take(1);
      this.#silence.heard(performance.now());
      if (type === SERVER_MESSAGE.update) await this.#update(opened);
      else await this.#other(type);
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.stream.destroy();
    this.#decoder.close();
  }

  /**
   * Sends input; reports its number when the server has handled it or, if it does not report that, received
   * it.
   */
  send(bytes: Uint8Array, number: number): void {
    const { stream } = this;
    this.#unsent.push({ number, at: performance.now() });
    if (this.#hasFences) {
      stream.write(bytes);
      stream.write(fenceMessage(CLIENT_MESSAGE.fence, FENCE.request | FENCE.blockBefore, longs(number)));
    } else stream.write(bytes, () => this.#handled(number)); // "drain" fires only if much is queued
    if (stream.backlog > UNSENT_LIMIT) {
      stream.destroy(new NoDesktopError("the VNC server is not accepting input"));
    }
  }

  #handled(number: number): void {
    const count = this.#unsent.findIndex((one) => one.number === number) + 1;
    for (const one of this.#unsent.splice(0, count)) this.report({ type: "sent", number: one.number });
  }

  #checkSilence(): void {
    const now = performance.now(), [first] = this.#unsent, silence = this.#silence.at(now);
    if (silence === "ask") this.#request(false, { width: 1, height: 1 });
    if (silence !== "gone" && !(first && now - first.at >= SILENT_MS)) return;
    this.stream.destroy(new NoDesktopError("the VNC server is not responding"));
  }

  #request(
    isIncremental: boolean,
    { width, height }: { width: number; height: number } = this.#raster,
  ): void {
    this.stream.write(
      message([CLIENT_MESSAGE.updateRequest, isIncremental ? 1 : 0], words(0, 0, width, height)),
    );
  }

  #other(type: number): Promise<void> | void {
    switch (type) {
      case SERVER_MESSAGE.bell:
        return;
      case SERVER_MESSAGE.colourMap:
        return this.#colourMap();
      case SERVER_MESSAGE.cutText:
        return this.#cutText();
      case SERVER_MESSAGE.fence:
        return this.#fence();
      case SERVER_MESSAGE.endOfContinuousUpdates:
        return this.#continue();
    }
    throw new RangeError(`unknown message type ${type}`);
  }

  async #colourMap(): Promise<void> {
    await this.stream.take(6 * uint16(await this.stream.take(5), 3));
  }

  async #cutText(): Promise<void> {
    const message = await takeClipboard(this.stream);
    if (!message) return;
    if (message.type === "caps") this.stream.write(CLIPBOARD.caps()); // before the first text is announced
    this.report({ type: "clipboard", message });
  }

  async #fence(): Promise<void> {
    const bytes = await this.stream.take(8), flags = uint32(bytes, 3);
    const payload = await this.stream.take(bytes[7]);
    if (flags & FENCE.request) {
      this.stream.answer(fenceMessage(CLIENT_MESSAGE.fence, flags & FENCE.kept, payload));
      if (!this.#hasFences) this.report({ type: "facts", facts: { hasFences: true } });
      this.#hasFences = true;
    } else if (payload.length === 4) this.#handled(uint32(payload, 0));
  }

  /** Starts continuous updates, in which the server sends pictures without being asked. */
  #continue(): void {
    if (this.#isContinuous || !this.#hasFences) return; // fences tell the server that it is too fast
    this.#isContinuous = true;
    this.#requestAll();
  }

  #requestAll(): void {
    const { width, height } = this.#raster;
    this.stream.write(message([CLIENT_MESSAGE.continuousUpdates, 1], words(0, 0, width, height)));
  }

  /** Draws an update separately, and publishes it as a whole. */
  async #update(opened: () => void): Promise<void> {
    const count = uint16(await this.stream.take(3), 1), boxes: Region[] = [];
    if (!this.#isContinuous) this.#request(true); // requested while this one is read
    for (let i = 0; i < count; i++) {
      const head = await this.stream.take(12), encoding = int32(head, 8);
      if (encoding === ENCODING.lastRect) break;
      const region = readRectangle(head, 0);
      if (await this.#pseudo(encoding, region, boxes)) continue;
      await this.#decoder.draw(encoding, this.stream, region, this.#raster);
      if (region.width && region.height) boxes.push(region);
    }
    if (!boxes.length) return;
    this.#picture.publish(this.#raster.words, boxes);
    if (this.#isPainted) return;
    this.#isPainted = true;
    this.stream.expire();
    const { name, isSecure } = this.greeting;
    this.report({ type: "opened", picture: this.#picture.memory, name, isSecure });
    opened();
  }

  /** Reads a pseudo-rectangle. @returns false if the rectangle contains pixels. */
  async #pseudo(encoding: number, region: Region, boxes: Region[]): Promise<boolean> {
    const { stream } = this, { x, y } = region;
    switch (encoding) {
      case ENCODING.cursor:
      case ENCODING.cursorWithAlpha: {
        const image = await readCursor(stream, region, encoding);
        if (image) this.#picture.image = image;
        return true;
      }
      case ENCODING.vmwareCursorPosition:
      case ENCODING.pointerPosition:
        this.#picture.place = { x, y };
        return true;
      case ENCODING.extendedMouseButtons:
        this.report({ type: "facts", facts: { hasManyButtons: true } });
        return true;
      case ENCODING.extendedDesktopSize: {
        const [count] = await stream.take(4), bytes = await stream.take(SCREEN_LENGTH * count);
        this.#resize(region, boxes);
        const whole = { ...region, x: 0, y: 0 };
        const displays = readScreens(bytes).filter((one) => one.width && one.height && isWithin(one, whole));
        this.report({ type: "facts", facts: { displays } });
        return true;
      }
      case ENCODING.desktopSize:
        this.#resize(region, boxes);
        return true;
    }
    return false;
  }

  #resize({ width, height }: Region, boxes: Region[]): void {
    if (width === this.#raster.width && height === this.#raster.height) return;
    checkSize({ width, height });
    const { place, image } = this.#picture;
    boxes.length = 0; // of the previous picture
    this.#raster = new Raster(width, height);
    this.#picture = new SharedPicture(pictureMemory(width, height));
    if (place) this.#picture.place = place;
    if (image) this.#picture.image = image;
    if (this.#isPainted) this.report({ type: "resized", picture: this.#picture.memory });
    this.#request(false);
    if (this.#isContinuous) this.#requestAll();
  }
}

// The pointer's picture as sent by VNC servers.

/** Maximum number of pixels in a pointer picture that is read at all. */
const PIXEL_LIMIT = 1 << 22;

/**
 * Reads a pointer picture: with alpha, or with a mask of one bit per pixel.
 * @param region Its size, and its hot spot as the position.
 * @returns undefined if the picture is larger than those that can be shown.
 * @throws RangeError if it is damaged.
 */
export async function readCursor(
  reader: ByteReader,
  { x, y, width, height }: Region,
  encoding: number,
): Promise<PointerImage | undefined> {
  const count = width * height, hasAlpha = encoding === ENCODING.cursorWithAlpha;
  if (count > PIXEL_LIMIT) throw new RangeError(`a pointer of ${width}x${height} pixels is too large`);
  if (hasAlpha) {
    const inner = int32(await reader.take(4), 0);
    if (inner !== ENCODING.raw) throw new RangeError(`pointers in encoding ${inner} are not supported`);
  }
  const pixels = (await reader.take(4 * count)).slice(), stride = width + 7 >> 3;
  const mask = hasAlpha ? undefined : await reader.take(stride * height);
  if (width > POINTER_LIMIT || height > POINTER_LIMIT) return undefined;
  if (mask) {
    for (let i = 0; i < count; i++) {
      const isOpaque = mask[Math.floor(i / width) * stride + (i % width >> 3)] >> 7 - (i % width & 7) & 1;
      const [blue, green, red] = pixels.subarray(4 * i, 4 * i + 3);
      pixels.set(isOpaque ? [red, green, blue, 255] : [0, 0, 0, 0], 4 * i);
    }
  }
  return { width, height, hot: { x, y }, rgba: pixels };
}
