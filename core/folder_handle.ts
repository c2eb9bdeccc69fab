/**
 * Folders that stay open, so that names in them lead to the same folder even if another program moves it or
 * replaces it with a link. Linux resolves names relative to a descriptor (openat(2) and related calls). These
 * calls go through the C library, because Deno (2.9.6) cannot open a file by a folder's descriptor and denies
 * /proc/self/fd to executables. On other systems the folder's identity is checked before each use of a name,
 * which leaves a gap of microseconds.
 */

import { cString, libcFunctions } from "./binding.ts";
import { attempt, FileChangedError } from "./errors.ts";
import { isThere, join, nodeModule } from "./path.ts";

/** A file's identity among all files that exist at the same time. */
export type Identity = Pick<Deno.FileInfo, "dev" | "ino">;

/** Whether both identify the same file. Some Windows file systems have no file numbers: null equals null. */
export function isSame(a: Identity, b: Identity): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

const C = libcFunctions({
  open: "i32 (buffer char *path, i32 flags)",
  openat: "i32 (i32, buffer char *path, i32 flags, u32 mode)",
  fchown: "i32 (i32, u32, u32)",
  fchmod: "i32 (i32, u32)",
  close: "i32 (i32)",
  statx: "i32 (i32, buffer char *path, i32 flags, u32 mask, buffer struct statx *)",
  linkat: "i32 (i32, buffer, i32, buffer, i32 flags)",
  renameat: "i32 (i32, buffer, i32, buffer)",
  unlinkat: "i32 (i32, buffer, i32 flags)",
  mkdirat: "i32 (i32, buffer, u32 mode)",
  __errno_location: "pointer ()",
}, ["open", "close", "statx", "__errno_location"]);

/** Flags of open(2), with their values on x86_64 and aarch64, where O_DIRECTORY and O_NOFOLLOW differ. */
const [O_DIRECTORY, O_NOFOLLOW] = Deno.build.arch === "aarch64" ? [0o40000, 0o100000] : [0o200000, 0o400000];
const O_RDWR = 2, O_CREAT = 0o100, O_EXCL = 0o200, O_CLOEXEC = 0o2000000;
/** The owner that leaves a file's as it is (chown(2)): -1. */
const SAME_OWNER = 0xffffffff;
/** Flags and masks of statx(2), and the size of its struct. */
const AT_SYMLINK_NOFOLLOW = 0x100,
  AT_REMOVEDIR = 0x200,
  AT_EMPTY_PATH = 0x1000,
  STATX_BASIC_STATS = 0x7ff,
  STATX_MNT_ID = 0x1000,
  STATX_SIZE = 256;
const S_IFMT = 0o170000, S_IFREG = 0o100000, S_IFDIR = 0o040000;

/** The metadata of a name in a folder; a link is not followed. */
export interface NamedFile extends Identity {
  isFile: boolean;
  isFolder: boolean;
  /** Size in bytes. */
  size: number;
  /** Number of hard links to the file. */
  nlink: number;
  /** Modification time, in milliseconds since 1970. */
  modified: number;
  /**
   * The mount that it is in: nothing is moved between two mounts, even of one disk (bind mounts). The same number
   * everywhere if the system does not report it.
   */
  mount: number;
}

/** Whether the system moves files between two folders, as far as known. */
export function isOnSameMount(a: NamedFile | undefined, b: NamedFile | undefined): boolean {
  return a?.dev === b?.dev && a?.mount === b?.mount;
}

/** An open folder. `using` closes it. */
export abstract class FolderHandle implements Disposable {
  /**
   * @param real The folder's real path.
   * @param info The folder's identity.
   */
  constructor(readonly real: string, readonly info: Identity) {}

  /**
   * Opens a folder.
   * @param resolved The folder's real path, and its identity when it was checked.
   * @throws FileChangedError if something else has meanwhile replaced the folder.
   */
  static open({ real, info }: { real: string; info: Identity }): FolderHandle {
    return Deno.build.os === "linux" ? DescriptorFolder.opened(real, info) : new PathFolder(real, info);
  }

