/**
 * A desktop as everything above the operating system sees it, in parts. `control/` knows these interfaces and
 * no back end; each folder of `ffi/` implements them and imports from here, never the other way round.
 *
 * All coordinates are whole pixels of the whole desktop (all displays together). They are negative on a
 * display left of or above the primary one.
 *
 * Input and queries are asynchronous everywhere. Where the system allows, the work is done before the method
 * returns its promise, within about 0.1 ms; the promise resolves once the desktop has processed the input.
 * Every method fails with `DesktopUnavailableError` while the desktop does not answer; a later call
 * reconnects. A part is valid as long as its desktop.
 */

import type { Elements } from "./elements.ts";
import type { Button, Direction, InputAction, LoggedAction, ObservedAction, Point, Region } from "./input.ts";
import type { LiveReport, ViewersMemory } from "./viewers.ts";
import type { Targets, WindowInfo, Windows } from "./windows.ts";

// The clipboard part of a desktop; `desktop.ts` joins the parts.

/** Where copied content is stored; only X11 and Wayland have the primary selection. */
export const SELECTIONS = ["clipboard", "primary"] as const;
/** A selection: one of {@linkcode SELECTIONS}. */
export type Selection = typeof SELECTIONS[number];

/** Clipboard content: a text, or a picture as the bytes of a PNG file. */
export type ClipboardContent = { text: string } | {
  png: Uint8Array<ArrayBuffer>;
  /**
   * Converts the picture to a BMP file, for systems on which many programs accept no PNG.
   * @throws InputError if the PNG file is damaged or its picture too large.
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
  /** The selections that this system supports. */
  readonly selections: readonly Selection[];

  /** The kinds of content available now. */
  kinds(selection: Selection, signal?: AbortSignal): Promise<ClipboardKind[]>;

  /**
   * Reads the clipboard.
   * @returns undefined if the clipboard has no content of this kind; a picture may come as a BMP file.
   * @throws TimeLimitError if the owning program does not deliver the content; BusyError if another program
   * holds the clipboard open; InputError if the content is too large.
   */
  read(
    kind: ClipboardKind,
    selection: Selection,
    signal?: AbortSignal,
  ): Promise<ClipboardContent | BmpContent | undefined>;

  /** Offers content; on X11 deskhand sends it to each program that pastes. */
  write(content: ClipboardContent, selection: Selection): Promise<void>;

  /**
   * Hands the content of {@linkcode write} over to a clipboard manager when the program ends.
   * @returns false if the content is lost with the program.
   */
  keep(): Promise<boolean>;
}

export * from "./input.ts";
export * from "./elements.ts";
export * from "./windows.ts";

/** One monitor. */
export interface Display extends Region {
  /** The system's name for the display, such as `HDMI-1`. */
  name: string;
  /** Whether this display is the system's primary one; exactly one display is. */
  primary: boolean;
}

/** The arrangement of the displays; the region covers all of them. */
export interface ScreenLayout extends Region {
  displays: Display[];
}

/** A picture of a region. */
export interface Frame {
  width: number;
  height: number;
  /** Bytes from one row to the next: a multiple of 4, at least `4 * width`. */
  stride: number;
  /**
   * Rows from the top down, 4 bytes per pixel: blue, green, red, and an unused byte. The memory belongs to
   * the desktop: copy the pixels to keep them, or use {@linkcode Screen.picture}.
   */
  pixels: Uint8Array<ArrayBuffer>;
}

/** A picture that stays as captured until it is released. */
export interface Picture {
  width: number;
  height: number;
  /**
   * The picture's parts from the bottom up, all from one moment, each as soon as it arrives.
   * @throws DesktopUnavailableError, from the iterator, if the desktop ends before the last part.
   */
  parts: Iterable<Frame>;
  /** Called once, when the picture is no longer read. */
  release(): void;
}

