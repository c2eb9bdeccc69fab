/**
 * A desktop as everything above the operating system sees it, in parts. `control/` knows these interfaces and no
 * backend; each folder of `ffi/` implements them and imports from here, never the other way round.
 *
 * All coordinates are whole pixels of the whole desktop (all displays together); they may be negative where a display
 * stands left of or above the primary one.
 *
 * Input and questions are asynchronous everywhere. Where the system allows, they are done before the method returns
 * its promise, within about 0.1 ms; the desktop has processed the input when the promise resolves. Every method fails
 * with `DesktopUnavailableError` while the desktop does not answer; a backend reconnects by itself on a later call. A
 * part serves as long as its desktop.
 */

import type { Elements } from "./elements.ts";
import type { Button, Direction, InputAction, LoggedAction, ObservedAction, Point, Region } from "./input.ts";
import type { LiveReport, ViewersMemory } from "./viewers.ts";
import type { Targets, WindowInfo, Windows } from "./windows.ts";

// The clipboard as a part of a desktop; `desktop.ts` joins the parts.

/** The places of copied content; only X11 and Wayland have the primary selection. */
export const SELECTIONS = ["clipboard", "primary"] as const;
/** A selection: one of {@linkcode SELECTIONS}. */
export type Selection = typeof SELECTIONS[number];

/** Content of the clipboard: a text, or a picture as the bytes of a PNG file. */
export type ClipboardContent = { text: string } | {
  png: Uint8Array<ArrayBuffer>;
  /**
   * Makes a BMP file of the same picture, for systems on which many programs take no PNG.
   * @throws InputError if the PNG file is damaged, or its picture too large.
   */
  asBmp?(): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>;
};
/** A picture as the bytes of a BMP file, if its program offers no other format. */
export interface BmpContent {
  bmp: Uint8Array<ArrayBuffer>;
}
/** The kinds of {@linkcode ClipboardContent}. */
export const CLIPBOARD_KINDS = ["text", "png"] as const;
/** One of {@linkcode CLIPBOARD_KINDS}. */
export type ClipboardKind = typeof CLIPBOARD_KINDS[number];

export interface Clipboard {
  /** The selections that this system has. */
  readonly selections: readonly Selection[];

  /** The kinds of content that there are now. */
  kinds(selection: Selection, signal?: AbortSignal): Promise<ClipboardKind[]>;

  /**
   * Reads the clipboard.
   * @returns undefined if the clipboard has no content of this kind; a picture may come as a BMP file.
   * @throws TimeLimitError if the program that has the content does not hand it over; BusyError if another program
   *   keeps the clipboard open; InputError if there is too much.
   */
  read(
    kind: ClipboardKind,
    selection: Selection,
    signal?: AbortSignal,
  ): Promise<ClipboardContent | BmpContent | undefined>;

  /** Takes content over; on X11 deskhand hands it to each program that pastes. */
  write(content: ClipboardContent, selection: Selection): Promise<void>;

  /**
   * Hands the content of {@linkcode write} to a clipboard manager, at the end of the program.
   * @returns false if the content is lost with the program.
   */
  keep(): Promise<boolean>;
}

export * from "./input.ts";
export * from "./elements.ts";
export * from "./windows.ts";

/** One monitor. */
export interface Display extends Region {
  /** The system's name for the display, e.g. `HDMI-1`. */
  name: string;
  /** Whether this display is the system's primary one; exactly one display is. */
  primary: boolean;
}

/** The arrangement of the displays. The region covers all of them. */
export interface ScreenLayout extends Region {
  displays: Display[];
}

/** A picture of a region. */
export interface Frame {
  width: number;
  height: number;
  /** Bytes from one row to the next; at least `4 * width`, a multiple of 4. */
  stride: number;
  /**
   * Rows from the top down, 4 bytes a pixel: blue, green, red, and a byte without meaning.
   * The memory belongs to the desktop: copy pixels to keep them, or take a {@linkcode Picture}.
   */
  pixels: Uint8Array<ArrayBuffer>;
}

