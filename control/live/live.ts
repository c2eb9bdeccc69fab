/** The live picture: viewers' sockets on this thread, and pictures made on another one while there are viewers. */

import { BusyError } from "../../core/errors.ts";
import type { ActionRunner } from "../actions/runner.ts";
import type { Region } from "../desktop.ts";
import { VIEWERS, Viewers, viewersMemory } from "./viewers.ts";
import type { LiveReport } from "./report.ts";
import { Viewer } from "./viewer.ts";

/** How long pictures are made without viewers, in milliseconds: to start again takes 50 to 100. */
const IDLE_MS = 5000;
/** From a failure to the next try, in milliseconds. */
const RETRY_MS = 500;

/** A viewer with a slot of its own. */
interface Seat {
  viewer: Viewer;
  /** Changes whenever it has to begin with nothing seen. */
  number: number;
}

/** Sends viewers the live picture. */
export class LiveView {
  /** By slot. */
  readonly #seats: (Seat | undefined)[] = Array.from({ length: VIEWERS }, () => undefined);
  /** While pictures are made. */
  #viewers: Viewers | undefined;
  /** The place of the last pictures. */
  #place: Region | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #numbers = 0;
  #isClosed = false;

  /** @param runner Runs what viewers and others ask for. */
  constructor(readonly runner: ActionRunner) {
    runner.acted = () => this.#viewers?.acted();
  }

  /** How many viewers look now, those included whose socket is still opening. */
  get count(): number {
    return this.#seats.filter((seat) => seat !== undefined).length;
  }

  /**
   * Checks that there is room for another viewer.
   * @throws BusyError if too many look.
   */
  checkRoom(): void {
    if (!this.#seats.includes(undefined)) throw new BusyError(`${VIEWERS} viewers are looking already`);
  }

  /** Makes a viewer of a client's socket, which may still be opening. There must be room. */
  add(socket: WebSocket): void {
    const slot = this.#seats.indexOf(undefined);
    const viewer = new Viewer(socket, this.runner, (what) => {
      if (what === "ack") this.#viewers?.acknowledge(slot);
      else this.#viewers?.acted();
    });
    const seat = this.#seats[slot] = { viewer, number: 0 }; // now, so that clients that come before it is open count it
    socket.addEventListener("open", () => {
      if (this.#place) viewer.show(this.#place);
      if (this.count > 1) this.#sendCount();
      this.#enter(slot, seat);
      this.#start();
    });
    const leave = () => {
      if (this.#seats[slot] !== seat) return;
      this.#seats[slot] = undefined;
      viewer.close();
      this.#viewers?.leave(slot);
      if (this.count) this.#sendCount();
      else this.#endLater();
    };
    socket.addEventListener("close", leave);
    socket.addEventListener("error", leave);
  }

  /** Ends every viewer's connection: the program ends (RFC 6455 section 7.4.1, "going away"). */
  close(): void {
    this.#isClosed = true;
    for (const seat of this.#seats) seat?.viewer.socket.close(1001, "deskhand is stopping");
    this.#end();
  }

  #sendCount(): void {
    for (const seat of this.#seats) seat?.viewer.sendCount(this.count);
  }

  /** Lets a viewer in, with nothing seen. */
  #enter(slot: number, seat: Seat): void {
    seat.number = ++this.#numbers;
    this.#viewers?.enter(slot, seat.number);
  }

  #start(): void {
    clearTimeout(this.#timer);
    if (this.#viewers || this.#isClosed) return;
    const viewers = this.#viewers = new Viewers(viewersMemory());
    this.#seats.forEach((seat, slot) => seat?.number && this.#enter(slot, seat));
    const { live } = this.runner.operator.desktop;
    live.start(viewers.memory, (report) => {
      if (viewers === this.#viewers) this.#receive(report);
    }).done.then(() => this.#ended(viewers), (error) => this.#ended(viewers, error));
  }

  #receive(report: LiveReport): void {
    if (report.type === "screen") {
      this.#place = report.place;
      for (const seat of this.#seats) seat?.viewer.show(report.place);
      return;
    }
    for (const [slot, number] of report.to) {
      const seat = this.#seats[slot];
      if (seat?.number === number) seat.viewer.sendPicture(report.message);
    }
  }

  /** Starts anew while there are viewers. */
  #ended(viewers: Viewers, error?: Error): void {
    if (viewers !== this.#viewers) return;
    this.#end();
    if (!this.count || this.#isClosed) return;
    if (!error) return this.#start();
    for (const seat of this.#seats) seat?.viewer.sendError(error.message);
    this.#timer = setTimeout(() => this.#start(), RETRY_MS);
  }

  #endLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#end();
      this.#place = undefined;
    }, IDLE_MS);
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#viewers?.stop();
    this.#viewers = undefined;
  }
}
