/** The programs that text is typed into: columns of the table. */

/** Ways to read text back: from the file that an editor saves, from the output of `cat`, from a page's report. */
type FieldKind = "editor" | "terminal" | "page";

/** A program and how it is started. */
export interface Program {
  name: string;
  title: string;
  field: FieldKind;
  /** The executable, by which it is known whether the root has it. */
  executable: string;
  /** The command, in the shell: `$FILE` is the file, `$RUN` the command of a terminal, `$URL` the page. */
  command: string;
  /** A part of the title of its window, in any case; another title than before if left out. */
  window?: string;
  /**
   * The time for which the program takes no keys yet after its window has appeared, in milliseconds; for sessions where
   * only deskhand presses keys.
   */
  loadingMs?: number;
  /** The kind of session that has the program; both if left out. */
  on?: "x11" | "wayland";
  /** Whether the program is tried in the rows that differ in the input method alone, too. */
  isTyping?: boolean;
}

/** With a scale of 1 whatever the desktop's is, so that the page tells places in the screen's pixels. */
const CHROMIUM = "chromium --no-sandbox --no-first-run --password-store=basic --start-maximized " +
  "--force-device-scale-factor=1 --force-color-profile=srgb --disable-features=Translate --user-data-dir=$HOME/chromium";

/** Terminals: the name is the executable's. */
const TERMINALS: Record<string, string> = {
  "gnome-terminal": "gnome-terminal --wait -- $RUN",
  "konsole": "konsole --nofork -e $RUN",
  "xfce4-terminal": "xfce4-terminal --disable-server -x $RUN",
  "mate-terminal": "mate-terminal --disable-factory -x $RUN",
  "qterminal": 'qterminal -e "$RUN"',
  "foot": "foot $RUN",
};

export const PROGRAMS: readonly Program[] = [
  {
    name: "xterm",
    title: "xterm",
    field: "terminal",
    executable: "xterm",
    command: "xterm -fa DejaVuSansMono -e $RUN",
    isTyping: true,
  },
  ...Object.entries(TERMINALS).map(([name, command]): Program => ({
    name,
    title: name,
    field: "terminal",
    executable: name,
    command,
    isTyping: true,
  })),
  {
    name: "gtk3",
    title: "GTK 3 (Mousepad)",
    field: "editor",
    executable: "mousepad",
    command: "mousepad --disable-server $FILE",
    isTyping: true,
  },
  {
    name: "gtk4",
    title: "GTK 4 (GNOME Text Editor)",
    field: "editor",
    executable: "gnome-text-editor",
    command: "gnome-text-editor --standalone $FILE",
    loadingMs: 6000, // it shows the file's name first, and puts what it has read in the place of all text then
    isTyping: true,
  },
  {
    name: "qt",
    title: "Qt (KWrite)",
    field: "editor",
    executable: "kwrite",
    command: "kwrite $FILE",
    isTyping: true,
  },
  {
    name: "featherpad",
    title: "Qt (FeatherPad)",
    field: "editor",
    executable: "featherpad",
    command: "featherpad --standalone $FILE",
  },
  {
    name: "chromium-x11",
    title: "Chromium, X11",
    field: "page",
    executable: "chromium",
    command: `${CHROMIUM} --ozone-platform=x11 $URL`,
    window: "witness page",
    on: "x11",
    isTyping: true,
  },
  {
    name: "chromium-wayland",
    title: "Chromium, Wayland",
    field: "page",
    executable: "chromium",
    command: `${CHROMIUM} --ozone-platform=wayland $URL`,
    window: "witness page",
    on: "wayland",
    isTyping: true,
  },
  {
    name: "firefox",
    title: "Firefox",
    field: "page",
    executable: "firefox-esr",
    command: "firefox-esr --no-remote --profile $HOME/firefox $URL",
    window: "witness page",
  },
  {
    name: "libreoffice",
    title: "LibreOffice Writer",
    field: "editor",
    executable: "soffice",
    command: "soffice --norestore --nologo --nofirststartwizard --writer $FILE",
    loadingMs: 6000,
  },
];

/** The programs that are terminals of desktops; xterm is everywhere. */
export function isDesktopTerminal({ name }: Program): boolean {
  return name in TERMINALS;
}
