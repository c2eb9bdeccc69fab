/**
 * The messages of `/api/live`, a WebSocket.
 *
 * To the viewer, as text, JSON:
 *
 * - `{"type":"screen","x","y","width","height","readOnly"}` before the first picture and whenever the screen's size
 * or place changes; `readOnly` says whether only looking is allowed;
 * - `{"type":"viewers","count"}`, the number of viewers, itself included, whenever it changes; a viewer that is alone
 * from the start gets no such message;
 * - `{"type":"trace","state"}` when a trace begins, pauses or ends, and to a viewer that comes during a trace;
 * - `{"type":"ping"}`, which it answers at once;
 * - `{"type":"error","message"}` when an input of the viewer was refused.
 *
 * To the viewer, binary, a picture, as message.ts has it. Up to three are sent before the first of them must be
 * acknowledged, over a slow network as many as pass in the time of one answer. A viewer acknowledges each picture
 * when it shows it.
 *
 * From the viewer, as text, JSON:
 *
 * - `{"type":"ack","held"}` for a picture that is shown; `held` says for how many milliseconds the viewer had it by
 * then;
 * - `{"type":"pong"}`, the answer to a ping;
 * - `{"type":"quality","quality"}`, one of {@linkcode QUALITIES}; the address may have the first one as `?quality=`;
 * - or one of {@linkcode ViewerInput}.
 */

import { InputError } from "../../../core/errors.ts";
import { describeValue } from "../../../core/printable.ts";
import { BUTTON, DOWN, KEY, X, Y } from "../../schema/fields.ts";
import { ACTIONS } from "../../actions/mod.ts";
import {
  choice,
  type Fields,
  milliseconds,
  optional,
  parseFields,
  type Values,
} from "../../schema/schema.ts";
import type { Allowance } from "../../desktop/viewers.ts";

// Estimates from the arrival of pictures how fast a viewer's connection is, and how much may be sent. Pure.
// The model is a pipe with a rate and a delay: a picture begins to pass when the picture before it has
// passed, and arrives after its time of passing and the delay.

/** Qualities that a viewer chooses from. */
const QUALITIES = ["automatic", "sharp", "balanced", "slow"] as const;
/** One of {@linkcode QUALITIES}. */
export type Quality = typeof QUALITIES[number];

/** The rate of a connection of which nothing is known yet, in bytes a millisecond: 1 Mbit/s. */
const FIRST_RATE = 125;
/** The delay of a new connection there and back, in milliseconds. */
const FIRST_DELAY_MS = 100;
/** The least rate that is reckoned with, in bytes a millisecond. */
const LEAST_RATE = 4;
/** The time that a picture may take to pass, in milliseconds: fourteen a second. */
const PICTURE_MS = 70;
/**
 * The time beyond the delay for which pictures may be under way, in milliseconds: the pipe is not empty on busy
 * machines either.
 */
const SLACK_MS = 150;
/**
 * The lateness of a picture that a busy machine may cause, in milliseconds; only larger lateness counts against the
 * network.
 */
const NOISE_MS = 20;
/**
 * The limits in bytes of one picture, and of all pictures under way, while the speed of a connection is not known yet.
 */
const TRIED = { picture: 65_536, underWay: 131_072 } as const;
/** The smallest picture from which the rate is measured, in bytes. */
const TELLING = 2500;
/** The weight of earlier measurements when a picture gives a new measurement of the rate. */
const KEPT = 0.75;
/**
 * The time over which the smallest delay counts, in milliseconds. At its end deskhand sends less than passes and asks
 * the viewer for an answer, so that the connection is empty.
 */
const DELAY_WINDOW_MS = 6000, EMPTIED_MS = 600;
/** A connection is slow below the first of these rates, in bytes a millisecond, and no longer above the second. */
const SLOW_RATE = 1000, FAST_RATE = 2000;
/**
 * Bounds of a slow connection: the pictures in turn that wait for those before them to pass, and their wait, in
 * milliseconds.
 */
const LATE = { pictures: 3, ms: 120 } as const;

/** One connection. */
export class Link {
  readonly #underWay: { bytes: number; at: number }[] = [];
  /** Bytes that passed and the time that they took; older values count less. */
  #passed = { bytes: 0, ms: 0 };
  #arrivedAt = -Infinity;
  /** The time of the request that the viewer has not answered yet. */
  #askedAt: number | undefined;
  /** The least delays of this window and of the one before, and the time at which this window began. */
  #delays: { now: number; before: number; since: number } | undefined;
  /** Pictures in turn that waited long. */
  #late = 0;
  /** Whether the connection is slow; undefined while that is not known. */
  #isSlow: boolean | undefined;

  /** @param quality The viewer's choice. */
  constructor(public quality: Quality) {}

  /** Forgets the pictures under way: the viewer begins with nothing seen. */
  startOver(): void {
    this.#underWay.length = 0;
  }

