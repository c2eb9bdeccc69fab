/** Windows in the tree that sway gives (sway-ipc(7), "GET_TREE"). Pure. */

import type { Region } from "../../../control/desktop.ts";

/** A window, in logical pixels. */
export interface SwayWindow {
  /** Number of sway's own, the same while the window exists. */
  id: number;
  title: string;
  /** The window's app_id; its class if it is a window under XWayland. */
  class: string;
  pid: number;
  isFullscreen: boolean;
  isFocused: boolean;
  /** The visible part of the window, with borders and title bar. */
  region: Region;
}

/** The read fields of a node. */
interface Node {
  id: number;
  type?: string;
  name?: string | null;
  app_id?: string | null;
  window_properties?: { class?: string };
  pid?: number;
  fullscreen_mode?: number;
  focused?: boolean;
  /** `xdg_shell` or `xwayland`. */
  shell?: string;
  visible?: boolean;
  rect: Region;
  deco_rect?: Region;
  focus?: number[];
  nodes?: Node[];
  floating_nodes?: Node[];
}

/** A window, and the values that decide how far in front it is. */
interface Found {
  node: Node;
  isFloating: boolean;
  /** The stacking order of floating windows: greater for windows that were raised later. */
  floor: number;
}

/**
 * The windows of a tree, the front one first: visible windows before windows of hidden workspaces and tabs, then
 * floating before tiled windows, then by the last keyboard focus.
 * @param tree The root, as sway gives it.
 */
export function swayWindows(tree: unknown): SwayWindow[] {
  const found = windowsIn(tree as Node, false, 0);
  const rank = ({ node, isFloating, floor }: Found) =>
    [node.visible ? 1 : 0, node.fullscreen_mode ? 1 : 0, isFloating ? 1 : 0, floor] as const;
  return found
    .map((one, i) => ({ one, rank: [...rank(one), -i] }))
    .sort((a, b) => firstDifference(b.rank, a.rank))
    .map(({ one }) => windowOf(one.node));
}

/**
 * The process of the program that has the keyboard.
 * @param tree The root, as sway gives it.
 * @returns 0 if the keyboard is on an empty workspace; undefined if the tree does not tell: a panel or a lock screen has the
 * keyboard, or a window under XWayland, which gets its keys from XWayland.
 */
export function keyboardHolder(tree: unknown): number | undefined {
  const { nodes = [], floating_nodes = [], focused, type, pid, shell } = tree as Node;
  if (focused && type === "workspace") return 0;
  if (focused && pid && shell === "xdg_shell") return pid;
  for (const node of [...nodes, ...floating_nodes]) {
    const holder = keyboardHolder(node);
    if (holder !== undefined) return holder;
  }
  return undefined;
}

function firstDifference(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : a[at] - b[at];
}

/** The windows of a node; the window that had the keyboard last comes first. */
function windowsIn(node: Node, isFloating: boolean, floor: number): Found[] {
  if (node.pid && !node.nodes?.length) return [{ node, isFloating, floor }];
  const { nodes = [], floating_nodes = [], focus = [] } = node;
  const children = [
    ...nodes.map((child) => ({ child, isFloating, floor })),
    ...floating_nodes.map((child, i) => ({ child, isFloating: true, floor: i + 1 })),
  ];
  const order = new Map(focus.map((id, i) => [id, i]));
  return children
    .sort((a, b) => (order.get(a.child.id) ?? Infinity) - (order.get(b.child.id) ?? Infinity))
    .flatMap(({ child, isFloating, floor }) => windowsIn(child, isFloating, floor));
}

function windowOf({ id, name, app_id, window_properties, pid, ...node }: Node): SwayWindow {
  return {
    id,
    title: name ?? "",
    class: app_id ?? window_properties?.class ?? "",
    pid: pid ?? 0,
    isFullscreen: Boolean(node.fullscreen_mode),
    isFocused: Boolean(node.focused),
    region: withTitleBar(node),
  };
}

/** A title bar stands above the rectangle that sway gives. */
function withTitleBar({ rect: { x, y, width, height }, deco_rect, fullscreen_mode }: Pick<
  Node,
  "rect" | "deco_rect" | "fullscreen_mode"
>): Region {
  const bar = fullscreen_mode ? 0 : deco_rect?.height ?? 0;
  return { x, y: y - bar, width, height: height + bar };
}
