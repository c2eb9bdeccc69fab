/**
 * The flow of pictures to one viewer. A viewer that asks for each update has one picture made ahead, so that its next
 * request is answered at once; a viewer with continuous updates answers a fence behind each picture. Pure.
 */

/** The pictures that may be under way to a viewer with continuous updates, and to one that asks for each. */
const CONTINUOUS = 3, ASKED = 1;

/** The effects of a flow. */
interface FlowEffects<Picture> {
  send(picture: Picture): void;
  /** Lets another picture be made. */
  acknowledge(): void;
  /** Sends a fence behind a picture. @returns false if the viewer knows no fences. */
  fence(): boolean;
}

/** The state of one viewer. */
export class Flow<Picture> {
  #isContinuous = false;
  #isAsked = false;
  #ahead: Picture | undefined;
  #fences = 0;

  constructor(readonly effects: FlowEffects<Picture>) {}

  /** Whether the viewer waits for an update, or gets them without asking. */
  get isWanted(): boolean {
    return this.#isContinuous || this.#isAsked;
  }

  /** Whether the viewer gets updates without asking. */
  get isContinuous(): boolean {
    return this.#isContinuous;
  }

  set isContinuous(value: boolean) {
    this.#isContinuous = value;
  }

  /** The viewer begins with nothing seen. @returns The number of pictures that may be under way. */
  startOver(): number {
    this.#ahead = undefined;
    this.#fences = 0;
    return this.#isContinuous ? CONTINUOUS : ASKED;
  }

  /** The viewer asks for an update. */
  asked(): void {
    if (this.#isContinuous) return;
    const ahead = this.#ahead;
    this.#ahead = undefined;
    this.#isAsked = true;
    if (ahead !== undefined) this.#send(ahead);
  }

  /** An update that is no picture answers the viewer's request. */
  answered(): void {
    this.#isAsked = false;
  }

  /** A picture was made. */
  made(picture: Picture): void {
    if (this.isWanted) this.#send(picture);
    else this.#ahead = picture;
  }

  /** The viewer has answered a fence of a picture that was sent since {@linkcode startOver}. */
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