/** A picture that does not change with the desktop, until it is released. */
export interface Picture {
  width: number;
  height: number;
  /**
   * The picture's parts from the bottom up, all of one moment, each as soon as it has arrived.
   * @throws DesktopUnavailableError, from the iterator, if the desktop ends before the last part.
   */
  parts: Iterable<Frame>;
  /** Called once, when the picture is not read any more. */
  release(): void;
}

/** Receives what a watch sees: on the thread that asked for the watch, in order, in batches. */
export interface WatchListener {
  actions(batch: ObservedAction[]): void;
  /** Watching ended by itself (the desktop is gone), or events were lost (`gap`, watching goes on). */
  problem(kind: "ended" | "gap", message: string): void;
}

/** A running observation of input, ended by `close`. */
export interface Watch {
  /** Ends the observation; resolves when the last batch was delivered. Safe to call twice. */
  close(): Promise<void>;
}

/** The pointer with its buttons and its wheel. */
export interface Pointer {
  /** The place of the pointer. */
  position(): Promise<Point>;

  /** Moves the pointer. @param point A place inside {@linkcode Screen.layout}; the caller has checked it. */
  move(point: Point): Promise<void>;

  /**
   * Moves the pointer to several places, one after the other, and asks the system once: as many calls of
   * {@linkcode move} in less time. Only for a screen that is one display. Left out where nothing is saved.
   * @param points At least one place; the caller has checked all.
   */
  moveThrough?(points: readonly Point[]): Promise<void>;

  /**
   * The place where the last move left the pointer, if the move did not reach a point, because the point is outside of all
   * monitors or a program confines the pointer. Left out if the desktop cannot tell.
   * @param point The place of the last move.
   * @returns undefined if the pointer got there.
   */
  elsewhere?(point: Point): Point | undefined;

  /**
   * Presses (`down`) or releases a button, where the pointer is.
   * @param isFollowed Whether the release follows at once, whose answer counts for the press, too.
   */
  button(button: Button, down: boolean, isFollowed?: boolean): Promise<void>;

  /** Turns the wheel where the pointer is. @param amount Notches, 1 or more. */
  scroll(direction: Direction, amount: number): Promise<void>;
}

export interface Keyboard {
  /**
   * Presses or releases a key. For a character that needs modifiers on this keyboard (`?` needs Shift on many),
   * pressing it presses them too, and releasing it releases them.
   * @param key A name of `control/desktop/keys.ts`, or one character.
   * @throws InputError if this keyboard has no such key.
   */
  key(key: string, down: boolean): Promise<void>;

  /**
   * Types text as a person would, any Unicode. Modifiers that are held are released before it and pressed again
   * afterwards. Yields to the event loop at least every few milliseconds.
   * @param text Line feeds are Enter, tabs are Tab.
   * @param signal Stops after the present character; the promise then rejects with the signal's reason.
   * @throws InputError before anything is typed, naming the character that cannot be typed.
   */
  type(text: string, signal?: AbortSignal): Promise<void>;

  /**
   * Waits until the program with the keyboard takes keys; left out where every program does as soon as it has it.
   * @param isRepeated Whether the key that was pressed last is pressed again: some programs lose keys that come faster
   * than they work.
   */
  awake?(signal?: AbortSignal, isRepeated?: boolean): Promise<void>;

  /** Waits until the program takes the next keys; left out where none loses or exchanges keys that come fast. */
  ready?(signal?: AbortSignal): Promise<void>;

  /**
   * Undoes at once the temporary changes of {@linkcode type} and {@linkcode key} to the keyboard map, so that a
   * replay on a connection of its own finds the map as it was.
   */
  restore(): Promise<void>;
}

/** The screen: all displays together. */
export interface Screen {
  /** Size and displays as they are now. */
  layout(): ScreenLayout;

