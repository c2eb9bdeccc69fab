/** An X11 desktop's C libraries. They are opened with a desktop, never on import. */

import { bindOnUse } from "../../core/binding.ts";
import { attempt, NoDesktopError } from "../../core/errors.ts";
import { LIBC_FUNCTIONS, openLibc } from "../linux/libc.ts";
import { X11_XCB, XCB, XCB_COMPOSITE, XCB_DAMAGE, XCB_SHM } from "./xcb_symbols.ts";
import { X11, XDO, XEXT, XFIXES, XI, XKBCOMMON, XRANDR, XRECORD, XRES, XTST } from "./symbols.ts";

/** A library: its file names, newest first, and the package that contains it. */
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

/** The libraries that an X11 desktop requires. */
const LIBRARIES = {
  c: library(["libc.so.6"], LIBC_FUNCTIONS, "libc6", "glibc", "glibc"),
  x11: library(["libX11.so.6"], X11, "libx11-6", "libX11", "libx11"),
  xext: library(["libXext.so.6"], XEXT, "libxext6", "libXext", "libxext"),
  xtst: library(["libXtst.so.6"], { ...XTST, ...XRECORD }, "libxtst6", "libXtst", "libxtst"),
  xi: library(["libXi.so.6"], XI, "libxi6", "libXi", "libxi"),
  xrandr: library(["libXrandr.so.2"], XRANDR, "libxrandr2", "libXrandr", "libxrandr"),
  xfixes: library(["libXfixes.so.3"], XFIXES, "libxfixes3", "libXfixes", "libxfixes"),
  xcb: library(["libxcb.so.1"], XCB, "libxcb1", "libxcb", "libxcb"), // on which libX11 itself is built
  xkbcommon: library(["libxkbcommon.so.0"], XKBCOMMON, "libxkbcommon0", "libxkbcommon", "libxkbcommon"),
  // libxdo.so.4 exists since release 4.20251130; the functions that deskhand uses are the same in both.
  xdo: library(["libxdo.so.4", "libxdo.so.3"], XDO, "libxdo3", "libxdo", "xdotool"),
};

/** Optional libraries: those for pictures, and the one for waiting for a server without blocking. */
const OPTIONAL_LIBRARIES = {
  x11Xcb: library(["libX11-xcb.so.1"], X11_XCB, "libx11-xcb1", "libX11-xcb", "libx11"),
  xres: library(["libXRes.so.1"], XRES, "libxres1", "libXres", "libxres"),
  xcbShm: library(["libxcb-shm.so.0"], XCB_SHM, "libxcb-shm0", "libxcb", "libxcb"),
  xcbDamage: library(["libxcb-damage.so.0"], XCB_DAMAGE, "libxcb-damage0", "libxcb", "libxcb"),
  xcbComposite: library(
    ["libxcb-composite.so.0"],
    XCB_COMPOSITE,
    "libxcb-composite0",
    "libxcb",
    "libxcb",
  ),
};
/** The consequence of each missing library. */
const COSTS: Record<keyof typeof OPTIONAL_LIBRARIES, string> = {
  x11Xcb: "an X server that does not answer blocks the file server and all other requests",
  xres: "a window's process is the one that its program names, when --agent-allow looks it up",
  xcbShm: "pictures take longer",
  xcbDamage: "the live picture uses more CPU and has half the frame rate",
  xcbComposite: "covered windows cannot be captured",
};

type Rows = Record<string, Library<Deno.ForeignLibraryInterface>>;

/** The functions of libraries, one table each. */
type Tables<R extends Rows> = { [K in keyof R]: Deno.DynamicLibrary<R[K]["symbols"]>["symbols"] };
/** The functions of all required libraries. */
export type Libraries = Tables<typeof LIBRARIES>;
/** The functions of the optional libraries. */
export type OptionalLibraries = Tables<typeof OPTIONAL_LIBRARIES>;

let opened: Libraries | undefined;
const openedOptional: { [K in keyof OptionalLibraries]?: object } = {};

/**
 * Opens the libraries, once per thread; they stay open, since Xlib holds pointers into them.
 * @returns Their functions, each bound on first use.
 * @throws NoDesktopError naming each missing library and its package.
 */
export function openLibraries(): Libraries {
  if (opened) return opened;
  const tables: Record<string, object> = {}, missing: Rows[string][] = [];
  for (const [key, row] of Object.entries(LIBRARIES as unknown as Rows)) {
    const functions = functionsOf(row);
    if (functions) tables[key] = functions;
    else missing.push(row);
  }
  if (missing.length) throw new NoDesktopError(missingText(missing));
  return opened = { ...tables as unknown as Libraries, c: openLibc() };
}

/** Opens an optional library, once per thread; undefined if it is missing. */
export function openOptional<K extends keyof OptionalLibraries>(key: K): OptionalLibraries[K] | undefined {
  if (!(key in openedOptional)) {
    openedOptional[key] = functionsOf(OPTIONAL_LIBRARIES[key] as unknown as Rows[string]);
  }
  return openedOptional[key] as OptionalLibraries[K] | undefined;
}

/** A library's functions, each bound on first use; undefined if the library is missing. */
function functionsOf(row: Rows[string]): object | undefined {
  const handle = tryOpen(row, {});
  return handle && bindOnUse(handle.name, row.symbols, (symbol, cause) =>
    new NoDesktopError(
      `${handle.name} is too old: it lacks ${symbol} (Debian and Ubuntu: ${row.packages.debian})`,
      { cause },
    ));
}

/** Debian's packages for the libraries: those that an X11 desktop requires, and those that make it faster. */
export function debianPackages(): { needed: string[]; optional: string[] } {
  const names = (rows: Rows) => Object.values(rows).map(({ packages }) => packages.debian);
  return {
    needed: names(LIBRARIES as unknown as Rows),
    optional: names(OPTIONAL_LIBRARIES as unknown as Rows),
  };
}

/** A library in the report of `deskhand doctor`: the file found, or what to install. */
interface LibraryFinding {
  name: string;
  found?: string;
  packages: string;
  /** The feature that is slower without the library, if deskhand works without it. */
  cost?: string;
}

/** Checks which libraries are installed. */
export function inspectLibraries(): LibraryFinding[] {
  const costs: Record<string, string> = COSTS;
  const rows = Object.entries({ ...LIBRARIES, ...OPTIONAL_LIBRARIES } as unknown as Rows);
  return rows.map(([key, row]) => {
    const handle = tryOpen(row, row.symbols);
    handle?.library.close();
    return {
      name: row.names.join(" or "),
      found: handle?.name,
      packages: packagesText([row]),
      cost: costs[key],
    };
  });
}

function tryOpen({ names }: Rows[string], symbols: Deno.ForeignLibraryInterface) {
  for (const name of names) {
    const library = attempt(() => Deno.dlopen(name, symbols)); // the caller reports missing libraries
    if (library) return { name, library };
  }
}

function missingText(missing: readonly Rows[string][]): string {
  const names = missing.map(({ names }) => names.join(" or ")).join(", ");
  return `an X11 library is missing: ${names}. ${packagesText(missing)}. ` +
    "To try deskhand without a desktop: --desktop virtual";
}

function packagesText(rows: readonly Rows[string][]): string {
  const list = (system: "debian" | "fedora" | "arch") =>
    rows.map(({ packages }) => packages[system]).join(" ");
  return `Debian and Ubuntu: apt install ${list("debian")}; Fedora: dnf install ${list("fedora")}; ` +
    `Arch: pacman -S ${list("arch")}`;
}
