/** The C libraries of an X11 desktop. Opened when a desktop is, never on import. */

import { NoDesktopError } from "../../errors.ts";
import { bindOnUse } from "../binding.ts";
import { C, X11, XDO, XEXT, XFIXES, XI, XKBCOMMON, XRANDR, XTST } from "./symbols.ts";

/** A library: its file names, newest first, and the package that has it. */
interface Library<S extends Deno.ForeignLibraryInterface> {
  names: readonly string[];
  symbols: S;
  packages: { debian: string; fedora: string; arch: string };
}

function library<S extends Deno.ForeignLibraryInterface>(
  names: string[],
  symbols: S,
  debian: string,
  fedora: string,
  arch: string,
): Library<S> {
  return { names, symbols, packages: { debian, fedora, arch } };
}

/** Every library that is needed. */
const LIBRARIES = {
  c: library(["libc.so.6", "libc.so"], C, "libc6", "glibc", "glibc"),
  x11: library(["libX11.so.6"], X11, "libx11-6", "libX11", "libx11"),
  xext: library(["libXext.so.6"], XEXT, "libxext6", "libXext", "libxext"),
  xtst: library(["libXtst.so.6"], XTST, "libxtst6", "libXtst", "libxtst"),
  xi: library(["libXi.so.6"], XI, "libxi6", "libXi", "libxi"),
  xrandr: library(["libXrandr.so.2"], XRANDR, "libxrandr2", "libXrandr", "libxrandr"),
  xfixes: library(["libXfixes.so.3"], XFIXES, "libxfixes3", "libXfixes", "libxfixes"),
  xkbcommon: library(["libxkbcommon.so.0"], XKBCOMMON, "libxkbcommon0", "libxkbcommon", "libxkbcommon"),
  // 4 since release 4.20251130; the functions used here did not change.
  xdo: library(["libxdo.so.4", "libxdo.so.3"], XDO, "libxdo3", "libxdo", "xdotool"),
};

const ROWS = Object.entries(LIBRARIES) as unknown as [string, Library<Deno.ForeignLibraryInterface>][];

/** The functions of all libraries, a table each. */
export type Libraries = {
  [K in keyof typeof LIBRARIES]: Deno.DynamicLibrary<(typeof LIBRARIES)[K]["symbols"]>["symbols"];
};

let opened: Libraries | undefined;

/**
 * Opens the libraries, once a thread; they stay open, since Xlib keeps pointers into them.
 * @returns Their functions, each bound when it is first used, since a start uses 13 of 70.
 * @throws NoDesktopError naming each library that is missing and its package.
 */
export function openLibraries(): Libraries {
  if (opened) return opened;
  const found: Record<string, unknown> = {};
  const missing: Library<Deno.ForeignLibraryInterface>[] = [];
  for (const [key, row] of ROWS) {
    const handle = tryOpen(row, {});
    if (handle) {
      found[key] = bindOnUse(handle.name, row.symbols, (symbol, cause) =>
        new NoDesktopError(
          `${handle.name} is too old: it lacks ${symbol} (Debian and Ubuntu: ${row.packages.debian})`,
          { cause },
        ));
    } else missing.push(row);
  }
  if (missing.length) throw new NoDesktopError(missingText(missing));
  return opened = found as Libraries;
}

/** Which libraries are there, for `deskhand doctor`: the file that was found, or what to install. */
export function inspectLibraries(): { name: string; found?: string; packages: string }[] {
  return ROWS.map(([_, row]) => {
    const handle = tryOpen(row, row.symbols);
    handle?.library.close();
    return { name: row.names.join(" or "), found: handle?.name, packages: packagesText([row]) };
  });
}

function tryOpen({ names }: Library<Deno.ForeignLibraryInterface>, symbols: Deno.ForeignLibraryInterface) {
  for (const name of names) {
    try {
      return { name, library: Deno.dlopen(name, symbols) };
    } catch {
      // The next name, or none: the caller says which are missing.
    }
  }
  return undefined;
}

function missingText(missing: Library<Deno.ForeignLibraryInterface>[]): string {
  const names = missing.map(({ names }) => names.join(" or ")).join(", ");
  return `a library for X11 is missing: ${names}. ${packagesText(missing)}. ` +
    "To try deskhand without a desktop: --desktop virtual";
}

function packagesText(rows: Library<Deno.ForeignLibraryInterface>[]): string {
  const list = (system: "debian" | "fedora" | "arch") =>
    rows.map(({ packages }) => packages[system]).join(" ");
  return `Debian and Ubuntu: apt install ${list("debian")}; Fedora: dnf install ${list("fedora")}; ` +
    `Arch: pacman -S ${list("arch")}`;
}

/** Text as C wants it: bytes in UTF-8 with a zero at the end. */
export function cString(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text + "\0");
}
