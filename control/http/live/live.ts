/**
 * The live picture: viewers' sockets on this thread, with their messages and actions; another thread makes
 * the pictures while someone is watching.
 */

import { ForbiddenError, InputError, STOPPING } from "../../../core/errors.ts";
import { ACTIONS } from "../../actions/mod.ts";
import type { ActionRunner } from "../../actions/runner.ts";
import { ViewerActions } from "../../actions/viewer_actions.ts";
import type { Point, Region } from "../../desktop/desktop.ts";
import { type LiveReport, VIEWERS, type Viewers } from "../../desktop/viewers.ts";
import { Link, parseViewerMessage, type Quality, type ViewerInput } from "./protocol.ts";
import { type LivePictures, type PictureClient, type Seated, watchSeat } from "../../live/pictures.ts";

/** A viewer with its slot. */
interface Seat {
  viewer: Viewer;
  /** The connection since the viewer joined. */
  link: Link;
  /** Changes whenever the viewer must start over with nothing seen. */
  number: number;
  /** Frees the seat. */
  leave: () => void;
}

/** Sends the live picture to viewers. */
export class LiveView implements PictureClient {
  /** Viewers by slot. */
  readonly #seats: (Seat | undefined)[] = Array.from({ length: VIEWERS }, () => undefined);
  readonly #pictures: LivePictures;
  /** Screen region of the latest pictures. */
  #place: Region | undefined;
  /** The state of traces. */
  #trace = "off";

  /** @param runner Runs the actions requested by viewers and other callers. */
  constructor(readonly runner: ActionRunner) {
    this.#pictures = runner.pictures;
    this.#pictures.add(this);
    this.#pictures.seats.on(() => this.#sendCount());
    runner.calls.on({
      traced: (state) => {
        this.#trace = state;
        for (const seat of this.#seats) seat?.viewer.sendTrace(state);
      },
    });
  }

  /** Current number of viewers, including VNC viewers and those whose socket is still opening. */
  get count(): number {
    return this.viewers.length;
  }

  /**
   * Checks that there is room for another viewer. The last seat is reserved for viewers with full rights.
   * @param guest The viewer's link; left out for full rights.
   * @throws BusyError if there are too many viewers.
   */
  checkRoom(guest?: Guest): void {
    this.#pictures.seats.checkRoom(guest !== undefined);
  }

  /**
   * Current viewers: guests by the name of their link; viewers with full rights have the rights `all` and no
   * name.
   */
  get viewers(): Seated[] {
    return this.#pictures.seats.all;
  }

  /** Disconnects viewers with a link (RFC 6455 section 7.4.1, "policy violation") and frees their seats. */
  leave(guest: Guest): void {
    for (const seat of this.#seats) {
      if (seat?.viewer.guest !== guest) continue;
      seat.viewer.socket.close(1008, "this link has expired or was revoked");
      seat.leave();
    }
  }

  /**
   * Adds a viewer with the client's socket, which may still be opening. There must be room.
   * @param guest The viewer's link; left out for full rights.
   * @param quality Initial quality of the viewer's pictures.
   * @param sent Settles when the handshake's response has been sent.
   */
  add(socket: WebSocket, guest?: Guest, quality: Quality = "automatic", sent?: Promise<void>): void {
    // Takes the seat now, so that clients arriving before the socket is open count this viewer.
    const slot = this.#pictures.seats.take({ name: guest?.name ?? "", rights: guest?.rights ?? "all" });
    const viewer = new Viewer(socket, this.runner, guest, {
      acknowledged: (held) => {
        seat.link.acknowledged(held, performance.now());
        this.#allow(slot, seat);
        this.#pictures.viewers?.acknowledge(slot);
        this.#ask(seat);
      },
      answered: () => seat.link.answered(performance.now()),
      chosen: (quality) => {
        seat.link.quality = quality;
        this.#allow(slot, seat);
        this.#pictures.viewers?.acted(); // a maker that waits for the network checks again
      },
    });
    const seat: Seat = this.#seats[slot] = {
      viewer,
      number: 0,
      link: new Link(quality),
      leave: watchSeat(socket, sent, () => this.#leave(slot)),
    };
    socket.addEventListener("open", () => {
      if (this.#seats[slot] !== seat) return;
      this.#ask(seat);
      if (this.#place) viewer.show(this.#place);
      if (this.count > 1) this.#sendCount();
      if (this.#trace !== "off") viewer.sendTrace(this.#trace);
      this.#enter(slot, seat);
      this.#pictures.start();
    });
  }

  /** Disconnects all viewers when the program ends (RFC 6455 section 7.4.1, "going away"). */
  close(): void {
    this.#pictures.close();
    for (const seat of this.#seats) seat?.viewer.socket.close(1001, STOPPING);
  }

  isLooking(): boolean {
    return this.#seats.some((seat) => seat !== undefined);
  }

  begin(viewers: Viewers): void {
    this.#seats.forEach((seat, slot) => seat?.number && this.#enter(slot, seat, viewers));
  }

  receive(report: LiveReport): void {
    if (report.type === "screen") {
      this.#place = report.place;
      for (const seat of this.#seats) seat?.viewer.show(report.place);
    }
    if (report.type !== "picture") return;
    for (const [slot, number] of report.to) {
      const seat = this.#seats[slot];
      if (seat?.number !== number) continue;
      seat.link.sent(report.message.length, performance.now());
      seat.viewer.sendPicture(report.message);
    }
  }

  failed(message: string): void {
    for (const seat of this.#seats) seat?.viewer.sendError(message);
  }

  ended(): void {
    this.#place = undefined;
  }

  #sendCount(): void {
    for (const seat of this.#seats) seat?.viewer.sendCount(this.count);
  }

  /** Frees a seat. */
  #leave(slot: number): void {
    const { viewer } = this.#seats[slot]!;
    this.#seats[slot] = undefined;
    this.#pictures.seats.free(slot);
    viewer.close();
    this.#pictures.viewers?.leave(slot);
    if (this.count) this.#sendCount();
    if (!this.isLooking()) this.#pictures.endLater();
  }

  /** Adds a viewer that has seen nothing yet. */
  #enter(slot: number, seat: Seat, viewers = this.#pictures.viewers): void {
    seat.number = this.#pictures.seats.number();
    seat.link.startOver();
    this.#allow(slot, seat, viewers);
    viewers?.enter(slot, seat.number);
  }

  /** Pings a viewer if its connection must be measured. */
  #ask({ viewer, link }: Seat): void {
    if (!link.wantsAnswer(performance.now())) return;
    link.asked(performance.now());
    viewer.ask();
  }

  #allow(slot: number, { link }: Seat, viewers = this.#pictures.viewers): void {
    viewers?.allow(slot, link.allowance(performance.now()));
  }
}

/** Number of unsent bytes from which error messages to a viewer that does not read are dropped. */
const UNREAD = 1024 * 1024;
/** Maximum number of messages per second: a mouse reports at most 1000 times, and there are 60 pictures. */
const RATE = 5000;

/** A caller with a link. */
export interface Guest {
  name: string;
  /** Whether the guest may only look, or also act. */
  rights: "look" | "act";
}

/** Receives a viewer's messages. */
interface ViewerListener {
  /** The viewer has displayed a picture. */
  acknowledged(held: number): void;
  /** The viewer has answered {@linkcode Viewer.ask}. */
  answered(): void;
  /** The viewer has chosen a quality. */
  chosen(quality: Quality): void;
}

/** A client of the live picture. */
export class Viewer {
  readonly #actions: ViewerActions;
  /** A move waiting behind a long action; the next move replaces it. */
  #waitingMove: Point | undefined;
  /** The current second, and the number of messages in it. */
  #second = 0;
  #messages = 0;

  /**
   * @param runner Runs the actions that the viewer requests.
   * @param guest The viewer's link; undefined for full rights.
   */
  constructor(
    readonly socket: WebSocket,
    readonly runner: ActionRunner,
    readonly guest: Guest | undefined,
    readonly listener: ViewerListener,
  ) {
    this.#actions = new ViewerActions(runner, "page", guest?.name);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", ({ data }) => this.#receive(data));
  }

  /** Sends the screen size of the following pictures. */
  show({ x, y, width, height }: Region): void {
    const readOnly = this.runner.readOnly || this.#looksOnly, isGuest = this.guest !== undefined;
    this.#send(JSON.stringify({ type: "screen", x, y, width, height, readOnly, isGuest }));
  }

  /** Sends a picture. */
  sendPicture(message: Uint8Array<ArrayBuffer>): void {
    this.#send(message);
  }

  /** Sends an error message. */
  sendError(message: string): void {
    if (this.socket.bufferedAmount <= UNREAD) this.#send(JSON.stringify({ type: "error", message }));
  }

  /** Sends whether a trace is running. */
  sendTrace(state: string): void {
    this.#send(JSON.stringify({ type: "trace", state }));
  }

  /** Pings the viewer to measure its connection. */
  ask(): void {
    this.#send('{"type":"ping"}');
  }

  /** Sends the number of viewers, including this one. */
  sendCount(count: number): void {
    this.#send(JSON.stringify({ type: "viewers", count }));
  }

  /** Releases the keys and buttons that the viewer holds down. */
  close(): void {
    this.#actions.close();
  }

  get #looksOnly(): boolean {
    return this.guest?.rights === "look";
  }

  #send(message: string | Uint8Array<ArrayBuffer>) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(message);
  }

  /** Whether the viewer sends more messages than can be handled beside other requests. */
  #isFlooding(): boolean {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) [this.#second, this.#messages] = [second, 0];
    return ++this.#messages > RATE;
  }

