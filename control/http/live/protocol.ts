/**
 * Messages of `/api/live`, a WebSocket.
 *
 * To the viewer, as text, JSON:
 *
 * - `{"type":"screen","x","y","width","height","readOnly"}` before the first picture and whenever the
 *   screen's size or position changes; `readOnly` means that the viewer may only look;
 * - `{"type":"viewers","count"}`, the number of viewers including this one, whenever it changes; not sent to
 *   a viewer that is alone from the start;
 * - `{"type":"trace","state"}` when a trace starts, pauses or ends, and to a viewer that joins during a
 *   trace;
 * - `{"type":"ping"}`, which the viewer answers immediately;
 * - `{"type":"error","message"}` when one of the viewer's inputs was rejected.
 *
 * To the viewer, binary: a picture, as in message.ts. Up to three are sent before the first must be
 * acknowledged; over a slow network, as many as pass in one round trip. A viewer acknowledges each picture
 * when it displays it.
 *
 * From the viewer, as text, JSON:
 *
 * - `{"type":"ack","held"}` for a displayed picture; `held` is the time from its arrival until it was
 *   displayed, in milliseconds;
 * - `{"type":"pong"}`, the answer to a ping;
 * - `{"type":"quality","quality"}`, one of {@linkcode QUALITIES}; the address may set the initial one as
 *   `?quality=`;
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

// Estimates the speed of a viewer's connection from the arrival of pictures, and how much may be sent. Pure.
// The model is a pipe with a rate and a delay: a picture starts to pass when the one before it has passed,
// and arrives after its transmission time plus the delay.

/** Qualities to choose from. */
const QUALITIES = ["automatic", "sharp", "balanced", "slow"] as const;
/** One of {@linkcode QUALITIES}. */
export type Quality = typeof QUALITIES[number];

/** Assumed rate of a new connection, in bytes per millisecond: 1 Mbit/s. */
const FIRST_RATE = 125;
/** Assumed round-trip delay of a new connection, in milliseconds. */
const FIRST_DELAY_MS = 100;
/** Minimum rate assumed, in bytes per millisecond. */
const LEAST_RATE = 4;
/** Target transmission time of a picture, in milliseconds: fourteen per second. */
const PICTURE_MS = 70;
/**
 * How long beyond the delay pictures may be in flight, in milliseconds, so that the pipe never runs empty,
 * even on busy machines.
 */
const SLACK_MS = 150;
/**
 * Lateness that a busy machine may cause, in milliseconds; only greater lateness is attributed to the
 * network.
 */
const NOISE_MS = 20;
/**
 * Limits in bytes of one picture, and of all pictures in flight, until the connection's speed is known.
 */
const TRIED = { picture: 65_536, underWay: 131_072 } as const;
/** Minimum size of a picture used to measure the rate, in bytes. */
const TELLING = 2500;
/** Weight of earlier measurements against a new one. */
const KEPT = 0.75;
/**
 * Time window for the smallest delay, in milliseconds. Near its end, deskhand sends less than the pipe can
 * pass and pings the viewer, so that the pipe is empty.
 */
const DELAY_WINDOW_MS = 6000, EMPTIED_MS = 600;
/**
 * A connection becomes slow below the first rate and is no longer slow above the second, in bytes per
 * millisecond.
 */
const SLOW_RATE = 1000, FAST_RATE = 2000;
/**
 * When a connection counts as slow: after this many consecutive pictures each waited this long for earlier
 * ones, in milliseconds.
 */
const LATE = { pictures: 3, ms: 120 } as const;

/** One connection. */
export class Link {
  readonly #underWay: { bytes: number; at: number }[] = [];
  /** Bytes that passed and how long they took; older values weigh less. */
  #passed = { bytes: 0, ms: 0 };
  #arrivedAt = -Infinity;
  /** When the unanswered ping was sent. */
  #askedAt: number | undefined;
  /** Smallest delays of this time window and of the previous one, and when this one started. */
  #delays: { now: number; before: number; since: number } | undefined;
  /** Number of consecutive pictures that waited long. */
  #late = 0;
  /** Whether the connection is slow; undefined until known. */
  #isSlow: boolean | undefined;

  /** @param quality The viewer's choice. */
  constructor(public quality: Quality) {}

  /** Forgets the pictures in flight: the viewer starts over with nothing seen. */
  startOver(): void {
    this.#underWay.length = 0;
  }

  /** Whether to ping the viewer: at first, and each time that the pipe is empty. */
  wantsAnswer(now: number): boolean {
    if (this.#askedAt !== undefined) return false;
    return !this.#delays || now - this.#delays.since > DELAY_WINDOW_MS - EMPTIED_MS / 2;
  }

  /** Records a ping. */
  asked(now: number): void {
    this.#askedAt = now;
  }

  /** Records the answer to a ping. */
  answered(now: number): void {
    if (this.#askedAt !== undefined) this.#noteDelay(now - this.#askedAt, now);
    this.#askedAt = undefined;
  }

  /** Records that a picture is sent. @param now In milliseconds, like all times here. */
  sent(bytes: number, now: number): void {
    this.#underWay.push({ bytes, at: now });
  }

  /**
   * Records that the oldest picture in flight arrived.
   * @param held Time from its arrival to the viewer's acknowledgement, in milliseconds.
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

  /** Bytes that pass per millisecond. */
  get rate(): number {
    const { bytes, ms } = this.#passed;
    return ms ? Math.max(LEAST_RATE, bytes / ms) : FIRST_RATE;
  }

  /** How much may be sent now. @param now In milliseconds. */
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

/** Maximum length of a viewer's message, in UTF-16 code units: pasted texts are the longest. */
const MESSAGE_LIMIT = 1024 * 1024;

const { element: _, ...SCROLL } = ACTIONS.scroll.input;

/**
 * A viewer's actions with their fields: the usual actions, except that buttons and keys are pressed and
 * released individually.
 */
const INPUTS = {
  move: { x: X, y: Y },
  button: { button: BUTTON, down: DOWN, x: X, y: Y },
  scroll: SCROLL,
  key: { key: KEY, down: DOWN },
  text: ACTIONS.type.input,
  release: {},
} satisfies Record<string, Fields>;

/** Picture quality. */
export const QUALITY = choice(
  QUALITIES,
  "The quality of the pictures; sharp: lossless, videos too; balanced: videos as JPEG; slow: suited to a slow network; automatic: slow if the network is",
);

/** Viewer messages other than input, with their fields. */
const SHOWN = {
  ack: { held: optional(milliseconds("Time from the arrival of the picture until it was shown")) },
  pong: {},
  quality: { quality: QUALITY },
} satisfies Record<string, Fields>;

type Kind = keyof typeof INPUTS;
type ShownKind = keyof typeof SHOWN;
export type ViewerInput = { [K in Kind]: { type: K } & Values<typeof INPUTS[K]> }[Kind];
/** A message other than input. */
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
