/** Imports between the source's rooms: the map of CONTRIBUTING.md, checked. */

import { assertEquals } from "@std/assert";
import { dirname, fromFileUrl, join, relative } from "@std/path";
import { droppedResources } from "../tools/compile/using.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));

/** The other rooms and files that each room may import; a file belongs to the room with the longest path. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  "main.ts": ["cli/"],
  "cli/": ["control/", "control/desktop/", "control/http/", "files/", "ffi/", "http/", "core/"],
  "control/": ["control/desktop/", "rfb/", "core/"],
  "control/desktop/": ["core/"],
  "control/http/": ["control/", "control/desktop/", "http/", "core/"],
  "files/": ["http/", "core/"],
  "ffi/": [
    "core/",
    "rfb/",
    "control/desktop/",
    "control/live/maker.ts",
    "control/recording/playback.ts",
  ],
  "http/": ["core/"],
  "rfb/": ["core/"],
  "core/": [],
};

/** A path that is imported together with its module. */
const IMPORTED = /\bfrom\s*"(\.[^"]+)"|\bimport\s*"(\.[^"]+)"/g;
/** A path that is loaded when it is used. */
const LOADED = /\bimport\(\s*"(\.[^"]+)"/g;
/** A path that is loaded in a Worker. */
const WORKERS = /\bnew URL\(\s*"(\.[^"]+)",\s*import\.meta\.url/g;
const COMMENT = /\/\*[^]*?\*\/|^\s*\/\/.*$/gm;

/**
 * A TypeScript file of the program, with the paths of the files that it names, relative to the project's
 * folder.
 */
interface Module {
  path: string;
  imported: string[];
  loaded: string[];
  workers: string[];
}

function modules(folder = ""): Module[] {
  return Array.from(Deno.readDirSync(join(ROOT, folder))).flatMap(({ name, isDirectory }) => {
    const path = `${folder}${name}`;
    if (isDirectory) return folder || `${name}/` in MAY_IMPORT ? modules(`${path}/`) : [];
    return name.endsWith(".ts") ? [moduleAt(path)] : [];
  });
}

function moduleAt(path: string): Module {
  const source = Deno.readTextFileSync(join(ROOT, path)).replace(COMMENT, "");
  const named = (pattern: RegExp) =>
    Array.from(source.matchAll(pattern), (match) => match.slice(1).find(Boolean)!)
      .map((target) => relative(ROOT, join(ROOT, dirname(path), target)))
      .filter((target) => target.endsWith(".ts"));
  return { path, imported: named(IMPORTED), loaded: named(LOADED), workers: named(WORKERS) };
}

/** The longest of the rooms that contain a file. */
function roomOf(path: string): string | undefined {
  return Object.keys(MAY_IMPORT).filter((room) => path.startsWith(room)).sort((a, b) =>
    b.length - a.length
  )[0];
}

function isAllowed(from: string, to: string): boolean {
  const room = roomOf(from)!;
  if (roomOf(to) === room) return true;
  return MAY_IMPORT[room].some((allowed) => allowed === to || allowed === roomOf(to));
}

const MODULES = modules();

Deno.test("every room imports only what the map allows", () => {
  const forbidden = MODULES.flatMap(({ path, imported, loaded, workers }) =>
    [...imported, ...loaded, ...workers].filter((to) => !isAllowed(path, to)).map((to) => `${path} -> ${to}`)
  );
  assertEquals(forbidden, []);
});