  #receive(data: unknown) {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    if (this.#isFlooding()) return this.socket.close(1008, "too many messages");
    try {
      if (typeof data !== "string") throw new InputError("a message must be text");
      const message = parseViewerMessage(data);
      if (message.type === "ack") return this.listener.acknowledged(message.held ?? 0);
      if (message.type === "pong") return this.listener.answered();
      if (message.type === "quality") return this.listener.chosen(message.quality);
      if (this.#looksOnly) throw new ForbiddenError("this link is view-only");
      if (message.type === "move" && this.#waitingMove) return void Object.assign(this.#waitingMove, message);
      this.#waitingMove = message.type === "move" ? message : undefined;
      if (this.#actions.isFull) return this.socket.close(1008, "too many messages");
      this.#actions.queue(() => this.#do(message), (error) => this.sendError(error.message));
    } catch (error) {
      this.sendError((error as Error).message);
    }
  }

  async #do(input: ViewerInput): Promise<void> {
    if (input === this.#waitingMove) this.#waitingMove = undefined;
    const actions = this.#actions;
    switch (input.type) {
      case "move":
        return await actions.run(ACTIONS.move, input);
      case "button":
        return await actions.press(["button", input.button], input.down, input);
      case "scroll":
        return await actions.run(ACTIONS.scroll, input);
      case "key":
        return await actions.press(["key", input.key], input.down);
      case "text":
        return await actions.run(ACTIONS.type, input);
      case "release":
        return await actions.releaseHeld();
    }
  }
}