  /**
   * Captures a region.
   * @param region Inside {@linkcode layout}; the caller has checked it.
   * @param cursor Whether the pointer's picture is drawn in.
   * @param read Reads the frame, which is valid until `read` returns.
   * @returns What `read` returns.
   */
  capture<T>(region: Region, cursor: boolean, read: (frame: Frame) => T): Promise<T>;

  /**
   * Captures a region on another thread, so that this thread keeps serving; left out if the system does not allow that.
   * @param memory Gets rows of `4 * width` bytes without gaps, as a frame has them.
   */
  captureInto?(region: Region, cursor: boolean, memory: SharedArrayBuffer): Promise<void>;

  /**
   * Captures a part of a window as its program drew it, also where other windows cover it, which stay as they are; left out
   * where the system shows no covered windows.
   * @param region The part of the listed window that is on the screen, or a part of it.
   * @param cursor Whether the pointer's picture is drawn in.
   * @throws StateError if the window closes or moves meanwhile; UnsupportedError if this system lacks a part for it.
   */
  captureWindow?<T>(
    window: WindowInfo,
    region: Region,
    cursor: boolean,
    read: (frame: Frame) => T,
  ): Promise<T>;

  /** Captures a region in memory of its own: the picture does not change until it is released. */
  picture(region: Region, cursor: boolean): Promise<Picture>;
}

/** Observation of input. */
export interface Observer {
  /**
   * Observes all input on the desktop, deskhand's own included, without slowing the calling thread.
   * @returns Once every action from now on reaches the listener.
   * @throws DesktopUnavailableError if input cannot be watched.
   */
  watch(listener: WatchListener): Promise<Watch>;
}

/**
 * The steps of a round of a replay: plain data that another thread gets without a copy of the events, which are in
 * shared memory. `recording/playback.ts` makes its steps.
 */
export interface RoundPlan {
  /** The recording's events; see `StoredParts` in `recording/stored.ts`. */
  pieces: Uint8Array<SharedArrayBuffer>[];
  /** The desktop on which the recording was made. */
  recorded: Region;
  /** The desktop as it is now: places are fitted to it. */
  screen: Region;
  /** The speed of the replay: 2 is twice as fast. */
  speed: number;
}

/** An action of a replay and its time. */
export interface Step {
  /** Milliseconds from the start of the replay. */
  at: number;
  action: InputAction;
}

export interface PlaybackOutcome {
  /** Actions done, merged moves included. */
  performed: number;
  /** Presses, releases and notches whose place the pointer did not reach; left out if there are none. */
  missed?: number;
  /** Lateness of actions, in milliseconds. */
  meanLatenessMs: number;
  medianLatenessMs: number;
  p99LatenessMs: number;
  maxLatenessMs: number;
  /** Whether the replay was stopped before its end. */
  stopped: boolean;
}

/** A replay in progress. */
export interface Playback {
  /**
   * Resolves when the first step is due, or the replay was stopped before. Rejects if the replay fails earlier: with
   * InputError if a place is not on the desktop.
   */
  begun: Promise<void>;
  /** Resolves when everything that the replay pressed is released. Rejects with the desktop's error. */
  done: Promise<PlaybackOutcome>;
  /** Stops the replay soon. */
  stop(): void;
  /** Stops the replay and returns when everything is released: for the end of the program. */
  abort(): void;
}

/** Runs replays. The backend decides on the thread and the connection, since the timing depends on them. */
export interface Player {
  /**
   * Starts a replay: computes the steps without blocking the calling thread, and then runs them.
   * @param plan One round.
   * @param times The number of rounds.
   */
  start(plan: RoundPlan, times: number): Playback;
}

/** A live picture in the making. */
interface LiveRun {
  /**
   * Resolves when the run has ended: because the memory says so, or because it has to be started again (the screen has
   * another size). Rejects with the desktop's error.
   */
  done: Promise<void>;
  /**
   * Wakes the thread that makes the pictures where that thread does not sleep on the shared memory; left out where it
   * always sleeps there.
   */
  ring?(): void;
}

