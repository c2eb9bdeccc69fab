/** Pastes into the focused program with its own paste keys, and checks that it has read the text. */

import { delay } from "@std/async/delay";
import type { Selection } from "../../../control/desktop/desktop.ts";
import { StateError } from "../../../core/errors.ts";
import { printable } from "../../../core/printable.ts";
import { timeByLoad } from "../../../core/proc.ts";
import { deadline, until } from "../../../core/until.ts";
import type { Paste, TextPaster } from "../layout/text_paster.ts";
import { type BackgroundConnection, OnDemand } from "../wire/background_connection.ts";
import { type Contents, DataControl, putBack, readSelection } from "../wire/clipboard.ts";
import type { Link } from "../wire/link.ts";
import { encoded } from "../wire/media_types.ts";
import { PlasmaWindows, stateOf } from "./windows.ts";

// The paste keys of programs.

/** How a program pastes. */
interface PasteCommand {
  /** Key names, in the order of pressing. */
  keys: readonly string[];
  /** The selections from which the program takes the text. */
  selections: readonly Selection[];
}

/** Keys that nearly all programs support. */
const USUAL: PasteCommand = { keys: ["ctrl", "v"], selections: ["clipboard"] };
/** Keys for terminals, since programs in them use Ctrl+V themselves. */
const OF_TERMINALS: PasteCommand = { keys: ["ctrl", "shift", "v"], selections: ["clipboard"] };
/** Keys for legacy X11 programs; they paste either of the two selections. */
const OLD: PasteCommand = { keys: ["shift", "insert"], selections: ["primary", "clipboard"] };

/** Programs by the last part of their name (`org.kde.konsole` is `konsole`), in lower case. */
const COMMANDS: readonly [command: PasteCommand, programs: string][] = [
  [
    OF_TERMINALS,
    "alacritty blackbox console contour cool-retro-term deepin-terminal foot footclient ghostty gnome-terminal " +
    "gnome-terminal-server guake kgx kitty konsole lxterminal mate-terminal ptyxis qterminal rio roxterm sakura " +
    "st st-256color terminal terminator terminology tilda tilix wezterm wezterm-gui xfce4-terminal yakuake",
  ],
  [OLD, "debian-uxterm debian-xterm emacs gvim rxvt urxvt uxterm xterm"],
];
const BY_PROGRAM: ReadonlyMap<string, PasteCommand> = new Map(
  COMMANDS.flatMap(([command, programs]) =>
    programs.split(" ").map((program): [string, PasteCommand] => [program, command])
  ),
);

/**
 * Finds how a program pastes.
 * @param appId Its window's app id: the name of its desktop file, or its class under XWayland.
 * @example
 * pasteCommandOf("org.kde.konsole").keys; // ["ctrl", "shift", "v"]
 */
export function pasteCommandOf(appId: string): PasteCommand {
  return BY_PROGRAM.get(appId.slice(appId.lastIndexOf(".") + 1).toLowerCase()) ?? USUAL;
}

/**
 * Maximum time for a new window to be focused, longer on a busy machine, and check interval, in milliseconds.
 */
const OPENING_MS = 1000, OPENING_LOOK_MS = 20;
/**
 * Time for a program to notice new content, in milliseconds: on an idle machine, and at most. Until then,
 * GNOME's terminals have their paste command disabled, and pass its keys on.
 */
const NOTICE_MS = { idle: 100, most: 1000 };
/** Interval between checks for programs that request new content, in milliseconds. */
const LOOK_MS = 10;
/** Maximum time for a program to request the content that it pastes, in milliseconds. */
const ASK_MS = 5000;
/**
 * Time for a program to insert the text that it has read before more keys are sent, and before the clipboard
 * gets other content, which it might read instead: the minimum and the maximum, in milliseconds, and a
 * multiple of the time that the program took to request the text.
 */
const SHOW_MS = { least: 100, most: 2000, paces: 3 };
/** Tells KDE's clipboard manager to ignore a content, so that it requests no other type (Klipper). */
const HINT = { type: "x-kde-passwordManagerHint", content: new TextEncoder().encode("secret") } as const;

/** The selections over a connection that is opened for the first pasted text. */
export class KwinPaster implements TextPaster {
  readonly #kwin: OnDemand<{ windows: PlasmaWindows; control: DataControl }>;