/** Receives observed input on the thread that requested the watch, in order, in batches. */
export interface WatchListener {
  actions(batch: ObservedAction[]): void;
  /** Observation ended (`ended`: the desktop is gone), or events were lost (`gap`: observation continues). */
  problem(kind: "ended" | "gap", message: string): void;
}

/** A running observation of input, ended by `close`. */
export interface Watch {
  /** Ends the observation; resolves once the last batch is delivered. Safe to call twice. */
  close(): Promise<void>;
}

/** The pointer with its buttons and wheel. */
export interface Pointer {
  /** Returns the pointer position. */
  position(): Promise<Point>;

  /** Moves the pointer. @param point A place inside {@linkcode Screen.layout}; the caller has checked it. */
  move(point: Point): Promise<void>;

  /**
   * Moves the pointer to several places in turn with one request to the system: the same as as many calls of
   * {@linkcode move}, but faster. Only for a screen with one display. Left out where this saves nothing.
   * @param points At least one place; the caller has checked all of them.
   */
  moveThrough?(points: readonly Point[]): Promise<void>;

  /**
   * Where the last move left the pointer, if it did not reach its target because the target is outside all
   * monitors or a program confines the pointer. Left out if the desktop cannot tell.
   * @param point The target of the last move.
   * @returns undefined if the pointer reached it.
   */
  elsewhere?(point: Point): Point | undefined;

  /**
   * Presses (`down`) or releases a button at the pointer position.
   * @param isFollowed Whether the release follows immediately; its reply then also confirms the press.
   */
  button(button: Button, down: boolean, isFollowed?: boolean): Promise<void>;

  /** Turns the wheel at the pointer position. @param amount Notches, 1 or more. */
  scroll(direction: Direction, amount: number): Promise<void>;
}

export interface Keyboard {
  /**
   * Presses or releases a key. If a character needs modifiers on this keyboard (`?` often needs Shift), they
   * are pressed and released with it.
   * @param key A name of `control/desktop/keys.ts`, or one character.
   * @throws InputError if this keyboard has no such key.
   */
  key(key: string, down: boolean): Promise<void>;

  /**
   * Presses a key and releases it, both sent together: otherwise an X server or a Wayland program would repeat a
   * key whose release is late. Left out where nothing repeats keys.
   * @throws InputError like {@linkcode key}.
   */
  tap?(key: string): Promise<void>;

  /**
   * Types text as a person would, any Unicode. Releases held modifiers first and presses them again
   * afterwards. Yields to the event loop at least every few milliseconds.
   * @param text Line feeds are Enter, tabs are Tab.
   * @param signal Stops after the current character; the promise then rejects with the signal's reason.
   * @throws InputError before anything is typed, naming the character that cannot be typed.
   */
  type(text: string, signal?: AbortSignal): Promise<void>;

  /**
   * Waits until the focused program accepts keys; left out where every program does so as soon as it has the
   * focus.
   * @param isRepeated Whether the last key is about to be pressed again: some programs lose keys that arrive
   * faster than they process them.
   */
  awake?(signal?: AbortSignal, isRepeated?: boolean): Promise<void>;

  /** Waits until the program accepts the next keys; left out where no program loses or reorders fast keys. */
  ready?(signal?: AbortSignal): Promise<void>;

  /**
   * Immediately undoes the temporary keyboard map changes of {@linkcode type} and {@linkcode key}, so that a
   * replay on its own connection finds the original map.
   */
  restore(): Promise<void>;
}

/** The screen: all displays together. */
export interface Screen {
  /** Returns the current size and displays. */
  layout(): ScreenLayout;

  /**
   * Captures a region.
   * @param region Inside {@linkcode layout}; the caller has checked it.
   * @param cursor Whether to draw the pointer into the picture.
   * @param read Reads the frame, which is valid until `read` returns.
   * @returns What `read` returns.
   */
  capture<T>(region: Region, cursor: boolean, read: (frame: Frame) => T): Promise<T>;