  /** Whether the viewer is to be asked for an answer: at first, and each time that the pipe is empty. */
  wantsAnswer(now: number): boolean {
    if (this.#askedAt !== undefined) return false;
    return !this.#delays || now - this.#delays.since > DELAY_WINDOW_MS - EMPTIED_MS / 2;
  }

  /** Notes that the viewer is asked for an answer. */
  asked(now: number): void {
    this.#askedAt = now;
  }

  /** Notes that the viewer answered. */
  answered(now: number): void {
    if (this.#askedAt !== undefined) this.#noteDelay(now - this.#askedAt, now);
    this.#askedAt = undefined;
  }

  /** Notes that a picture is sent. @param now In milliseconds, as all times. */
  sent(bytes: number, now: number): void {
    this.#underWay.push({ bytes, at: now });
  }

  /**
   * Notes that the oldest picture under way arrived.
   * @param held The time from the arrival to the acknowledgement at the viewer, in milliseconds.
   */
  acknowledged(held: number, now: number): void {
    const picture = this.#underWay.shift();
    if (!picture) return;
    const { bytes, at } = picture, arrived = Math.max(at, this.#arrivedAt, now - held);
    const delay = arrived - at, spacing = arrived - this.#arrivedAt;
    this.#arrivedAt = arrived;
    const isFirst = !this.#delays;
    this.#noteDelay(delay, arrived);
    const waiting = delay - this.#delay, isNoisy = waiting > 3 * NOISE_MS;
    const passing = Math.min(isNoisy ? waiting - NOISE_MS : waiting, spacing);
    this.#late = waiting - passing > LATE.ms ? this.#late + 1 : 0;
    if (bytes < TELLING || isFirst) return;
    const { bytes: before, ms } = this.#passed;
    this.#passed = { bytes: before * KEPT + bytes, ms: ms * KEPT + Math.max(0.2, passing) };
    if (this.#isSlow === undefined) this.#isSlow = this.rate < SLOW_RATE;
    else if (this.#late >= LATE.pictures && this.rate < FAST_RATE) this.#isSlow = true;
    else if (this.rate > FAST_RATE) this.#isSlow = false;
  }

  /** Bytes that pass in a millisecond. */
  get rate(): number {
    const { bytes, ms } = this.#passed;
    return ms ? Math.max(LEAST_RATE, bytes / ms) : FIRST_RATE;
  }

  /** The bytes that may be sent now. @param now In milliseconds. */
  allowance(now: number): Allowance {
    const { quality, rate } = this;
    if (quality === "sharp" || quality === "balanced") return { making: quality, picture: 0, underWay: 0 };
    if (quality === "automatic") {
      if (this.#isSlow === undefined) return { making: "within", ...TRIED };
      if (!this.#isSlow) return { making: "balanced", picture: 0, underWay: 0 };
    }
    const isEmptied = this.#delays !== undefined &&
      now - this.#delays.since > DELAY_WINDOW_MS - EMPTIED_MS;
    const ms = isEmptied ? this.#delay / 2 : this.#delay + SLACK_MS;
    return {
      making: "within",
      picture: Math.max(TELLING, Math.round(rate * PICTURE_MS)),
      underWay: Math.round(rate * ms),
    };
  }

  get #delay(): number {
    return this.#delays ? Math.min(this.#delays.now, this.#delays.before) : FIRST_DELAY_MS;
  }

  #noteDelay(delay: number, now: number): void {
    const delays = this.#delays ??= { now: delay, before: Infinity, since: now };
    if (now - delays.since > DELAY_WINDOW_MS) this.#delays = { now: delay, before: delays.now, since: now };
    else delays.now = Math.min(delays.now, delay);
  }
}

/** The longest message of a viewer, in UTF-16 code units: a pasted text is the longest there is. */
const MESSAGE_LIMIT = 1024 * 1024;

const { element: _, ...SCROLL } = ACTIONS.scroll.input;

/**
 * A viewer's actions with their fields: the usual actions, except that buttons and keys are pressed and released one by
 * one.
 */
const INPUTS = {
  move: { x: X, y: Y },
  button: { button: BUTTON, down: DOWN, x: X, y: Y },
  scroll: SCROLL,
  key: { key: KEY, down: DOWN },
  text: ACTIONS.type.input,
  release: {},
} satisfies Record<string, Fields>;

/** The quality of pictures. */
export const QUALITY = choice(
  QUALITIES,
  "The quality of the pictures; sharp: lossless, videos too; balanced: videos as JPEG; slow: suited to a slow network; automatic: slow if the network is",
);

/** Messages of a viewer that are no input, with their fields. */
const SHOWN = {
  ack: { held: optional(milliseconds("Time from the arrival of the picture until it was shown")) },
  pong: {},
  quality: { quality: QUALITY },
} satisfies Record<string, Fields>;

type Kind = keyof typeof INPUTS;
type ShownKind = keyof typeof SHOWN;
export type ViewerInput = { [K in Kind]: { type: K } & Values<typeof INPUTS[K]> }[Kind];
/** A message of a viewer that is no input. */
type ViewerShown = { [K in ShownKind]: { type: K } & Values<typeof SHOWN[K]> }[ShownKind];

/**
 * Reads a viewer's message.
 * @throws InputError naming what is wrong.
 */
export function parseViewerMessage(data: string): ViewerShown | ViewerInput {
  if (data.length > MESSAGE_LIMIT) {
    throw new InputError(`a message, such as pasted text, may have at most ${MESSAGE_LIMIT} characters`);
  }
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(data);
  } catch {
    throw new InputError("a message must be JSON");
  }
  const { type, ...fields } = value ?? {};
  const all: Record<string, Fields> = { ...INPUTS, ...SHOWN };
  if (typeof type !== "string" || !Object.hasOwn(all, type)) {
    throw new InputError(`type must be one of ${Object.keys(all).join(", ")}, not ${describeValue(type)}`);
  }
  return { type, ...parseFields(all[type], fields) } as ViewerShown | ViewerInput;
}
