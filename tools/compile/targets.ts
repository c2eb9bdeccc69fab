/** The systems that executables are made for, and a function that finds the system of a file. */

/** A row of the table. */
export interface Target {
  /** The name as in the executable's: `deskhand-linux-x64`. */
  name: string;
  /** The name for `deno compile --target`. */
  triple: string;
  /** The end of the executable's name. */
  suffix: string;
  format: "ELF" | "PE";
  /** The processor, by its number in the executable's format (ELF e_machine, PE Machine). */
  machine: number;
  /** Debian's name of the architecture; left out where there is no package for Debian. */
  debian?: string;
  /** The system and processor as Node.js names them (`process.platform`, `process.arch`). */
  node: { os: string; cpu: string };
}

/** Every target: what the pinned Deno can make and deskhand has a desktop for. */
export const TARGETS: readonly Target[] = [
  {
    name: "linux-x64",
    triple: "x86_64-unknown-linux-gnu",
    suffix: "",
    format: "ELF",
    machine: 0x3e,
    debian: "amd64",
    node: { os: "linux", cpu: "x64" },
  },
  {
    name: "linux-arm64",
    triple: "aarch64-unknown-linux-gnu",
    suffix: "",
    format: "ELF",
    machine: 0xb7,
    debian: "arm64",
    node: { os: "linux", cpu: "arm64" },
  },
  {
    name: "windows-x64",
    triple: "x86_64-pc-windows-msvc",
    suffix: ".exe",
    format: "PE",
    machine: 0x8664,
    node: { os: "win32", cpu: "x64" },
  },
  {
    name: "windows-arm64",
    triple: "aarch64-pc-windows-msvc",
    suffix: ".exe",
    format: "PE",
    machine: 0xaa64,
    node: { os: "win32", cpu: "arm64" },
  },
];

/** The target for this machine; undefined if there is none. */
export function hostTarget(): Target | undefined {
  return TARGETS.find(({ triple }) => triple === Deno.build.target);
}

/** The name of a target's executable. */
export function executableName(target: Target): string {
  return `deskhand-${target.name}${target.suffix}`;
}

/**
 * Tells which target a program file runs on.
 * @param path The file.
 * @returns undefined if it is a program for none of them, or no program.
 * @throws Deno.errors.NotFound and its kin if it cannot be read.
 */
export function targetOf(path: string): Target | undefined {
  using file = Deno.openSync(path);
  const start = new DataView(new ArrayBuffer(4096));
  const size = file.readSync(new Uint8Array(start.buffer)) ?? 0;
  const found = size < 64 ? undefined : elf(start) ?? pe(start);
  return TARGETS.find(({ format, machine }) => found?.format === format && found.machine === machine);
}

/** ELF header: the magic number, then e_machine at 18 (System V ABI, chapter 4). */
function elf(start: DataView): Pick<Target, "format" | "machine"> | undefined {
  if (start.getUint32(0) !== 0x7f454c46) return;
  return { format: "ELF", machine: start.getUint16(18, true) };
}

/** PE: `MZ`, at 0x3c the place of `PE\0\0`, behind which stands Machine (Microsoft's "PE Format"). */
function pe(start: DataView): Pick<Target, "format" | "machine"> | undefined {
  if (start.getUint16(0) !== 0x4d5a) return;
  const header = start.getUint32(0x3c, true);
  if (header + 6 > start.byteLength || start.getUint32(header) !== 0x50450000) return;
  return { format: "PE", machine: start.getUint16(header + 4, true) };
}
