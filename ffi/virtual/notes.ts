/** Notes: a text editor with menus, search, and files in the desk's folder. */

import type { Region } from "../../control/desktop/desktop.ts";
import { rect } from "./canvas.ts";
import { fileDialog, type Host, type Program, question } from "./program.ts";
import { type KeyPress, TextField } from "./text_field.ts";
import { button, CAPTION, HEIGHT, label, menuBar, type MenuItem, textbox, type Widget } from "./widgets.ts";

/** The first file's text, and its name. */
export const WELCOME_FILE = "welcome.txt";
export const WELCOME = `Welcome! This desk lives in memory: nothing you do here
touches your machine.

- Type here, or let a script do it.
- Fill in the form, and send it.
- Open Orders and Board from the bar below.

Héllo · Γειά σου · Привет
`;

/** A text editor. */
export class Notes implements Program {
  readonly size = { width: 500, height: 400 };
  readonly focus = "text";
  readonly #text = new TextField(true, WELCOME);
  readonly #wanted = new TextField();
  #file = WELCOME_FILE;
  /** The text as last saved. */
  #saved = WELCOME;
  #isFinding = false;
  #said = "";

  constructor(readonly host: Host) {
    this.#text.caret = this.#text.anchor = WELCOME.length; // set directly: `place` would load the font
  }

  get title(): string {
    return "Notes";
  }

  view(area: Region): Widget[] {
    const { x, y, width, height } = area, finding = this.#isFinding ? 42 : 0;
    const place = rect(x, y + HEIGHT.menu, width, height - HEIGHT.menu - finding - 26);
    const { row, column } = this.#caret(), state = this.#text.text === this.#saved ? "" : " (not saved)";
    return [
      ...menuBar(
        [["File", () => this.#fileMenu()], ["Edit", () => this.#editMenu()], [
          "Help",
          () => this.#helpMenu(),
        ]],
        rect(x, y, width, HEIGHT.menu),
        this.host.popup,
      ),
      textbox("Text", place, this.#text, { key: "text", look: "page", menu: () => this.#editMenu() }),
      ...this.#findBar(rect(x, y + height - 26 - finding, width, finding)),
      label(
        this.#said || `${this.#file}${state} · line ${row}, column ${column}`,
        rect(x, y + height - 26, width, 26),
        "status",
        "status",
      ),
    ];
  }

  key(press: KeyPress): boolean {
    const { key, ctrl, shift } = press, items = [...this.#fileMenu(), ...this.#editMenu()];
    this.#said = "";
    if (key === "f3") this.#findNext();
    else if (key === "escape" && this.#isFinding) this.#endFind();
    else if (ctrl) {
      const name = `Ctrl+${shift ? "Shift+" : ""}${key.toUpperCase()}`;
      const item = items.find(({ keys }) => keys === name);
      item?.run();
      return item !== undefined;
    } else return false;
    return true;
  }

  #caret(): { row: number; column: number } {
    const before = this.#text.text.slice(0, this.#text.caret).split("\n");
    const line = before.at(-1)!, pairs = line.match(/[\ud800-\udbff]/g)?.length ?? 0;
    return { row: before.length, column: line.length - pairs + 1 };
  }

  #findBar({ x, y, width, height }: Region): Widget[] {
    if (!height) return [];
    const field = textbox("Find", rect(x + 12 + CAPTION, y + 6, width - 304, 30), this.#wanted, {
      note: "Find",
      type: ({ key }) => key === "enter" && (this.#findNext(), true),
    });
    return [
      field,
      button("Next", rect(x + width - 186, y + 6, 82, 30), () => this.#findNext()),
      button("Done", rect(x + width - 94, y + 6, 82, 30), () => this.#endFind()),
    ];
  }

  #findNext(): void {
    const { text } = this.#wanted;
    this.#said = this.#text.find(text) || !text ? "" : `“${text}” was not found`;
  }

  #endFind(): void {
    this.#isFinding = false;
    this.host.focus("text");
  }

  #fileMenu(): MenuItem[] {
    const { host } = this, { files } = host;
    const save = (name: string) => {
      const { text } = this.#text;
      this.#said = `Saving ${name} …`;
      const saved = () => [this.#file, this.#saved, this.#said] = [name, text, `Saved ${name}`];
      host.soon(files.write(name, text), saved, (reason) => this.#said = `Not saved: ${reason}`);
    };
    const open = (name: string) => {
      const failed = (reason: string) => this.#said = `Not opened: ${reason}`;
      host.soon(files.read(name), (text) => this.#show(name, text), failed);
    };
    return [
      { name: "New", keys: "Ctrl+N", run: () => this.#keep(() => this.#show("untitled.txt", "")) },
      {
        name: "Open…",
        keys: "Ctrl+O",
        run: () => this.#keep(() => this.host.ask(fileDialog("Open", "", open))),
      },
      { name: "Save", keys: "Ctrl+S", run: () => save(this.#file) },
      {
        name: "Save as…",
        keys: "Ctrl+Shift+S",
        run: () => this.host.ask(fileDialog("Save", this.#file, save)),
      },
      { name: "Close", keys: "Ctrl+W", run: () => this.#keep(this.host.close) },
    ];
  }

  /** Runs something that would discard the text; asks first if the text is not saved. */
  #keep(run: () => void): void {
    if (this.#text.text === this.#saved) return run();
    this.host.ask(question("Not saved", "The text is not saved. Go on without it?", [
      ["Cancel", () => {}],
      ["Discard", run],
    ]));
  }

  #show(name: string, text: string): void {
    this.#text.set(text);
    this.#text.place(0);
    [this.#file, this.#saved, this.#said] = [name, text, ""];
    this.host.focus("text");
  }

  #editMenu(): MenuItem[] {
    const field = this.#text, { clipboard } = this.host, isDisabled = !field.selected;
    const find = () => {
      this.#isFinding = true;
      this.#wanted.select(0, this.#wanted.text.length);
      this.host.focus("find");
    };
    return [
      { name: "Undo", keys: "Ctrl+Z", run: () => field.undo() },
      { name: "Cut", keys: "Ctrl+X", isDisabled, run: () => field.cut(clipboard) },
      { name: "Copy", keys: "Ctrl+C", isDisabled, run: () => field.copy(clipboard) },
      {
        name: "Paste",
        keys: "Ctrl+V",
        isDisabled: !clipboard.text,
        run: () => field.replace(clipboard.text),
      },
      { name: "Select all", keys: "Ctrl+A", run: () => field.select(0, field.text.length) },
      { name: "Find…", keys: "Ctrl+F", run: find },
    ];
  }

  #helpMenu(): MenuItem[] {
    const about = question("About", "A desk in memory, to try deskhand on.");
    return [{ name: "About", run: () => this.host.ask(about) }];
  }
}