/** A package in a module, by its name in deno.json; Node modules have a colon. */
const PACKAGE = /(?:^(?:import|export|\}) [^"'`;]*?\bfrom |\bimport\(\s*)"([^".:][^":]*)"/gm;

// The type check also resolves the tests' packages.
Deno.test("the program imports only packages that deno.json names", () => {
  const { imports } = JSON.parse(Deno.readTextFileSync(join(ROOT, "deno.json")));
  const isNamed = (name: string) =>
    name in imports || Object.keys(imports).some((prefix) => prefix.endsWith("/") && name.startsWith(prefix));
  const packages = MODULES.flatMap(({ path }) => {
    const source = Deno.readTextFileSync(join(ROOT, path)).replace(COMMENT, "");
    return Array.from(source.matchAll(PACKAGE), ([, name]) => ({ path, name }));
  });
  assertEquals(packages.some(({ name }) => name === "marked"), true);
  assertEquals(packages.filter(({ name }) => !isNamed(name)), []);
});

/** The layers of control/, from the bottom up; a room imports rooms of its own layer or of lower ones. */
const LAYERS = [
  ["desktop"],
  ["schema", "image"],
  ["live", "view"],
  ["operator"],
  ["windows", "find"],
  ["elements"],
  ["read", "observe", "recording"],
  ["trace"],
  ["actions"],
  ["agents", "http", "page", "prompt", "rfb"],
];

Deno.test("no room of control/ imports a room of a higher layer", () => {
  const layerOf = (path: string) => {
    const room = /^control\/(\w+)\//.exec(path)?.[1];
    return LAYERS.findIndex((rooms) => room !== undefined && rooms.includes(room));
  };
  const own = MODULES.filter(({ path }) => path.startsWith("control/"));
  assertEquals(own.filter(({ path }) => layerOf(path) < 0).map(({ path }) => path), []);
  const upward = own.flatMap(({ path, imported, loaded, workers }) =>
    [...imported, ...loaded, ...workers].filter((to) =>
      to.startsWith("control/") && layerOf(to) > layerOf(path)
    )
      .map((to) => `${path} -> ${to}`)
  );
  assertEquals(upward, []);
});

/** The base layer of ffi/wayland/: the loose files that its folders may import. */
const WAYLAND_CONTRACT = ["way", "connected_desktop", "findings"].map((name) => `ffi/wayland/${name}.ts`);
/** Folders of ffi/wayland/ that ways share, and which of them they import themselves. */
const WAYLAND_SHARED: Record<string, readonly string[]> = {
  wire: [],
  person: ["wire"],
  layout: ["wire"],
  streamed: ["wire", "layout"],
};
/** The shared folders that each way may import. */
const OF_A_WAY = ["wire", "layout", "streamed"];

Deno.test("a way of controlling Wayland compositors imports only shared folders, never another way", () => {
  const folderOf = (path: string) => /^ffi\/wayland\/(\w+)\//.exec(path)?.[1];
  const isForbidden = (from: string, to: string) => {
    const own = folderOf(from)!, other = folderOf(to);
    if (!to.startsWith("ffi/wayland/") || other === own) return false;
    if (other === undefined) return !WAYLAND_CONTRACT.includes(to);
    return !(WAYLAND_SHARED[own] ?? OF_A_WAY).includes(other);
  };
  const forbidden = MODULES.filter(({ path }) => folderOf(path)).flatMap((
    { path, imported, loaded, workers },
  ) =>
    [...imported, ...loaded, ...workers].filter((to) => isForbidden(path, to)).map((to) => `${path} -> ${to}`)
  );
  assertEquals(forbidden, []);
});

Deno.test("no module imports itself through others, even when it is used later", () => {
  const graph = new Map(MODULES.map(({ path, imported, loaded }) => [path, [...imported, ...loaded]]));
  const done = new Set<string>(), circles: string[] = [];
  const visit = (path: string, way: string[]) => {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(" -> "));
    if (done.has(path) || way.includes(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...way, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  assertEquals(circles, []);
});

Deno.test("no module has a declaration with using that the executable's bundle would drop", () => {
  const dropped = MODULES.flatMap(({ path }) =>
    droppedResources(Deno.readTextFileSync(join(ROOT, path))).map((name) => `${path}: ${name}`)
  );
  assertEquals(dropped, []);
});

Deno.test("every module except main.ts is in a room, and every room has modules", () => {
  assertEquals(MODULES.map(({ path }) => path).filter((path) => !roomOf(path)), []);
  const rooms = Object.keys(MAY_IMPORT).filter((room) => !MODULES.some(({ path }) => path.startsWith(room)));
  assertEquals(rooms, []);
});

Deno.test("tests wait only with until() or delay()", () => {
  const timers = tests().filter((path) =>
    /setTimeout\(\s*(?:resolve|r|done)\b/.test(Deno.readTextFileSync(join(ROOT, path)))
  );
  assertEquals(timers, []);
});

/** Every TypeScript file below tests/ except this one. */
function tests(folder = "tests"): string[] {
  return Array.from(Deno.readDirSync(join(ROOT, folder))).flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return tests(path);
    return name.endsWith(".ts") && name !== "architecture_test.ts" ? [path] : [];
  });
}

/** Modules that startup does not need: the first action that needs them loads them. */
const LOADED_LATER = [
  "control/agents/desk.ts",
  "control/elements/set.ts",
  "control/elements/programs.ts",
  "control/elements/query.ts",
  "control/elements/list.ts",
  "control/find/worker.ts",
  "control/http/openapi.ts",
  "control/http/webdriver/webdriver.ts",
  "control/image/picture_maker.ts",
  "control/image/read_picture.ts",
  "control/image/shrink.ts",
  "control/observe/observation.ts",
  "control/observe/watch.ts",
  "control/prompt/commands.ts",
  "control/read/engine.ts",
  "control/read/find.ts",
  "control/read/languages.ts",
  "control/read/reader.ts",
  "control/read/worker.ts",
  "control/recording/script.ts",
  "control/rfb/server.ts",
  "control/trace/recorder.ts",
  "control/trace/traces.ts",
  "ffi/atspi/mod.ts",
  "ffi/atspi/worker.ts",
  "ffi/windows/elements/mod.ts",
  "ffi/windows/elements/worker.ts",
  "ffi/x11/desktop.ts",
  "cli/serve_vnc.ts",
  "cli/serve_webdriver.ts",
  "files/guard.ts",
  "files/handler.ts",
];

/** A path in a module whose values, not only its types, are imported with it. */
const VALUES = /^(?:import\s+(?!type\b)|export\s*[*{])[^;"]*?\bfrom\s*"(\.[^"]+)"/gm;

Deno.test("startup loads nothing that only later actions need, and no @std module that uses Node's process", () => {
  const started = new Set(["main.ts", "cli/run.ts", "cli/serve.ts", "cli/services.ts"]);
  for (const path of started) {
    const source = Deno.readTextFileSync(join(ROOT, path)).replace(COMMENT, "");
    for (const [, target] of source.matchAll(VALUES)) {
      if (target.endsWith(".ts")) started.add(relative(ROOT, join(ROOT, dirname(path), target)));
    }
  }
  assertEquals(LOADED_LATER.filter((path) => started.has(path)), []);
  for (const path of LOADED_LATER) Deno.statSync(join(ROOT, path)); // renaming one requires a change here
  const asking = MODULES.filter(({ path }) =>
    /"@std\/path(?:\/\w+)?"/.test(Deno.readTextFileSync(join(ROOT, path)))
  );
  assertEquals(asking.map(({ path }) => path), []);
});
