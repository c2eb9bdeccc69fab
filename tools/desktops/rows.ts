/** The desktops: rows of the table, most important first. */

import type { RootName } from "./packages.ts";

/** A way to start a session. */
export type KindName = "gnome" | "kwin" | "wlroots" | "x11";

/** An input method; the word after a plus is the active engine: for Chinese, Japanese or Korean. */
export type InputMethod =
  | "none"
  | "ibus"
  | "ibus+pinyin"
  | "ibus+anthy"
  | "ibus+hangul"
  | "fcitx5"
  | "fcitx5+pinyin";

/** A desktop as users install it. */
export interface Row {
  id: string;
  title: string;
  root: RootName;
  kind: KindName;
  /** The Debian package whose version the row shows. */
  package: string;
  inputMethod: InputMethod;
  /** The session program, or the compositor. */
  command: string;
  /** The desktop's own terminal, from the table of programs. */
  terminal?: string;
  /** The X server, instead of Xvfb. */
  server?: "xvnc" | "xephyr";
  /** Whether only a few programs are tried: all others are in a row that differs only in the input method. */
  isVariant?: boolean;
  /** Whether this is only a window manager, with which only the actions next to a user are tried. */
  isBare?: boolean;
}

/** A desktop in one or both roots. */
type Desktop = Omit<Row, "id" | "root" | "inputMethod" | "isVariant"> & {
  name: string;
  methods: Partial<Record<RootName, readonly InputMethod[]>>;
};

const DESKTOPS: readonly Desktop[] = [
  {
    name: "gnome",
    title: "GNOME",
    kind: "gnome",
    package: "gnome-shell",
    command: "gnome-shell",
    terminal: "gnome-terminal",
    methods: {
      bookworm: ["ibus", "ibus+pinyin", "ibus+anthy"],
      trixie: ["ibus", "ibus+pinyin", "ibus+hangul"],
    },
  },
  {
    name: "plasma-wayland",
    title: "Plasma on Wayland",
    kind: "kwin",
    package: "plasma-workspace",
    command: "kwin_wayland",
    terminal: "konsole",
    methods: { bookworm: ["none", "fcitx5+pinyin"], trixie: ["none", "fcitx5+pinyin"] },
  },
  {
    name: "xfce",
    title: "XFCE",
    kind: "x11",
    package: "xfce4-session",
    command: "xfce4-session",
    terminal: "xfce4-terminal",
    methods: {
      bookworm: ["ibus", "none", "ibus+pinyin", "ibus+hangul", "fcitx5", "fcitx5+pinyin"],
      trixie: ["ibus", "ibus+pinyin", "ibus+anthy"],
    },
  },
  {
    name: "plasma-x11",
    title: "Plasma on X11",
    kind: "x11",
    package: "plasma-workspace",
    command: "startplasma-x11",
    terminal: "konsole",
    methods: { bookworm: ["ibus", "fcitx5"], trixie: ["none", "fcitx5"] },
  },
  {
    name: "mate",
    title: "MATE",
    kind: "x11",
    package: "mate-session-manager",
    command: "mate-session",
    terminal: "mate-terminal",
    methods: { bookworm: ["fcitx5", "ibus"], trixie: ["fcitx5"] },
  },
  {
    name: "cinnamon",
    title: "Cinnamon",
    kind: "x11",
    package: "cinnamon",
    command: "cinnamon-session --session cinnamon",
    terminal: "gnome-terminal",
    methods: { bookworm: ["ibus"], trixie: ["ibus"] },
  },
  {
    name: "sway",
    title: "sway",
    kind: "wlroots",
    package: "sway",
    command: "sway",
    terminal: "foot",
    methods: { bookworm: ["none", "fcitx5+pinyin"], trixie: ["none", "fcitx5+pinyin"] },
  },
  {
    name: "labwc",
    title: "labwc",
    kind: "wlroots",
    package: "labwc",
    command: "labwc",
    terminal: "foot",
    methods: { trixie: ["none"] },
  },
  {
    name: "lxqt",
    title: "LXQt with Openbox",
    kind: "x11",
    package: "lxqt-session",
    command: "startlxqt",
    terminal: "qterminal",
    methods: { bookworm: ["none"], trixie: ["fcitx5"] },
  },
  {
    name: "i3",
    title: "i3",
    kind: "x11",
    package: "i3-wm",
    command: "i3",
    methods: { bookworm: ["none"], trixie: ["ibus"] },
  },
  {
    name: "xvnc",
    title: "TigerVNC's Xvnc with XFCE",
    kind: "x11",
    package: "tigervnc-standalone-server",
    command: "xfce4-session",
    terminal: "xfce4-terminal",
    server: "xvnc",
    methods: { bookworm: ["none"], trixie: ["none"] },
  },
  {
    name: "xephyr",
    title: "Xephyr with two screens and Openbox",
    kind: "x11",
    package: "xserver-xephyr",
    command: "openbox",
    server: "xephyr",
    methods: { bookworm: ["none"], trixie: ["none"] },
  },
  ...[["openbox", "Openbox"], ["xfwm4", "Xfwm"], ["metacity", "Metacity"]].map(([name, title]): Desktop => ({
    name,
    title,
    kind: "x11",
    package: name,
    command: name,
    isBare: true,
    methods: { bookworm: ["none"] },
  })),
];

/**
 * All rows. A desktop's first row in a root tries all programs; the rows after it differ in the input method.
 */
export const ROWS: readonly Row[] = DESKTOPS.flatMap(({ name, methods, ...desktop }) =>
  (Object.keys(methods) as RootName[]).flatMap((root) =>
    methods[root]!.map((inputMethod, i): Row => ({
      ...desktop,
      root,
      inputMethod,
      id: [name, root, inputMethod].join("-"),
      isVariant: i > 0,
    }))
  )
);
