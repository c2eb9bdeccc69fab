/** Endpoints in groups by subject, as the start message lists their paths. */

/** A group's name and how the paths of its endpoints begin. */
const GROUPS: readonly (readonly [name: string, beginnings: readonly string[]])[] = [
  ["input", [
    ...["/api/position", "/api/move", "/api/click", "/api/scroll", "/api/press", "/api/release", "/api/drag"],
    ...["/api/key", "/api/type", "/api/steps"],
  ]],
  ["screen", [
    ...["/api/screenshot", "/api/screen", "/api/history", "/api/pixel", "/api/find", "/api/text"],
    ...["/api/wait", "/api/changes"],
  ]],
  ["windows", ["/api/window", "/api/element", "/api/clipboard"]],
  ["recording", ["/api/recording", "/api/trace"]],
  ["agents", ["/api/agents", "/api/act", "/mcp"]],
];
/** The group of all other endpoints. */
const REST = "server";

/**
 * Sorts paths into groups, each path once, in their order.
 * @returns Groups that have paths, each with its name.
 */
export function groupedPaths(paths: Iterable<string>): [name: string, paths: string[]][] {
  const groups = new Map<string, string[]>([...GROUPS.map(([name]) => name), REST].map((name) => [name, []]));
  for (const path of new Set(paths)) groups.get(groupOf(path))!.push(path);
  return [...groups].filter(([, paths]) => paths.length);
}

/**
 * A path belongs to the group with the longest matching beginning: `/api/screenshot` is not in the group `/api/screen`.
 */
function groupOf(path: string): string {
  const fits = GROUPS.flatMap(([name, beginnings]) =>
    beginnings.filter((beginning) => path.startsWith(beginning)).map((beginning) =>
      [name, beginning] as const
    )
  );
  return fits.sort(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? REST;
}
