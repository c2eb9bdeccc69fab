/** The interface of all kinds of sessions. */

import type { Bench } from "../field.ts";
import type { Hand } from "../hand.ts";
import type { Row } from "../rows.ts";
import type { Session } from "../session.ts";

/** The size of screens, in pixels; all kinds of sessions can make one of it. */
export const SCREEN = { width: 1280, height: 720 } as const;
/** A size that a screen is changed to. */
export const SMALLER = { width: 1024, height: 600 } as const;

/** A kind of session: its start, and the witnesses of what happens there. */
export interface Kind {
  /** Starts the session, with all that belongs to it, and waits until programs can be started. */
  start(session: Session, row: Row): Promise<void>;
  /** The title of the window that has the keyboard; empty if none has. */
  activeTitle(session: Session, hand: Hand): Promise<string>;
  /** The place of the pointer; left out where only deskhand can tell. */
  pointer?(session: Session): Promise<{ x: number; y: number }>;
  /** Moves the pointer by another program than deskhand; left out where there is none. */
  move?(session: Session, place: { x: number; y: number }): Promise<unknown>;
  /** Presses keys by another program than deskhand, named as xdotool(1) names them; left out where there is none. */
  press?(session: Session, keys: string): Promise<unknown>;
  /** Changes the screen to {@linkcode SMALLER}; left out where a session without a screen cannot. */
  resize?(session: Session, row: Row): Promise<unknown>;
  /** A person at the desktop. */
  person: Person;
  /** The process whose end is the session's: the compositor or the X server, by its command's name. */
  server(row: Row): string;
}

/** Aids of a keyboard for people who cannot use all keys (AccessX). */
export const AIDS = ["slow", "bounce", "sticky"] as const;
/** One of them. */
export type Aid = typeof AIDS[number];

/** A person who uses the desktop beside deskhand. */
interface Person {
  /** Presses or releases a key with a keyboard that is not deskhand's. */
  press(bench: Bench, key: "a" | "y" | "shift", down: boolean): Promise<unknown>;
  /** Gives the person's keyboard a layout; left out where each keyboard has a layout of its own. */
  layout?(bench: Bench, name: "us" | "de"): Promise<unknown>;
  /** Switches one aid on, and all others off; left out where there are none. */
  aid?(bench: Bench, aid: Aid | undefined): Promise<unknown>;
  /** Goes to another workspace. */
  leave(bench: Bench): Promise<unknown>;
}

/** Presses a key of a person by another deskhand, which has a session of its own. */
export async function pressByDeskhand({ another }: Bench, key: string, down: boolean): Promise<void> {
  await (await another()).post(down ? "/api/press" : "/api/release", { key });
}

/** The title of the active window, as deskhand lists it. */
export async function listedActiveTitle(_session: Session, hand: Hand): Promise<string> {
  const { windows } = await hand.get("/api/windows?active=true");
  return windows[0]?.title ?? "";
}
