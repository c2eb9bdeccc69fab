/** The WebDAV methods, and the right that each requires. */

/** A client's rights: to read, to change files and folders, or also to delete and move them. */
type Right = "read" | "change" | "delete";

/** The methods besides GET, HEAD and PUT, by name. */
export const DAV_METHODS = {
  OPTIONS: "read",
  PROPFIND: "read",
  PROPPATCH: "change",
  MKCOL: "change",
  COPY: "change",
  LOCK: "change",
  UNLOCK: "change",
  DELETE: "delete",
  MOVE: "delete",
} as const satisfies Record<string, Right>;
/** One of {@linkcode DAV_METHODS}. */
export type DavMethod = keyof typeof DAV_METHODS;

export interface DavOptions {
  /** Changes that clients may make; undefined if they may only read. */
  changes?: {
    /** Whether a file may be replaced. */
    overwrite: boolean;
    /** Maximum file size, in bytes. */
    limit: number;
    /** Whether changes require a password. */
    hasPassword: boolean;
  };
  /** Whether clients may delete, move and rename. */
  deletes?: boolean;
  /** Whether deleted files are removed immediately instead of being kept for a day. */
  noTrash?: boolean;
}

/** The methods supported under the given options. */
export function davMethods({ changes, deletes }: DavOptions): DavMethod[] {
  const rights: Right[] = [
    "read",
    ...changes ? ["change" as const, ...deletes ? ["delete" as const] : []] : [],
  ];
  return (Object.keys(DAV_METHODS) as DavMethod[]).filter((name) => rights.includes(DAV_METHODS[name]));
}
