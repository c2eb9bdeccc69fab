/** One viewer: the tiles it has not seen, and what it holds down. */

import { InputError } from "../../core/errors.ts";
import type { Point } from "../desktop.ts";
import { type Held, heldName } from "../held.ts";
import { canonicalKey } from "../keys.ts";
import type { Operator } from "../operator.ts";
import { encodeTiles, parseViewerMessage, type ViewerInput } from "./protocol.ts";
import type { TiledScreen } from "./tiles.ts";

/** Inputs that may wait; a viewer that sends faster is ended. */
const WAITING = 1000;
/** Bytes that may wait to be sent when it is told of what went wrong; who does not read is not told more. */
const UNREAD = 1024 * 1024;

/** See the module's comment. At most one picture is under way to it. */
export class Viewer {
  #screen: TiledScreen | undefined;
  #unseen = new Set<number>();
  #underWay = false;
  readonly #leaving = new AbortController();
  /** What it holds down, by {@linkcode heldName}. */
  readonly #held = new Map<string, Held>();
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;
  /** A move that waits behind something long; the next one takes its place. */
  #waitingMove: Point | undefined;

  /**
   * @param readOnly Whether it may only look.
   * @param active Called when it did something, or can take another picture.
   */
  constructor(
    readonly socket: WebSocket,
    readonly operator: Operator,
    readonly readOnly: boolean,
    readonly active: () => void,
  ) {
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", ({ data }) => this.#receive(data));
  }

  /** Whether it can take a picture. */
  get ready(): boolean {
    return !this.#underWay && this.socket.readyState === WebSocket.OPEN;
  }

  /** Starts over with a screen, of which it has seen nothing. */
  show(screen: TiledScreen): void {
    this.#screen = screen;
    this.#unseen = new Set(Array.from({ length: screen.count }, (_, tile) => tile));
    const { x, y, width, height } = screen.place;
    this.#send(JSON.stringify({ type: "screen", x, y, width, height, readOnly: this.readOnly }));
  }

  /** Tells it of tiles that changed; sends what it has not seen, if it can take it. */
  changed(tiles: readonly number[]): void {
    for (const tile of tiles) this.#unseen.add(tile);
    if (this.#unseen.size && this.ready) this.#sendTiles();
  }

  /** Tells it of something that went wrong. */
  tell(message: string): void {
    if (this.socket.bufferedAmount <= UNREAD) this.#send(JSON.stringify({ type: "error", message }));
  }

  /** Lets go of what it holds. */
  close(): void {
    if (this.#leaving.signal.aborted) return;
    this.#leaving.abort();
    this.#turn = this.#turn.then(() => this.#releaseHeld()).catch(() => {});
  }

  #sendTiles() {
    this.#underWay = true;
    const tiles = [...this.#unseen].sort((a, b) => a - b);
    this.#unseen.clear();
    encodeTiles(this.#screen!, tiles).then((message) => this.#send(message)).catch(() => this.socket.close());
  }

  #send(message: string | Uint8Array<ArrayBuffer>) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(message);
  }

  #receive(data: unknown) {
    try {
      if (typeof data !== "string") throw new InputError("a message must be text");
      const message = parseViewerMessage(data);
      if (message === "ack") {
        this.#underWay = false;
        return this.active();
      }
      if (this.readOnly) throw new InputError("deskhand was started with --read-only");
      if (message.type === "move" && this.#waitingMove) return void Object.assign(this.#waitingMove, message);
      this.#waitingMove = message.type === "move" ? message : undefined;
      if (++this.#waiting > WAITING) return this.socket.close(1008, "too many messages");
      // In the order in which they came, whatever each takes.
      this.#turn = this.#turn.then(() => this.#do(message)).catch((error) => this.tell(error.message))
        .finally(() => {
          this.#waiting--;
          this.active();
        });
    } catch (error) {
      this.tell((error as Error).message);
    }
  }

  async #do(input: ViewerInput): Promise<void> {
    const { operator } = this;
    if (input === this.#waitingMove) this.#waitingMove = undefined;
    switch (input.type) {
      case "move":
        return await operator.move(input);
      case "button":
        return await this.#press(["button", input.button], input.down, input);
      case "wheel":
        return await operator.scroll(input.direction, input.amount, input);
      case "key": {
        const key = canonicalKey(input.key);
        if (key === undefined) {
          throw new InputError(`the key ${JSON.stringify(input.key.slice(0, 40))} is unknown`);
        }
        return await this.#press(["key", key], input.down);
      }
      case "text":
        return await operator.type(input.text, this.#leaving.signal);
      case "release":
        return await this.#releaseHeld();
    }
  }

  async #press(held: Held, down: boolean, point?: Point): Promise<void> {
    const { operator } = this, [kind, name] = held;
    const what = kind === "button" ? { button: name } : { key: name };
    if (down) {
      await operator.press(what, point);
      this.#held.set(heldName(held), held);
    } else if (this.#held.delete(heldName(held))) await operator.letGo([held], point);
    else await operator.release(what, point);
  }

  async #releaseHeld(): Promise<void> {
    const held = [...this.#held.values()];
    this.#held.clear();
    await this.operator.letGo(held);
  }
}