  /** Describes a name; undefined if it does not exist. @throws An error with its `code` (POSIX errno). */
  abstract stat(name: string): NamedFile | undefined;
  /**
   * Creates an empty file.
   * @param mode The permissions, reduced by the umask.
   * @param like The file that it will replace: it gets that file's permissions and, as far as allowed, its owner.
   * @throws Deno.errors.AlreadyExists, or an error with its `code`.
   */
  abstract create(name: string, mode?: number, like?: Deno.FileInfo): void;
  /** Creates a folder. @throws As {@linkcode create}. */
  abstract makeFolder(name: string, mode?: number): void;
  /** Opens a subfolder. @throws An error with its `code` if the name belongs to a link or is not a folder. */
  abstract folder(name: string): FolderHandle;
  /** Gives a file another name. @throws As {@linkcode create}. */
  abstract link(name: string, added: string): void;
  /**
   * Moves a file or folder into a folder, replacing a file that has the new name.
   * @throws An error with its `code`: EXDEV if the folder is on another disk.
   */
  abstract moveTo(name: string, folder: FolderHandle, renamed: string): void;
  /** Removes a file or a link. @throws Deno.errors.NotFound, or an error with its `code`. */
  abstract unlink(name: string): void;
  /** Removes an empty folder. @throws As {@linkcode unlink}. */
  abstract removeFolder(name: string): void;
  abstract [Symbol.dispose](): void;

  /**
   * Opens a folder for one use. Replaces `using`, because `deno bundle` drops a `using` whose variable is
   * used only once.
   * @param folder As for {@linkcode FolderHandle.open}.
   * @throws The errors of opening and of `use`.
   */
  static within<T>(folder: Parameters<typeof FolderHandle.open>[0], use: (handle: FolderHandle) => T): T {
    const handle = FolderHandle.open(folder);
    try {
      return use(handle);
    } finally {
      handle[Symbol.dispose]();
    }
  }

  /** Renames a file or folder, replacing a file that has the new name. @throws An error with its `code`. */
  rename(name: string, renamed: string): void {
    this.moveTo(name, this, renamed);
  }

  /** Removes a file if it exists. Never throws. */
  remove(name: string): void {
    attempt(() => this.unlink(name));
  }

  /**
   * Opens a file by path, and checks that the name refers to it here.
   * @throws FileChangedError if the path leads elsewhere; Deno.errors.NotFound, or Deno's other open errors.
   */
  openFile(name: string, options: Deno.OpenOptions): Deno.FsFile {
    let file: Deno.FsFile;
    try {
      file = Deno.openSync(this.path(name), options);
    } catch (error) {
      throw error instanceof Deno.errors.NotFound && this.stat(name) ? replaced() : error;
    }
    const named = this.stat(name);
    if (named?.isFile && isSame(named, file.statSync())) return file;
    file.close();
    throw replaced();
  }

  /**
   * The path of a name, for functions that need one: callers compare what they open with {@linkcode stat}.
   */
  path(name: string): string {
    return join(this.real, name);
  }
}

/** A folder by descriptor. */
class DescriptorFolder extends FolderHandle {
  #fd: number;

  private constructor(real: string, info: Identity, fd: number) {
    super(real, info);
    this.#fd = fd;
  }

  static opened(real: string, info: Identity): DescriptorFolder {
    const fd = called(C.open(cString(real), O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), real);
    const folder = new DescriptorFolder(real, info, fd), now = statx(fd, "", AT_EMPTY_PATH);
    if (isSame(now, info)) return folder;
    folder[Symbol.dispose]();
    throw replaced();
  }

