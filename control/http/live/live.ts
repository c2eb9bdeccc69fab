/** The live picture: viewers' sockets on this thread, and pictures made on another thread while someone looks. */

import type { ActionRunner } from "../../actions/runner.ts";
import type { Region } from "../../desktop/desktop.ts";
import { Link, type Quality } from "../../live/link.ts";
import type { LivePictures, PictureClient } from "../../live/pictures.ts";
import { type LiveReport, VIEWERS, type Viewers } from "../../desktop/viewers.ts";
import { type Seated, watchSeat } from "../../live/seat.ts";
import { type Guest, Viewer } from "./viewer.ts";

/** A viewer with a slot of its own. */
interface Seat {
  viewer: Viewer;
  /** The viewer's connection since it was let in. */
  link: Link;
  /** A number that changes whenever the viewer has to begin with nothing seen. */
  number: number;
  /** Frees the seat. */
  leave: () => void;
}

/** Sends viewers the live picture. */
export class LiveView implements PictureClient {
  /** Viewers by slot. */
  readonly #seats: (Seat | undefined)[] = Array.from({ length: VIEWERS }, () => undefined);
  readonly #pictures: LivePictures;
  /** The place of the last pictures. */
  #place: Region | undefined;
  /** The state of traces. */
  #trace = "off";

  /** @param runner Runs the actions that viewers and other callers ask for. */
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

  /** The present number of viewers, including those whose socket is still opening, and those of VNC. */
  get count(): number {
    return this.viewers.length;
  }

  /**
   * Checks that there is room for another viewer. The last seat is for viewers with every right.
   * @param guest The viewer's link; left out if the viewer has every right.
   * @throws BusyError if too many look.
   */
  checkRoom(guest?: Guest): void {
    this.#pictures.seats.checkRoom(guest !== undefined);
  }

  /** The viewers now: guests by the name of their link; viewers with every right have the rights `all` and no name. */
  get viewers(): Seated[] {
    return this.#pictures.seats.all;
  }

  /** Ends the connections of viewers with a link (RFC 6455 section 7.4.1, "policy violation"), and frees their seats. */
  leave(guest: Guest): void {
    for (const seat of this.#seats) {
      if (seat?.viewer.guest !== guest) continue;
      seat.viewer.socket.close(1008, "this link has ended");
      seat.leave();
    }
  }

  /**
   * Makes a viewer of a client's socket, which may still be opening. There must be room.
   * @param guest The viewer's link; left out if the viewer has every right.
   * @param quality The first quality of the viewer's pictures.
   * @param sent A promise that settles when the handshake's response has been sent.
   */
  add(socket: WebSocket, guest?: Guest, quality: Quality = "automatic", sent?: Promise<void>): void {
    // Takes the seat now, so that clients that come before the socket is open count this viewer.
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
        this.#pictures.viewers?.acted(); // a maker that waits for the network looks again
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

  /** Ends every viewer's connection: the program ends (RFC 6455 section 7.4.1, "going away"). */
  close(): void {
    this.#pictures.close();
    for (const seat of this.#seats) seat?.viewer.socket.close(1001, "deskhand is stopping");
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

  /** Adds a viewer, which has seen nothing yet. */
  #enter(slot: number, seat: Seat, viewers = this.#pictures.viewers): void {
    seat.number = this.#pictures.seats.number();
    seat.link.startOver();
    this.#allow(slot, seat, viewers);
    viewers?.enter(slot, seat.number);
  }

  /** Asks a viewer for an answer if its connection has to be measured. */
  #ask({ viewer, link }: Seat): void {
    if (!link.wantsAnswer(performance.now())) return;
    link.asked(performance.now());
    viewer.ask();
  }

  #allow(slot: number, { link }: Seat, viewers = this.#pictures.viewers): void {
    viewers?.allow(slot, link.allowance(performance.now()));
  }
}
