/**
 * Keys of elements: the name of an element in this process, by which this element, and no other one, is found again.
 */

/** An element of UI Automation: its window, and the identifier that it keeps while it exists. */
export interface AutomationKey {
  window: bigint;
  id: string;
}

/**
 * An element of MSAA: its window, and the window's process, since a later window may get the same handle; the part of
 * the window; and the path of positions to the element. Since positions change, the key of an element that is no
 * window itself also has the role and the name.
 */
export interface MsaaKey {
  window: bigint;
  process: number;
  part: number;
  path: readonly number[];
  /** Role and name of an element with a path. */
  identity?: string;
}

/** The key of an element of UI Automation as text. */
export function automationKey({ window, id }: AutomationKey): string {
  return `uia ${window.toString(16)} ${id}`;
}

/** The key of an element of MSAA as text. */
export function msaaKey({ window, process, part, path, identity = "" }: MsaaKey): string {
  return `msaa ${window.toString(16)} ${process} ${part} ${path.join(".")} ${encodeURIComponent(identity)}`;
}

/** The element at a position within another element. */
export function childOf({ identity: _, path, ...key }: MsaaKey, position: number): MsaaKey {
  return { ...key, path: [...path, position] };
}

/**
 * Reads a key.
 * @returns undefined for a text that is no key.
 */
export function parseKey(
  key: string,
): ({ kind: "uia" } & AutomationKey) | ({ kind: "msaa" } & MsaaKey) | undefined {
  const [kind, handle, ...rest] = key.split(" ");
  if (!/^[0-9a-f]+$/.test(handle ?? "")) return undefined;
  const window = BigInt(`0x${handle}`);
  if (kind === "uia" && rest.length === 1) return { kind, window, id: rest[0] };
  if (kind !== "msaa" || rest.length !== 4) return undefined;
  const [process, part, path, identity] = rest;
  return {
    kind,
    window,
    process: Number(process),
    part: Number(part),
    path: path === "" ? [] : path.split(".").map(Number),
    ...(identity ? { identity: decodeURIComponent(identity) } : {}),
  };
}
