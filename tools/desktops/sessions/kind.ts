/** The interface of all session kinds. */

import type { Bench } from "../field.ts";
import type { Hand } from "../hand.ts";
import type { Row } from "../rows.ts";
import type { Session } from "../session.ts";

/** The size of screens, in pixels; all session kinds support it. */
export const SCREEN = { width: 1280, height: 720 } as const;
/** The size to which a screen is changed. */
export const SMALLER = { width: 1024, height: 600 } as const;

/** A kind of session: its start, and the witnesses of what happens in it. */
export interface Kind {
  /** Starts the session, with everything that belongs to it, and waits until programs can be started. */
  start(session: Session, row: Row): Promise<void>;
  /** The title of the focused window; empty if there is none. */
  activeTitle(session: Session, hand: Hand): Promise<string>;
  /** The pointer position; omitted if only deskhand can report it. */
  pointer?(session: Session): Promise<{ x: number; y: number }>;
  /** Moves the pointer with a program other than deskhand; omitted if there is none. */
  move?(session: Session, place: { x: number; y: number }): Promise<unknown>;
  /** Presses keys, named as in xdotool(1), with a program other than deskhand; omitted if there is none. */
  press?(session: Session, keys: string): Promise<unknown>;
  /** Resizes the screen to {@linkcode SMALLER}; omitted if a headless session cannot. */
  resize?(session: Session, row: Row): Promise<unknown>;
  /** A user at the desktop. */
  person: Person;
  /** The process with which the session ends: the compositor or the X server, by its command name. */
  server(row: Row): string;
}

/** Keyboard aids for people who cannot use all keys (AccessX). */
export const AIDS = ["slow", "bounce", "sticky"] as const;
/** One of {@linkcode AIDS}. */
export type Aid = typeof AIDS[number];

/** A user who works on the desktop at the same time as deskhand. */
interface Person {
  /** Presses or releases a key on a keyboard that is not deskhand's. */
  press(bench: Bench, key: "a" | "y" | "shift", down: boolean): Promise<unknown>;
  /** Sets the layout of the user's keyboard; omitted if each keyboard has its own layout. */
  layout?(bench: Bench, name: "us" | "de"): Promise<unknown>;
  /** Switches one aid on, and all others off; omitted if there are none. */
  aid?(bench: Bench, aid: Aid | undefined): Promise<unknown>;
  /** Switches to another workspace. */
  leave(bench: Bench): Promise<unknown>;
}

/** Presses a key for the user with another deskhand, which has its own session. */
export async function pressByDeskhand({ another }: Bench, key: string, down: boolean): Promise<void> {
  await (await another()).post(down ? "/api/press" : "/api/release", { key });
}

/** The active window's title, as listed by deskhand. */
export async function listedActiveTitle(_session: Session, hand: Hand): Promise<string> {
  const { windows } = await hand.get("/api/windows?active=true");
  return windows[0]?.title ?? "";
}