  /**
   * Captures a region on another thread, so that this thread keeps serving; left out if the system does not
   * allow it.
   * @param memory Receives rows of `4 * width` bytes without gaps, in the pixel format of {@linkcode Frame}.
   */
  captureInto?(region: Region, cursor: boolean, memory: SharedArrayBuffer): Promise<void>;

  /**
   * Captures a part of a window as its program drew it, even where other windows cover it, without moving
   * them; left out where the system cannot show covered windows.
   * @param region The on-screen part of the listed window, or a part of it.
   * @param cursor Whether to draw the pointer into the picture.
   * @throws StateError if the window closes or moves meanwhile; UnsupportedError if the system lacks a
   * required part.
   */
  captureWindow?<T>(
    window: WindowInfo,
    region: Region,
    cursor: boolean,
    read: (frame: Frame) => T,
  ): Promise<T>;

  /** Captures a region into its own memory: the picture does not change until it is released. */
  picture(region: Region, cursor: boolean): Promise<Picture>;
}

/** Input observation. */
export interface Observer {
  /**
   * Observes all input on the desktop, including deskhand's own, without slowing the calling thread.
   * @returns Resolves once every further action reaches the listener.
   * @throws DesktopUnavailableError if input cannot be watched.
   */
  watch(listener: WatchListener): Promise<Watch>;
}

/**
 * The steps of one round of a replay: plain data that another thread receives without copying the events,
 * which are in shared memory. `recording/playback.ts` turns the plan into steps.
 */
export interface RoundPlan {
  /** The recording's events; see `StoredParts` in `recording/stored.ts`. */
  pieces: Uint8Array<SharedArrayBuffer>[];
  /** The desktop on which the recording was made. */
  recorded: Region;
  /** The current desktop: places are scaled to it. */
  screen: Region;
  /** The speed of the replay: 2 is twice as fast. */
  speed: number;
}

/** An action of a replay with its time. */
export interface Step {
  /** Milliseconds from the start of the replay. */
  at: number;
  action: InputAction;
}

export interface PlaybackOutcome {
  /** Actions performed, including merged moves. */
  performed: number;
  /** Presses, releases and notches whose place the pointer did not reach; left out if there are none. */
  missed?: number;
  /** Lateness of actions, in milliseconds. */
  meanLatenessMs: number;
  medianLatenessMs: number;
  p99LatenessMs: number;
  maxLatenessMs: number;
  /** Whether the replay was stopped early. */
  stopped: boolean;
}

/** A replay in progress. */
export interface Playback {
  /**
   * Resolves when the first step is due, or when the replay is stopped before that. Rejects if the replay
   * fails earlier: with InputError if a place is not on the desktop.
   */
  begun: Promise<void>;
  /** Resolves once everything that the replay pressed is released. Rejects with the desktop's error. */
  done: Promise<PlaybackOutcome>;
  /** Stops the replay soon. */
  stop(): void;
  /** Stops the replay and returns once everything is released: for the end of the program. */
  abort(): void;
}

/** Runs replays. The back end chooses the thread and the connection, since the timing depends on them. */
export interface Player {
  /**
   * Starts a replay: computes the steps without blocking the calling thread, then runs them.
   * @param plan One round.
   * @param times Number of rounds.
   */
  start(plan: RoundPlan, times: number): Playback;
}

/** A running live picture. */
interface LiveRun {
  /**
   * Resolves when the run ends: because the memory requests it, or because the screen has a new size and the
   * run must be started again. Rejects with the desktop's error.
   */
  done: Promise<void>;
  /**
   * Wakes the capturing thread where it does not sleep on the shared memory; left out where it always sleeps
   * there.
   */
  ring?(): void;
}

