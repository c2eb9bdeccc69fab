/** The systems for which executables are built, and a function that identifies a file's system. */

/** A row of the table. */
export interface Target {
  /** The name as in that of the executable: `deskhand-linux-x64`. */
  name: string;
  /** The name for `deno compile --target`. */
  triple: string;
  /** The suffix of the executable's name. */
  suffix: string;
  format: "ELF" | "PE";
  /** The processor, as numbered in the executable's format (ELF e_machine, PE Machine). */
  machine: number;
  /** Debian's architecture name; omitted if there is no Debian package. */
  debian?: string;
  /** The system and processor in Node.js's terms (`process.platform`, `process.arch`). */
  node: { os: string; cpu: string };
}

/** All targets: those that the pinned Deno supports and for which deskhand has a desktop. */
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

/** This machine's target; undefined if there is none. */
export function hostTarget(): Target | undefined {
  return TARGETS.find(({ triple }) => triple === Deno.build.target);
}

/** The name of a target's executable. */
export function executableName(target: Target): string {
  return `deskhand-${target.name}${target.suffix}`;
}

/**
 * Identifies the target of a program file.
 * @param path The file.
 * @returns undefined if it is a program for none of them, or not a program.
 * @throws Deno.errors.NotFound and similar if it cannot be read.
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

/** PE: `MZ`, at 0x3c the offset of `PE\0\0`, which is followed by Machine (Microsoft's "PE Format"). */
function pe(start: DataView): Pick<Target, "format" | "machine"> | undefined {
  if (start.getUint16(0) !== 0x4d5a) return;
  const header = start.getUint32(0x3c, true);
  if (header + 6 > start.byteLength || start.getUint32(header) !== 0x50450000) return;
  return { format: "PE", machine: start.getUint16(header + 4, true) };
}
