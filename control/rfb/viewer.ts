/** One VNC viewer after its handshake: its messages, pictures and seat. */

import { delay } from "@std/async/delay";
import type { ActionRunner } from "../actions/runner.ts";
import { ViewerActions } from "../actions/viewer_actions.ts";
import type { Region } from "../desktop/desktop.ts";
import type { Viewers } from "../desktop/viewers.ts";
import { takeClipboard } from "../../rfb/clipboard.ts";
import {
  ABILITY,
  colourMap,
  FORMAT_LENGTH,
  formatBytes,
  MAPPED,
  NATIVE,
  packForm,
  type PixelFormat,
  readFormat,
} from "../../rfb/pixel_format.ts";
import {
  CLIENT_MESSAGE,
  ENCODING,
  FENCE,
  fenceMessage,
  int32,
  lengthAndText,
  longs,
  message,
  QUALITY,
  rectangleHead,
  SCREEN_LENGTH,
  screensBytes,
  SERVER_MESSAGE,
  uint16,
  uint32,
  words,
} from "../../rfb/protocol.ts";
import type { ByteStream } from "../../rfb/stream.ts";
import { pointIn, ViewerClipboard, ViewerInput } from "./input.ts";
import type { Entrant } from "./handshake.ts";

/** Number of unsent bytes from which pictures to a viewer that does not read are dropped. */
const UNREAD = 2 * 1024 * 1024;
/** How long a viewer's messages are handled before other work gets a turn, in milliseconds. */
const TURN_MS = 5;
/** Quality level from which everything is sent without loss. */
const SHARP = 9;
/** Fields of ExtendedDesktopSize: why it is sent, and that a viewer may not choose the size. */
const BY_SERVER = 0, BY_THIS_CLIENT = 1, PROHIBITED = 1;

/** A viewer's abilities, by the encodings that it lists. */
const LISTED = [
  [ENCODING.copyRect, ABILITY.copyRect],
  [ENCODING.zrle, ABILITY.zrle],
  [ENCODING.zlib, ABILITY.zlib],
  [ENCODING.cursorWithAlpha, ABILITY.cursorWithAlpha],
  [ENCODING.cursor, ABILITY.cursor],
  [ENCODING.vmwareCursorPosition, ABILITY.vmwareCursorPosition],
  [ENCODING.pointerPosition, ABILITY.pointerPosition],
] as const;

/** A viewer, as its server sees it. */
export class RfbViewer {
  /** The viewer's seat, and the number under which pictures are made for it; 0 while there are none. */
  readonly slot: number;
  number = 0;
  readonly #actions: ViewerActions;
  readonly #input: ViewerInput;
  readonly #clipboard: ViewerClipboard;
  readonly #flow: Flow<Uint8Array<ArrayBuffer>>;
  #format: PixelFormat = NATIVE;
  #encodings: ReadonlySet<number> = new Set();
  /** The JPEG quality that the viewer requests; undefined if it accepts none. */
  #quality: number | undefined;
  /** The zlib streams that have started. */
  readonly #streams = new Set<number>();
  /** Whether the viewer starts over with its next request. */
  #isFresh = true;
  /** Size of the viewer's picture, and whether a new size must be sent. */
  #size: { width: number; height: number };
  #isResized = false;
  /** Whether the viewer has stopped reading. */
  #isStalled = false;
  #hasFences = false;
  readonly #told = new Set<number>();
  #pictures = 0;

