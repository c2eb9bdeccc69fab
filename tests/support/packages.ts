/** The programs that tests use as witnesses, and the Debian packages they come in. */

import { CACHE, MAY_INSTALL } from "./config.ts";

/** The sign of each package that it is installed: a program on the PATH, or a file. */
const PACKAGES: Record<string, string> = {
  mypy: "/usr/bin/mypy",
  aria2: "/usr/bin/aria2c",
  chromium: "/usr/bin/chromium",
  "chromium-headless-shell": "/usr/bin/chromium-headless-shell",
  curl: "/usr/bin/curl",
  file: "/usr/bin/file",
  fcitx5: "/usr/bin/fcitx5",
  "fcitx5-hangul": "/usr/share/fcitx5/inputmethod/hangul.conf",
  ffmpeg: "/usr/bin/ffmpeg",
  "dbus-bin": "/usr/bin/dbus-send",
  "dbus-daemon": "/usr/bin/dbus-daemon",
  "firefox-esr": "/usr/bin/firefox-esr",
  fish: "/usr/bin/fish",
  "gcc-aarch64-linux-gnu": "/usr/bin/aarch64-linux-gnu-gcc",
  foot: "/usr/bin/foot",
  gcc: "/usr/bin/gcc",
  "at-spi2-core": "/usr/libexec/at-spi-bus-launcher",
  "gir1.2-gtk-3.0": "/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-3.0.typelib",
  "gir1.2-gtk-4.0": "/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-4.0.typelib",
  "gnome-shell": "/usr/bin/gnome-shell",
  grim: "/usr/bin/grim",
  groff: "/usr/bin/groff",
  ibus: "/usr/bin/ibus-daemon",
  "ibus-anthy": "/usr/share/ibus/component/anthy.xml",
  "ibus-libpinyin": "/usr/share/ibus/component/libpinyin.xml",
  imagemagick: "/usr/bin/compare",
  "libglib2.0-bin": "/usr/bin/gdbus",
  "libc6-dev": "/usr/include/stdio.h",
  "libc6-dev-arm64-cross": "/usr/aarch64-linux-gnu/include/stdio.h",
  "libx11-dev": "/usr/include/X11/Xlib.h",
  "libxdo-dev": "/usr/include/xdo.h",
  "kwin-wayland": "/usr/bin/kwin_wayland",
  "libkf5service-bin": "/usr/bin/kbuildsycoca5",
  kdialog: "/usr/bin/kdialog",
  konsole: "/usr/bin/konsole",
  libopus0: "/usr/lib/x86_64-linux-gnu/libopus.so.0",
  libpulse0: "/usr/lib/x86_64-linux-gnu/libpulse.so.0",
  libturbojpeg0: "/usr/lib/x86_64-linux-gnu/libturbojpeg.so.0",
  "libxcb-damage0": "/usr/lib/x86_64-linux-gnu/libxcb-damage.so.0",
  libxdo3: "/usr/lib/x86_64-linux-gnu/libxdo.so.3",
  "libxext-dev": "/usr/include/X11/extensions/XShm.h",
  "libxfixes-dev": "/usr/include/X11/extensions/Xfixes.h",
  "libxi-dev": "/usr/include/X11/extensions/XInput2.h",
  "libxtst-dev": "/usr/include/X11/extensions/record.h",
  "libxrandr-dev": "/usr/include/X11/extensions/Xrandr.h",
  mousepad: "/usr/bin/mousepad",
  metacity: "/usr/bin/metacity",
  "musl-tools": "/usr/bin/musl-gcc",
  "netcat-openbsd": "/bin/nc.openbsd",
  openbox: "/usr/bin/openbox",
  pipewire: "/usr/bin/pipewire",
  "pipewire-pulse": "/usr/bin/pipewire-pulse",
  zenity: "/usr/bin/zenity",
  "openssl": "/usr/bin/openssl",
  python3: "/usr/bin/python3",
  "python3-pil": "/usr/lib/python3/dist-packages/PIL/__init__.py",
  "python3-pip": "/usr/bin/pip3",
  "python3-pyqt5": "/usr/lib/python3/dist-packages/PyQt5/QtWidgets.abi3.so",
  "python3-pyatspi": "/usr/lib/python3/dist-packages/pyatspi/__init__.py",
  "python3-dbusmock": "/usr/lib/python3/dist-packages/dbusmock/__init__.py",
  "qemu-user-static": "/usr/bin/qemu-aarch64-static",
  qtwayland5: "/usr/lib/x86_64-linux-gnu/qt5/plugins/platforms/libqwayland-generic.so",
  rclone: "/usr/bin/rclone",
  sudo: "/usr/bin/sudo",
  sway: "/usr/bin/sway",
  tmux: "/usr/bin/tmux",
  unzip: "/usr/bin/unzip",
  wev: "/usr/bin/wev",
  wget: "/usr/bin/wget",
  wireplumber: "/usr/bin/wireplumber",
  "wl-clipboard": "/usr/bin/wl-paste",
  wmctrl: "/usr/bin/wmctrl",
  "x11-apps": "/usr/bin/xwd",
  "x11-utils": "/usr/bin/xev",
  "x11-xserver-utils": "/usr/bin/xmodmap",
  "xdg-desktop-portal": "/usr/libexec/xdg-desktop-portal",
  "xdg-desktop-portal-gnome": "/usr/libexec/xdg-desktop-portal-gnome",
  xauth: "/usr/bin/xauth",
  xclip: "/usr/bin/xclip",
  xdotool: "/usr/bin/xdotool",
  "xfce4-clipman": "/usr/bin/xfce4-clipman",
  xinput: "/usr/bin/xinput",
  xsel: "/usr/bin/xsel",
  "xserver-xephyr": "/usr/bin/Xephyr",
  xterm: "/usr/bin/xterm",
  xwayland: "/usr/bin/Xwayland",
  xvfb: "/usr/bin/Xvfb",
  zsh: "/usr/bin/zsh",
};