/** The live picture. The backend decides which thread and connection read the screen. */
export interface LivePicture {
  /**
   * Starts to make pictures, off the calling thread.
   * @param memory The shared memory, which has the viewers, and in which the end of the making is noted.
   * @param report Gets the pictures and changes, on the calling thread.
   */
  start(memory: ViewersMemory, report: (report: LiveReport) => void): LiveRun;
}

export interface ScreenLock {
  /**
   * Watches whether the screen is locked.
   * @param listener Receives each change; at first the screen counts as unlocked.
   * @returns A function that ends the watch.
   */
  watch(listener: (isLocked: boolean) => void): () => void;
}

/** Programs of the desktop itself, which need no process. */
export interface OwnPrograms {
  /** Names, in small letters. */
  readonly names: readonly string[];
  /** Starts a program, or brings its window to the front. @returns The title of its window. */
  start(name: string): string;
  /** Opens and saves files in a folder of the machine from now on, instead of one in memory. */
  use(folder: TextFolder): void;
}

/** Text files of one folder; what takes no time is no promise. */
export interface TextFolder {
  names(): readonly string[] | Promise<readonly string[]>;
  /** @throws ExpectedError if the file cannot be read as text. */
  read(name: string): string | Promise<string>;
  /** @throws ExpectedError if the folder does not take the file. */
  write(name: string, text: string): void | Promise<void>;
}

/** The identity of a desktop, for other processes: plain data. */
export interface DesktopIdentity {
  /** The address of the desktop, such as `x11 :0`. */
  address: string;
  /**
   * The present server of the desktop, which changes when a server is started again; left out if releasing keys that
   * are not down does no harm.
   */
  server?: string;
}

/**
 * One desktop. The optional parts are capabilities: a caller looks whether a part is there, and answers
 * `UnsupportedError` where it is missing.
 */
export interface Desktop {
  /** The backend's name, as `--desktop` takes it. */
  readonly kind: string;
  /**
   * The longest time that the system's own answer may take beyond some seconds, in milliseconds, such as where a
   * compositor first examines deskhand or starts a service; left out where there is no such wait.
   */
  readonly waitsMs?: number;

  /**
   * Waits until the desktop's server answers, without holding other work up for more than some milliseconds; callers
   * wait here before they use parts whose own waits hold other work up. Left out where no part waits for a server.
   * @returns undefined if the server answers at once, or has answered just now. Rejects with DesktopUnavailableError if
   * it does not answer for 5 s.
   */
  answering?(): Promise<void> | undefined;
  /**
   * Cuts the connection to a server that does not answer within 2 s, when the program ends: nothing that is done at the
   * end then waits for the server. Holds the thread up for as long. Never throws.
   */
  cutIfSilent?(): void;
  readonly pointer: Pointer;
  readonly keyboard: Keyboard;
  readonly screen: Screen;
  readonly observer: Observer;
  readonly playback: Player;
  readonly live: LivePicture;
  readonly windows?: Windows;
  /** Left out where the windows under presses are not looked up together with the press. */
  readonly targets?: Targets;
  readonly clipboard?: Clipboard;
  readonly elements?: Elements;
  readonly lock?: ScreenLock;
  readonly programs?: OwnPrograms;
  /** The actions done so far, oldest first, bounded in number; only where no real desktop shows their effect. */
  readonly log?: readonly LoggedAction[];
  /**
   * The state of everything that programs show, as a text to compare: it differs after an action exactly if the action
   * had an effect. Only where the desktop itself is the programs.
   */
  state?(): string;
  /** The identity of the desktop; left out if the system releases all keys at the end of the process. */
  identity?(): DesktopIdentity;
  /** Frees everything. Nothing may be called afterwards. Safe to call twice. */
  close(): void;
}