  stat(name: string): NamedFile | undefined {
    return attempt(() => statx(this.#fd, name, AT_SYMLINK_NOFOLLOW), undefined, Deno.errors.NotFound);
  }

  create(name: string, mode = 0o666, like?: Deno.FileInfo): void {
    const flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
    const fd = called(C.openat(this.#fd, cString(name), flags, like ? 0o600 : mode), name);
    if (like) { // by descriptor: another program may have put a link in the file's place
      const hasGroup = C.fchown(fd, like.uid!, like.gid!) === 0 || C.fchown(fd, SAME_OWNER, like.gid!) === 0;
      // What the file's group could do is not for another group.
      C.fchmod(fd, like.mode! & (hasGroup ? 0o777 : 0o707) | 0o600);
    }
    C.close(fd);
  }

  makeFolder(name: string, mode = 0o777): void {
    called(C.mkdirat(this.#fd, cString(name), mode), name);
  }

  folder(name: string): FolderHandle {
    const flags = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const fd = called(C.openat(this.#fd, cString(name), flags, 0), name);
    return new DescriptorFolder(this.path(name), statx(fd, "", AT_EMPTY_PATH), fd);
  }

  link(name: string, added: string): void {
    called(C.linkat(this.#fd, cString(name), this.#fd, cString(added), 0), added);
  }

  moveTo(name: string, folder: DescriptorFolder, renamed: string): void {
    called(C.renameat(this.#fd, cString(name), folder.#fd, cString(renamed)), renamed);
  }

  unlink(name: string): void {
    called(C.unlinkat(this.#fd, cString(name), 0), name);
  }

  removeFolder(name: string): void {
    called(C.unlinkat(this.#fd, cString(name), AT_REMOVEDIR), name);
  }

  [Symbol.dispose](): void {
    if (this.#fd >= 0) C.close(this.#fd);
    this.#fd = -1;
  }
}

/** Reads struct statx (linux/stat.h), whose layout is the same on all machines. */
function statx(fd: number, name: string, flags: number): NamedFile {
  const bytes = new Uint8Array(STATX_SIZE), view = new DataView(bytes.buffer);
  called(C.statx(fd, cString(name), flags, STATX_BASIC_STATS | STATX_MNT_ID, bytes), name);
  const major = view.getUint32(136, true), minor = view.getUint32(140, true);
  const kind = view.getUint16(28, true) & S_IFMT;
  return {
    nlink: view.getUint32(16, true),
    isFile: kind === S_IFREG,
    isFolder: kind === S_IFDIR,
    ino: Number(view.getBigUint64(32, true)),
    size: Number(view.getBigUint64(40, true)),
    modified: Number(view.getBigInt64(112, true)) * 1000 + view.getUint32(120, true) / 1e6,
    dev: deviceNumber(major, minor),
    mount: Number(view.getBigUint64(144, true)), // 0 before Linux 5.8
  };
}

/** A folder by path, whose identity is checked before each use. */
class PathFolder extends FolderHandle {
  constructor(real: string, info: Identity) {
    super(real, info);
    this.#check();
  }

  stat(name: string): NamedFile | undefined {
    const info = attempt(() => Deno.lstatSync(this.#checked(name)), undefined, Deno.errors.NotFound);
    if (!info) return undefined;
    const { isFile, isDirectory: isFolder, size, nlink, mtime, dev, ino } = info;
    return { isFile, isFolder, size, nlink: nlink ?? 1, modified: mtime?.getTime() ?? 0, dev, ino, mount: 0 };
  }

  create(name: string, mode?: number): void {
    Deno.openSync(this.#checked(name), { write: true, createNew: true, mode }).close();
  }

  makeFolder(name: string, mode?: number): void {
    Deno.mkdirSync(this.#checked(name), { mode });
  }

  folder(name: string): FolderHandle {
    const real = this.#checked(name), info = Deno.lstatSync(real);
    if (!info.isDirectory) throw new Deno.errors.NotADirectory(name);
    return new PathFolder(real, info);
  }

  link(name: string, added: string): void {
    Deno.linkSync(this.#checked(name), this.path(added));
  }

  moveTo(name: string, folder: PathFolder, renamed: string): void {
    Deno.renameSync(this.#checked(name), folder.#checked(renamed));
  }

  unlink(name: string): void {
    if (this.stat(name)?.isFolder) throw new Deno.errors.IsADirectory(name);
    Deno.removeSync(this.#checked(name));
  }

  removeFolder(name: string): void {
    if (!this.stat(name)?.isFolder) throw new Deno.errors.NotADirectory(name);
    Deno.removeSync(this.#checked(name));
  }

  [Symbol.dispose](): void {}

  #checked(name: string): string {
    this.#check();
    return this.path(name);
  }

  #check(): void {
    if (!isThere(this.real) || !isSame(Deno.lstatSync(this.real), this.info)) throw replaced();
  }
}

function replaced(): FileChangedError {
  return new FileChangedError("the folder was replaced while being opened");
}

/** Combines a device number from its parts (makedev(3) in glibc and musl), as in `Deno.FileInfo`. */
function deviceNumber(major: number, minor: number): number {
  return (major & 0xfff) * 0x100 + (minor & 0xff) + (minor - (minor & 0xff)) * 0x1000 +
    (major - (major & 0xfff)) * 2 ** 32;
}

/**
 * Returns the result of a C library function.
 * @throws Deno.errors.AlreadyExists or NotFound, or an error with its `code`, if the function failed.
 */
function called(result: number, name: string): number {
  if (result >= 0) return result;
  // Read first, because anything that runs in between may change errno.
  const errno = new Deno.UnsafePointerView(C.__errno_location()!).getInt32();
  const code = nodeModule("node:util").getSystemErrorName(-errno);
  const message = `${code}: ${name}`;
  if (code === "EEXIST") throw new Deno.errors.AlreadyExists(message);
  if (code === "ENOENT") throw new Deno.errors.NotFound(message);
  throw Object.assign(new Error(message), { code });
}
