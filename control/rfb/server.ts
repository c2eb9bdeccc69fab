/**
 * The VNC server: any viewer of the Remote Framebuffer protocol (RFC 6143) sees the live picture and acts,
 * like the page. Pictures are made once for all viewers that accept the same form
 * (control/live/rfb_encoder.ts).
 */

import type { Server, Socket } from "node:net";
import { leaveRemovedFolder, nodeModule } from "../../core/path.ts";
import { ByteStream, StreamEnded } from "../../rfb/stream.ts";
import type { ActionRunner } from "../actions/runner.ts";
import type { LiveReport, Viewers } from "../desktop/viewers.ts";
import type { LivePictures, PictureClient } from "../live/pictures.ts";
import { admit, type Door, type Entrant, Refused } from "./handshake.ts";
import { RfbViewer } from "./viewer.ts";

/** Maximum number of connections in their handshake, and its maximum duration in milliseconds. */
const HANDSHAKES = 32, HANDSHAKE_MS = 10_000;
/** Delay between the failure of a listener and its replacement, in milliseconds. */
const REOPEN_MS = 1000;

/** A finished connection, for the log. */
export interface RfbConnection {
  peer: string;
  /** The viewer's name, or its link's; empty if it has none. */
  name: string;
  /** How it was admitted; undefined if it was not. */
  way?: string;
  /** Why it ended. */
  end: string;
  pictures: number;
  /** Duration, in milliseconds. */
  ms: number;
}

interface RfbServerOptions {
  door: Door;
  /** Receives each finished connection. */
  ended(connection: RfbConnection): void;
  /** Receives errors that are bugs. */
  report(error: unknown): void;
}

/** Serves viewers. */
export class RfbServer implements PictureClient {
  readonly #servers: Server[] = [];
  readonly #viewers = new Map<number, RfbViewer>();
  readonly #streams = new Set<ByteStream>();
  readonly #started = Promise.withResolvers<void>();
  #runner: ActionRunner | undefined;
  #handshakes = 0;
  #isClosed = false;

  constructor(readonly options: RfbServerOptions) {}

  /**
   * Opens a port. Viewers wait until {@linkcode start}.
   * @param port 0 for any free one.
   * @returns The port actually bound.
   * @throws Error with the system's code if it cannot be bound.
   */
  async listen(host: string, port: number): Promise<number> {
    const server = nodeModule("node:net").createServer((socket) => this.#accept(socket));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once("error", reject);
    server.listen(port, host, resolve);
    await promise;
    const { port: bound } = server.address() as { port: number };
    server.off("error", reject);
    // A failure to accept, for example without free file descriptors, must not end the server.
    server.on(
      "error",
      () => setTimeout(() => this.#isClosed || server.listening || server.listen(bound, host), REOPEN_MS),
    );
    this.#servers.push(server);
    return bound;
  }

  /** Starts serving viewers. @param runner Runs their actions. */
  start(runner: ActionRunner): void {
    this.#runner = runner;
    runner.pictures.add(this);
    this.#started.resolve();
  }

  /** Ends every connection, and accepts no new ones. */
  close(): void {
    this.#isClosed = true;
    for (const server of this.#servers) server.close();
    for (const viewer of this.#viewers.values()) viewer.close();
    for (const stream of this.#streams) stream.end();
  }

  isLooking(): boolean {
    return this.#viewers.size > 0;
  }

  begin(viewers: Viewers): void {
    for (const viewer of this.#viewers.values()) viewer.enter(viewers);
  }

  receive(report: LiveReport): void {
    if (report.type === "screen") {
      for (const viewer of this.#viewers.values()) viewer.resized(report.place);
    }
    if (report.type !== "picture") return;
    for (const [slot, number] of report.to) {
      const viewer = this.#viewers.get(slot);
      if (viewer?.number === number) viewer.receive(report.message);
    }
  }

  /** A viewer keeps the last picture while there is none: RFB has no message for it. */
  failed(): void {}

  ended(): void {}

  get #pictures(): LivePictures {
    return this.#runner!.pictures;
  }

  #accept(socket: Socket): void {
    leaveRemovedFolder();
    const stream = new ByteStream(socket);
    if (this.#isClosed || this.#handshakes >= HANDSHAKES) return stream.destroy();
    this.#handshakes++;
    this.#streams.add(stream);
    const { peer } = stream, began = performance.now();
    const done = { peer, name: "", end: "", pictures: 0, ms: 0 };
    this.#serve(stream, done).catch((error: Error) => {
      const isExpected = error instanceof StreamEnded || error instanceof Refused ||
        error instanceof RangeError;
      done.end = isExpected ? error.message : `an error: ${error.message}`;
      if (!isExpected) this.options.report(error);
    }).finally(() => {
      this.#streams.delete(stream);
      stream.end();
      this.options.ended({ ...done, ms: performance.now() - began });
    });
  }

  async #serve(stream: ByteStream, done: RfbConnection): Promise<void> {
    const entrant = await this.#admit(stream);
    const { guest, user, way } = entrant;
    Object.assign(done, { name: guest?.name ?? user, way });
    if (guest?.signal.aborted) throw new Refused("its link has expired or was revoked");
    const viewer = this.#seat(stream, entrant);
    const leave = () => viewer.close();
    guest?.signal.addEventListener("abort", leave);
    try {
      await viewer.run(`deskhand on ${Deno.hostname()}`);
    } finally {
      guest?.signal.removeEventListener("abort", leave);
      viewer.close();
      this.#viewers.delete(viewer.slot);
      done.pictures = viewer.pictures;
      this.#pictures.seats.announce();
      this.#pictures.endLater();
    }
  }

  /** Admits a viewer once the desktop is open; the handshake has a time limit. */
  async #admit(stream: ByteStream): Promise<Entrant> {
    try {
      stream.expire(HANDSHAKE_MS, "its handshake took too long");
      await Promise.race([this.#started.promise, stream.ended]);
      const entrant = await admit(
        stream,
        this.options.door,
        (isGuest) => this.#pictures.seats.checkRoom(isGuest),
      );
      stream.expire();
      return entrant;
    } finally {
      this.#handshakes--;
    }
  }

  /** @throws Refused if there are too many viewers. */
  #seat(stream: ByteStream, entrant: Entrant): RfbViewer {
    const { seats } = this.#pictures;
    try {
      seats.checkRoom(entrant.guest !== undefined);
    } catch (error) {
      throw new Refused((error as Error).message);
    }
    const viewer = new RfbViewer(stream, this.#runner!, entrant);
    this.#viewers.set(viewer.slot, viewer);
    seats.announce();
    return viewer;
  }
}
