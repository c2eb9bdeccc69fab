/** The interface of the desk's programs, the desk as programs see it, and the dialogs that programs share. */

import type { Region, TextFolder } from "../../control/desktop/desktop.ts";
import { rect } from "./canvas.ts";
import { type KeyPress, type TextClipboard, TextField } from "./text_field.ts";
import { button, CAPTION, label, ListBox, type Popup, textbox, type Widget } from "./widgets.ts";

/** The height of a window's title bar, in pixels. */
export const TITLE_HEIGHT = 34;

/** The desk as a program sees it from its window. */
export interface Host {
  clipboard: TextClipboard;
  /** The files in the desk's folder. */
  files: TextFolder;
  /** The time on the desk's clock. */
  now(): Date;
  /** Opens a menu or list above the window, or closes it. */
  popup(popup: Popup | undefined): void;
  /** Focuses a widget of the window. */
  focus(key: string | undefined): void;
  /** Opens a dialog that must be answered before the window reacts again. */
  ask(dialog: (host: Host) => Program): void;
  close(): void;
  /**
   * Continues with a result of the folder, immediately if it is available.
   * @param failed Receives an error's reason.
   */
  soon<T>(result: T | Promise<T>, done: (result: T) => void, failed: (reason: string) => void): void;
}

/** A program in a window. */
export interface Program {
  readonly title: string;
  /** The initial size of its window, in pixels. */
  readonly size: { width: number; height: number };
  /** The widget that is focused at first. */
  readonly focus?: string;
  /** The buttons that Enter and Escape press. */
  readonly answers?: { enter?: string; escape?: string };
  /**
   * The program's current widgets; positions are in pixels from the window's top left corner.
   * @param area The part of the window below its title bar.
   */
  view(area: Region): Widget[];
  /** Handles a key that works anywhere in the window. @returns false if the key has no meaning here. */
  key?(press: KeyPress): boolean;
}

/** A question with its answers; the last answer is the default. */
export function question(
  title: string,
  text: string,
  answers: readonly [name: string, run: () => void][] = [["OK", () => {}]],
): (host: Host) => Program {
  return (host) => ({
    title,
    size: { width: 380, height: 152 },
    focus: keyOf(answers.at(-1)![0]),
    answers: { enter: keyOf(answers.at(-1)![0]), escape: keyOf(answers[0][0]) },
    view: ({ x, y, width, height }) => [
      label(text, rect(x + 20, y + 22, width - 40, 24)),
      ...answers.map(([name, run], i) => {
        const place = rect(x + width - 106 * (answers.length - i) - 10, y + height - 46, 96, 32);
        const answer = () => {
          host.close();
          run();
        };
        return button(name, place, answer, i === answers.length - 1 ? "primary" : "button");
      }),
    ],
  });
}

/** A dialog that chooses a file in the desk's folder: one to open, or a name to save under. */
export function fileDialog(
  kind: "Open" | "Save",
  name: string,
  done: (name: string) => void,
): (host: Host) => Program {
  return (host) => {
    const field = new TextField(false, name);
    let names: readonly string[] = [];
    const told = (reason: string) => host.ask(question("No files", reason));
    host.soon(host.files.names(), (listed) => names = listed, told);
    const finish = () => {
      const chosen = field.text.trim();
      if (!chosen) return;
      if (kind === "Open" && !names.includes(chosen)) {
        return host.ask(question("Not found", `There is no file ${chosen}.`));
      }
      host.close();
      done(chosen);
    };
    const list = new ListBox("files", "Files", () => names, {
      choose: (row) => field.set(row),
      pick: finish,
    });
    field.select(0, field.text.length);
    return {
      title: kind === "Open" ? "Open a file" : "Save as",
      size: { width: 420, height: 320 },
      focus: "file-name",
      answers: { enter: keyOf(kind), escape: "cancel" },
      view: ({ x, y, width, height }) => [
        ...list.view(rect(x + 16, y + 14, width - 32, height - 118)),
        textbox("File name", rect(x + 16 + CAPTION, y + height - 90, width - 32 - CAPTION, 30), field, {
          note: "File name",
        }),
        button("Cancel", rect(x + width - 222, y + height - 46, 98, 32), host.close),
        button(kind, rect(x + width - 114, y + height - 46, 98, 32), finish, "primary"),
      ],
    };
  };
}

const keyOf = (name: string) => name.toLowerCase();

/** A large clock. */
export function clock(host: Host): Program {
  return {
    title: "Clock",
    size: { width: 200, height: 120 },
    view({ x, y, width }) {
      const now = host.now(), two = (number: number) => String(number).padStart(2, "0");
      const time = `${two(now.getHours())}:${two(now.getMinutes())}`;
      return [
        { ...label(time, rect(x, y + 2, width, 50), "large", "time"), ticks: true },
        {
          ...label(now.toDateString().slice(0, 10), rect(x, y + 56, width, 22), "middle", "day"),
          ticks: true,
        },
      ];
    },
  };
}