/** The live picture. The back end chooses the thread and connection that read the screen. */
export interface LivePicture {
  /**
   * Starts capturing, off the calling thread.
   * @param memory The shared memory with the viewers and the stop request.
   * @param report Receives the pictures and changes, on the calling thread.
   */
  start(memory: ViewersMemory, report: (report: LiveReport) => void): LiveRun;
}

export interface ScreenLock {
  /**
   * Watches whether the screen is locked.
   * @param listener Receives each change; initially the screen counts as unlocked.
   * @returns A function that ends the watch.
   */
  watch(listener: (isLocked: boolean) => void): () => void;
}

/** Programs built into the desktop, which need no process. */
export interface OwnPrograms {
  /** Names, in lower case. */
  readonly names: readonly string[];
  /** Starts a program, or raises its window. @returns The title of its window. */
  start(name: string): string;
  /** From now on, opens and saves files in a folder of the machine instead of one in memory. */
  use(folder: TextFolder): void;
}

/** Text files of one folder; immediate results need no promise. */
export interface TextFolder {
  names(): readonly string[] | Promise<readonly string[]>;
  /** @throws ExpectedError if the file cannot be read as text. */
  read(name: string): string | Promise<string>;
  /** @throws ExpectedError if the file cannot be written to the folder. */
  write(name: string, text: string): void | Promise<void>;
}

/** A desktop's identity, for other processes: plain data. */
export interface DesktopIdentity {
  /** The address of the desktop, such as `x11 :0`. */
  address: string;
  /**
   * Identifies the running server of the desktop and changes when a server restarts; left out if releasing
   * keys that are not down does no harm.
   */
  server?: string;
  /**
   * The number of the connection, which ends with what it has pressed on some servers; left out where keys stay
   * down without it.
   */
  connection?: number;
}

/**
 * One desktop. The optional parts are capabilities: a caller checks for a part and fails with
 * `UnsupportedError` if it is missing.
 */
export interface Desktop {
  /** The back end's name, as `--desktop` accepts it. */
  readonly kind: string;
  /**
   * Maximum time that the system's own reply may take beyond a few seconds, in milliseconds, for example
   * where a compositor first examines deskhand or starts a service; left out where there is no such wait.
   */
  readonly waitsMs?: number;

  /**
   * Waits until the desktop's server answers, without blocking other work for more than a few milliseconds;
   * callers wait here before they use parts whose own waits block. Left out where no part waits for a server.
   * @param endsAlone Whether what follows has an end of its own on each desktop, such as the pointer's position.
   * @returns undefined if the server answers immediately, or answered a moment ago. Rejects with
   * DesktopUnavailableError if it does not answer within 5 s.
   */
  answering?(endsAlone?: boolean): Promise<void> | undefined;
  /**
   * Cuts the connection to a server that does not answer within 2 s, when the program ends, so that no
   * cleanup then waits for the server. Blocks the thread for that time. Never throws.
   * @returns Whether nothing can be sent now: the connection was cut, or had been lost before.
   */
  cutIfSilent?(): boolean;
  readonly pointer: Pointer;
  readonly keyboard: Keyboard;
  readonly screen: Screen;
  readonly observer: Observer;
  readonly playback: Player;
  readonly live: LivePicture;
  readonly windows?: Windows;
  /** Left out where the window under a press is not looked up together with the press. */
  readonly targets?: Targets;
  readonly clipboard?: Clipboard;
  readonly elements?: Elements;
  readonly lock?: ScreenLock;
  readonly programs?: OwnPrograms;
  /**
   * The actions done so far, oldest first, limited in number; only where no real desktop shows their effect.
   */
  readonly log?: readonly LoggedAction[];
  /**
   * The state of everything that programs show, as a text to compare: it differs after an action exactly if
   * the action had an effect. Only where the programs are part of the desktop itself.
   */
  state?(): string;
  /** Identifies the desktop; left out if the system releases all keys when the process ends. */
  identity?(): DesktopIdentity;
  /** Frees everything. Call nothing afterwards. Safe to call twice. */
  close(): void;
}