  /** Takes a seat, which must be free. */
  constructor(readonly stream: ByteStream, readonly runner: ActionRunner, readonly entrant: Entrant) {
    const { guest, user } = entrant, name = guest?.name ?? user;
    const { width, height } = runner.operator.screen();
    this.#size = { width, height };
    this.#actions = new ViewerActions(runner, "vnc", name || undefined);
    this.slot = runner.pictures.seats.take({ name, rights: guest?.rights ?? "all" });
    const send = (bytes: Uint8Array) => stream.answer(bytes), refused = () => {};
    this.#clipboard = new ViewerClipboard(this.#actions, send, refused);
    this.#input = new ViewerInput({
      actions: this.#actions,
      pointAt: (x, y) => pointIn(runner.operator.screen(), x, y),
      copied: () => this.#clipboard.offerLater(),
      refused,
    });
    this.#flow = new Flow({
      send: (picture) => this.#sendPicture(picture),
      acknowledge: () => runner.pictures.viewers?.acknowledge(this.slot),
      fence: () => this.#sendFence(),
    });
  }

  /** Number of pictures sent. */
  get pictures(): number {
    return this.#pictures;
  }

  /** Whether the viewer may only look. */
  get looksOnly(): boolean {
    return this.runner.readOnly || this.entrant.guest?.rights === "look";
  }

  /**
   * Serves the viewer until it leaves. @param name The desktop's name. @throws StreamEnded; RangeError for an
   * invalid message.
   */
  async run(name: string): Promise<never> {
    const { width, height } = this.#size, title = this.looksOnly ? `${name} (view only)` : name;
    this.stream.write(message(words(width, height), formatBytes(NATIVE), lengthAndText(title)));
    if (!this.looksOnly) this.#clipboard.offerFirst();
    for (let turnedAt = performance.now();;) {
      const waits = this.stream.received === 0, [type] = await this.stream.take(1);
      if (waits) turnedAt = performance.now();
      const handle = this.#messages[type];
      if (!handle) throw new RangeError(`unknown message type ${type}`);
      await handle();
      if (performance.now() - turnedAt < TURN_MS) continue;
      await delay(0);
      turnedAt = performance.now();
    }
  }

  /** Handles a picture that was made for this viewer. */
  receive(picture: Uint8Array<ArrayBuffer>): void {
    this.#flow.made(picture);
  }

  /** Registers this viewer for pictures, unless it is stalled or has not requested one; it has seen nothing. */
  enter(viewers: Viewers | undefined = this.runner.pictures.viewers): void {
    if (!viewers || this.#isStalled || this.#isFresh && !this.#flow.isWanted) return;
    this.#isFresh = false;
    this.number = this.runner.pictures.seats.number();
    const making = this.#quality === undefined || this.#quality < SHARP ? "balanced" : "sharp";
    viewers.allow(this.slot, { making, picture: 0, underWay: 0 });
    viewers.enter(this.slot, this.number, this.#flow.startOver(), packForm(this.#form()));
  }

  /** The screen has a new size, or pictures of it start. */
  resized({ width, height }: Region): void {
    if (width === this.#size.width && height === this.#size.height) return;
    this.#size = { width, height };
    this.#isResized = true;
    if (!this.#encodings.has(ENCODING.desktopSize) && !this.#encodings.has(ENCODING.extendedDesktopSize)) {
      return this.stream.end(); // it reconnects with the new size
    }
    if (this.#flow.isWanted) this.#tellSize();
  }

  /** Ends the connection and frees the seat. */
  close(): void {
    if (this.#actions.isClosed) return;
    const { pictures } = this.runner;
    this.#actions.close();
    this.#clipboard.close();
    this.#leave();
    pictures.seats.free(this.slot);
    this.stream.end();
  }

  #leave(): void {
    if (this.number) this.runner.pictures.viewers?.leave(this.slot);
    this.number = 0;
  }

  /** Handlers of the viewer's messages, by type. */
  readonly #messages: Readonly<Record<number, () => Promise<void>>> = {
    [CLIENT_MESSAGE.setPixelFormat]: () => this.#setPixelFormat(),
    [CLIENT_MESSAGE.setEncodings]: () => this.#setEncodings(),
    [CLIENT_MESSAGE.updateRequest]: () => this.#updateRequest(),
    [CLIENT_MESSAGE.key]: () => this.#key(),
    [CLIENT_MESSAGE.pointer]: () => this.#pointer(),
    [CLIENT_MESSAGE.cutText]: () => this.#cutText(),
    [CLIENT_MESSAGE.continuousUpdates]: () => this.#continuousUpdates(),
    [CLIENT_MESSAGE.fence]: () => this.#fence(),
    [CLIENT_MESSAGE.setDesktopSize]: () => this.#setDesktopSize(),
  };

  async #setPixelFormat(): Promise<void> {
    const format = readFormat((await this.stream.take(3 + FORMAT_LENGTH)).subarray(3));
    this.#format = format ?? MAPPED;
    if (!format) {
      const colours = colourMap();
      this.stream.answer(message([SERVER_MESSAGE.colourMap, 0], words(0, colours.length / 3, ...colours)));
    }
    this.#startOver();
  }

  async #setEncodings(): Promise<void> {
    const count = uint16(await this.stream.take(3), 1), bytes = await this.stream.take(4 * count);
    const list = Array.from({ length: count }, (_, i) => int32(bytes, 4 * i));
    this.#encodings = new Set(list);
    const quality = list.find((encoding) => encoding >= QUALITY.least && encoding <= QUALITY.most);
    this.#quality = quality === undefined ? undefined : quality - QUALITY.least;
    this.#hasFences = this.#encodings.has(ENCODING.fence);
    this.#tellOnce(ENCODING.fence, () => fenceMessage(SERVER_MESSAGE.fence, FENCE.request, [0]));
    this.#tellOnce(ENCODING.continuousUpdates, () => message([SERVER_MESSAGE.endOfContinuousUpdates]));
    this.#tellOnce(ENCODING.extendedMouseButtons, () => {
      return this.#update(rectangleHead({ x: 0, y: 0, width: 0, height: 0 }, ENCODING.extendedMouseButtons));
    });
    if (this.#encodings.has(ENCODING.extendedClipboard) && !this.looksOnly) this.#clipboard.extend();
    this.#startOver();
  }

  /** Tells the viewer once that the server supports an extension that the viewer lists. */
  #tellOnce(encoding: number, make: () => Uint8Array): void {
    if (!this.#encodings.has(encoding) || this.#told.has(encoding)) return;
    this.#told.add(encoding);
    this.stream.write(make());
  }

  async #updateRequest(): Promise<void> {
    const [isIncremental] = await this.stream.take(9);
    if (!isIncremental) this.#forget();
    if (this.#isResized) return this.#tellSize(); // the viewer asks again, for the new size
    if (!isIncremental && this.#encodings.has(ENCODING.extendedDesktopSize)) this.#tellSize();
    this.#flow.asked();
    if (this.number) return;
    this.enter();
    this.runner.pictures.start();
  }

  async #key(): Promise<void> {
    const bytes = await this.stream.take(7);
    if (this.#mayAct()) this.#input.key(uint32(bytes, 3), bytes[0] !== 0);
  }

  async #pointer(): Promise<void> {
    const bytes = await this.stream.take(5);
    let [mask] = bytes;
    // Bit 7 means that a byte with further buttons follows, for a viewer that lists them.
    if (this.#encodings.has(ENCODING.extendedMouseButtons) && mask & 0x80) {
      const [more] = await this.stream.take(1);
      mask = mask & 0x7f | more << 7;
    }
    if (this.#mayAct()) this.#input.pointer(mask, uint16(bytes, 1), uint16(bytes, 3));
  }

  async #cutText(): Promise<void> {
    const text = await takeClipboard(this.stream);
    if (text && this.#mayAct()) this.#clipboard.receive(text);
  }

  async #continuousUpdates(): Promise<void> {
    const [isOn] = await this.stream.take(9), was = this.#flow.isContinuous;
    this.#flow.isContinuous = isOn !== 0;
    if (!isOn) this.stream.answer(message([SERVER_MESSAGE.endOfContinuousUpdates]));
    if (was === this.#flow.isContinuous) return;
    this.#startOver();
    if (!isOn) return;
    this.enter();
    this.runner.pictures.start();
  }

  async #fence(): Promise<void> {
    const bytes = await this.stream.take(8),
      flags = uint32(bytes, 3),
      payload = await this.stream.take(bytes[7]);
    if (flags & FENCE.request) {
      this.stream.answer(fenceMessage(SERVER_MESSAGE.fence, flags & FENCE.kept, payload));
    } else if (payload.length === 4 && uint32(payload, 0) === this.number) this.#flow.fenced();
  }

  async #setDesktopSize(): Promise<void> {
    const [, , , , , screens] = await this.stream.take(7);
    await this.stream.take(SCREEN_LENGTH * screens);
    if (this.#encodings.has(ENCODING.extendedDesktopSize)) this.#tellSize(BY_THIS_CLIENT, PROHIBITED);
  }

  /** Whether the viewer acts. A viewer that sends more than can be handled is disconnected. */
  #mayAct(): boolean {
    if (this.#actions.isFull) throw new RangeError("too much input");
    return !this.looksOnly;
  }

  /** The viewer must start with nothing seen. */
  #forget(): void {
    this.#leave();
    this.#flow.startOver();
    this.#isFresh = true;
  }

  /** The viewer starts with nothing seen: immediately if it is waiting for an update. */
  #startOver(): void {
    this.#forget();
    this.enter();
  }

  #form() {
    const stream = this.#encodings.has(ENCODING.zrle) ? ENCODING.zrle : ENCODING.zlib;
    const listed = LISTED.filter(([encoding]) => this.#encodings.has(encoding)).map(([, ability]) => ability);
    const takesJpeg = this.#encodings.has(ENCODING.tight) && this.#quality !== undefined &&
      this.#format.bits > 8;
    const all = [
      ...listed,
      ...takesJpeg ? [ABILITY.jpeg] : [],
      ...this.#streams.has(stream) ? [ABILITY.startedStream] : [],
    ];
    const abilities = all.reduce((sum: number, bit) => sum | bit, 0);
    return { format: this.#format, abilities, quality: this.#quality ?? 0 };
  }

  #sendPicture(picture: Uint8Array<ArrayBuffer>): void {
    if (this.stream.backlog > UNREAD) return this.#stall();
    this.#pictures++;
    if (!picture[1]) return this.stream.write(picture);
    this.#streams.add(this.#encodings.has(ENCODING.zrle) ? ENCODING.zrle : ENCODING.zlib);
    const message = picture.slice(); // other viewers receive the same memory
    message[1] = 0;
    this.stream.write(message);
  }

  /** Drops pictures until the viewer reads again; it then receives the current screen. */
  #stall(): void {
    if (this.#isStalled) return;
    this.#isStalled = true;
    this.#leave();
    this.stream.onDrain(() => {
      this.#isStalled = false;
      if (this.#actions.isClosed) return;
      this.#flow.asked();
      this.enter();
    });
  }

  #sendFence(): boolean {
    if (!this.#hasFences) return false;
    const flags = FENCE.request | FENCE.blockBefore;
    this.stream.write(fenceMessage(SERVER_MESSAGE.fence, flags, longs(this.number)));
    return true;
  }

  /** Sends the viewer the size of the screen and, if it accepts them, its displays, as a separate update. */
  #tellSize(why = BY_SERVER, status = 0): void {
    const { displays, x, y } = this.runner.operator.screen();
    if (why === BY_SERVER) {
      this.#isResized = false;
      this.#flow.answered();
    }
    if (!this.#encodings.has(ENCODING.extendedDesktopSize)) {
      this.stream.answer(this.#update(rectangleHead({ x: 0, y: 0, ...this.#size }, ENCODING.desktopSize)));
      return;
    }
    const head = rectangleHead({ x: why, y: status, ...this.#size }, ENCODING.extendedDesktopSize);
    const screens = displays.map((display) => ({ ...display, x: display.x - x, y: display.y - y }));
    this.stream.answer(this.#update(head, screensBytes(screens)));
  }

  /** An update with one rectangle. */
  #update(...parts: Uint8Array[]): Uint8Array {
    return message([SERVER_MESSAGE.update, 0, 0, 1], ...parts);
  }
}

// The flow of pictures to one viewer. For a viewer that requests each update, one picture is made ahead, so
// that its next request is answered immediately; a viewer with continuous updates answers a fence after each
// picture. Pure.

/**
 * Maximum number of pictures in flight to a viewer with continuous updates, and to one that requests each.
 */
const CONTINUOUS = 3, ASKED = 1;

interface FlowEffects<Picture> {
  send(picture: Picture): void;
  /** Allows another picture to be made. */
  acknowledge(): void;
  /** Sends a fence after a picture. @returns false if the viewer does not support fences. */
  fence(): boolean;
}

/** The state of one viewer. */
export class Flow<Picture> {
  #isContinuous = false;
  #isAsked = false;
  #ahead: Picture | undefined;
  #fences = 0;

  constructor(readonly effects: FlowEffects<Picture>) {}

  /** Whether the viewer waits for an update, or receives updates without requests. */
  get isWanted(): boolean {
    return this.#isContinuous || this.#isAsked;
  }

  /** Whether the viewer receives updates without requests. */
  get isContinuous(): boolean {
    return this.#isContinuous;
  }

  set isContinuous(value: boolean) {
    this.#isContinuous = value;
  }

  /** The viewer starts with nothing seen. @returns Maximum number of pictures in flight. */
  startOver(): number {
    this.#ahead = undefined;
    this.#fences = 0;
    return this.#isContinuous ? CONTINUOUS : ASKED;
  }

  /** The viewer requests an update. */
  asked(): void {
    if (this.#isContinuous) return;
    const ahead = this.#ahead;
    this.#ahead = undefined;
    this.#isAsked = true;
    if (ahead !== undefined) this.#send(ahead);
  }

  /** An update without a picture answers the viewer's request. */
  answered(): void {
    this.#isAsked = false;
  }

  made(picture: Picture): void {
    if (this.isWanted) this.#send(picture);
    else this.#ahead = picture;
  }

  /** The viewer has answered a fence for a picture sent since {@linkcode startOver}. */
  fenced(): void {
    if (!this.#fences) return;
    this.#fences--;
    this.effects.acknowledge();
  }

  #send(picture: Picture): void {
    this.#isAsked = false;
    this.effects.send(picture);
    if (this.#isContinuous && this.effects.fence()) this.#fences++;
    else this.effects.acknowledge();
  }
}