/** Downloads of tests beside packages, once, and whether root's run alone makes them. */
const CACHES: readonly { path: string; size: string; what: string; isRoots?: true }[] = [
  { path: "/var/cache/deskhand-wine", size: "2.3 GB", what: "Wine and Deno for Windows", isRoots: true },
  { path: CACHE, size: "2.1 GB", what: "builds of Deno for other systems, and executables made of them" },
];

/**
 * Installs missing packages if root runs the tests on a Debian system, unless DESKHAND_TEST_INSTALL is `no`. It first
 * prints the packages and their size. Elsewhere it prints the packages to install.
 */
export async function installPackages(): Promise<void> {
  const missing = Object.keys(PACKAGES).filter((name) => !isFile(PACKAGES[name]));
  const fetched = (cache: typeof CACHES[number]) => !exists(cache.path) && (!cache.isRoots || isRoot());
  const caches = MAY_INSTALL ? CACHES.filter(fetched) : [];
  for (const { path, size, what } of caches) console.error(`The tests fetch ${size} to ${path}: ${what}.`);
  if (caches.length) console.error("DESKHAND_TEST_INSTALL=no leaves that, and skips the tests that need it.");
  if (!missing.length) return;
  if (!MAY_INSTALL || Deno.build.os !== "linux" || !isRoot() || !isFile("/usr/bin/apt-get")) {
    const command = ["apt-get", "install", "--no-install-recommends", ...missing].join(" ");
    console.error(
      `\n!!! Tests will be skipped for want of programs. To have them: sudo ${command} !!!\n`,
    );
    return;
  }
  await apt("update");
  console.error(await announcement(missing));
  await apt("install", "-y", "--no-install-recommends", ...missing);
}

/**
 * Prints the packages of an installation, and their size.
 * @param packages By name.
 */
export async function announcement(packages: readonly string[]): Promise<string> {
  const { stdout } = await new Deno.Command("apt-get", {
    args: ["install", "--assume-no", "-o", "Debug::NoLocking=true", "--no-install-recommends", ...packages],
    env: { LC_ALL: "C" },
    stderr: "null",
  }).output();
  return [
    `Installing for the tests: ${packages.join(" ")}`,
    `With what these need: ${sizes(new TextDecoder().decode(stdout))}.`,
    "DESKHAND_TEST_INSTALL=no leaves that, and skips the tests that need it.",
  ].join("\n");
}

/**
 * Reads the size of an installation from the lines that apt-get(8) prints before it asks.
 * @returns Such as `12 packages, 4,580 kB to fetch, 21.3 MB on the disk`.
 */
export function sizes(printed: string): string {
  const found = [
    [/^\d+ upgraded, (\d+) newly installed/m, "packages"],
    [/^Need to get (?:\S+ \S+\/)?(\S+ \S+) of archives/m, "to fetch"],
    [/^After this operation, (\S+ \S+) of additional disk space/m, "on the disk"],
  ] as const;
  return found.flatMap(([pattern, unit]) => {
    const match = pattern.exec(printed);
    return match ? [`${match[1]} ${unit}`] : [];
  }).join(", ") || "apt-get tells no sizes";
}

async function apt(...args: string[]): Promise<void> {
  const { success } = await new Deno.Command("apt-get", {
    args: ["-qq", "-o", "DPkg::Lock::Timeout=600", ...args],
    env: { DEBIAN_FRONTEND: "noninteractive" },
    stdout: "null",
  }).output();
  if (!success) {
    console.error(`\n!!! apt-get ${args.join(" ")} failed: tests that need it will be skipped !!!\n`);
  }
}

function isRoot(): boolean {
  return Deno.uid() === 0;
}

function isFile(path: string): boolean {
  return exists(path, ({ isFile }) => isFile);
}

function exists(path: string, fits: (info: Deno.FileInfo) => boolean = () => true): boolean {
  try {
    return fits(Deno.statSync(path));
  } catch {
    return false;
  }
}