  /**
   * @param path The path of the compositor's socket.
   * @param link A connection to use instead of a new one.
   */
  constructor(path: string, link?: Link) {
    const make = async (background: BackgroundConnection) => ({
      windows: await PlasmaWindows.open(background),
      control: new DataControl(background),
    });
    this.#kwin = new OnDemand(path, make, link);
  }

  async during(run: (paste: Paste) => Promise<void>): Promise<void> {
    const { windows, control } = await this.#kwin.get(), kept = new Map<Selection, Contents>();
    await targetOf(windows); // refuses before anything is typed
    try {
      await run(async (text, press) => {
        const { name, command } = await targetOf(windows);
        for (const selection of command.selections) {
          if (!kept.has(selection)) kept.set(selection, await readSelection(control, selection));
        }
        const offer = await Offer.make(control, command, text);
        await offer.noticed();
        const from = performance.now(), taken = offer.taken();
        await press(command.keys);
        if (!await taken) throw untaken(name, command);
        const { least, most, paces } = SHOW_MS;
        await delay(Math.min(most, Math.max(least, paces * (performance.now() - from))));
      });
    } finally {
      for (const [selection, contents] of kept) await putBack(control, selection, contents);
    }
  }

  /** Closes the connection; the restored content is lost, unless a clipboard manager has it. */
  close(): void {
    this.#kwin.close();
  }
}

/**
 * The focused program, and how it pastes. If no listed window is focused yet, waits for that, since a window
 * is listed a moment before it is focused.
 * @throws StateError if no window is focused.
 */
async function targetOf(windows: PlasmaWindows): Promise<{ name: string; command: PasteCommand }> {
  const isOpening = async () => (await windows.list()).some((window) => stateOf(window) !== "minimized");
  let window = await windows.active();
  const isFound = async () => (window = await windows.active()) !== undefined;
  await until(async () => await isFound() || !await isOpening(), {
    ms: timeByLoad(OPENING_MS),
    every: OPENING_LOOK_MS,
  });
  if (window) return { name: window.appId || window.title, command: pasteCommandOf(window.appId) };
  throw new StateError(
    "text has characters that the keyboard layout lacks, and no window is focused " +
      "to paste them into",
  );
}

/** A text that programs may request. */
class Offer {
  /** How often programs have requested the text. */
  #asks = 0;
  /** Receives whether the program that requests the text next has read it. */
  #next: PromiseWithResolvers<boolean> | undefined;

  /** Offers a text where a program takes it from. */
  static async make(control: DataControl, { selections }: PasteCommand, text: string): Promise<Offer> {
    const offer = new Offer(), contents = new Map([...encoded({ text }), [HINT.type, HINT.content]]);
    for (const selection of selections) {
      await control.own(selection, contents, (type, sent) => {
        if (type !== HINT.type) offer.#onAsked(sent);
      });
    }
    return offer;
  }

  #onAsked(sent: Promise<void>): void {
    this.#asks++;
    const next = this.#next;
    this.#next = undefined;
    if (next) sent.then(() => next.resolve(true), next.reject);
    else sent.catch(() => {}); // no paste waits for it
  }

  /**
   * Waits until programs have noticed the text, and none is requesting it: clipboard managers, and XWayland's
   * bridge, request every new content, which is not a paste.
   */
  async noticed(): Promise<void> {
    const enough = timeByLoad(NOTICE_MS.idle, NOTICE_MS.most), end = performance.now() + ASK_MS;
    for (
      let since = performance.now(), asks = this.#asks;
      performance.now() < Math.min(end, since + enough);
    ) {
      await delay(LOOK_MS);
      if (asks !== this.#asks) since = performance.now();
      asks = this.#asks;
    }
  }

  /**
   * Waits for the next request.
   * @returns Whether a program has read the text; false if none requests it in time.
   */
  async taken(): Promise<boolean> {
    const next = this.#next = Promise.withResolvers<boolean>();
    const withdraw = deadline(ASK_MS, () => next.resolve(false));
    return await next.promise.finally(withdraw);
  }
}

function untaken(name: string, { keys }: PasteCommand): StateError {
  return new StateError(
    `${printable(name)} did not paste the text on ${
      keys.join("+")
    }, which deskhand presses for characters that the ` +
      "keyboard layout lacks: no text field is focused there, or the program pastes with other keys",
  );
}
