/** The programs into which text is typed: columns of the table. */

/**
 * How to read text back: from the file that an editor saves, from the output of `cat`, from a page's report.
 */
type FieldKind = "editor" | "terminal" | "page";

/** A program and how to start it. */
export interface Program {
  name: string;
  title: string;
  field: FieldKind;
  /** The executable, which shows whether the root has the program. */
  executable: string;
  /** The shell command: `$FILE` is the file, `$RUN` the command for a terminal, `$URL` the page. */
  command: string;
  /** Part of its window title, ignoring case; by default any title different from the previous one. */
  window?: string;
  /**
   * How long the program ignores keys after its window has appeared, in milliseconds; for sessions where only
   * deskhand presses keys.
   */
  loadingMs?: number;
  /** The kind of session that has the program; defaults to both. */
  on?: "x11" | "wayland";
  /** Whether the program is also tried in the rows that differ only in the input method. */
  isTyping?: boolean;
}

/** Always with a scale of 1, so that the page reports positions in screen pixels. */
const CHROMIUM = "chromium --no-sandbox --no-first-run --password-store=basic --start-maximized " +
  "--force-device-scale-factor=1 --force-color-profile=srgb --disable-features=Translate --user-data-dir=$HOME/chromium";

/** Terminals: the name is that of the executable. */
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
    loadingMs: 6000, // it shows the file's name first, and then replaces all text with the file's content
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

/** Whether a program is a desktop's own terminal; xterm is available everywhere. */
export function isDesktopTerminal({ name }: Program): boolean {
  return name in TERMINALS;
}
