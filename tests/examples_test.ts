/** The examples in doc comments that state their values: `call(); // value`. */

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join, toFileUrl } from "@std/path";

const ROOT = fromFileUrl(new URL("..", import.meta.url));
const ROOMS = ["core", "cli", "control", "files", "http", "ffi", "rfb"];

/** An example's lines, without the stars and fences around them. */
interface Example {
  path: string;
  lines: string[];
}

function modulesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = join(folder, name);
    return isDirectory ? modulesIn(path) : name.endsWith(".ts") ? [path] : [];
  });
}

function examplesIn(path: string): Example[] {
  const source = Deno.readTextFileSync(path);
  return Array.from(source.matchAll(/@example\n((?: *\*(?!\/| @).*\n)+)/g), ([, text]) => ({
    path,
    // A long value is on the line after its call.
    lines: text.replaceAll(/;\n *\* \/\/ /g, "; // ").split("\n").map((line) => line.replace(/^ *\* ?/, ""))
      .filter((line) => !/^(?:```.*)?$/.test(line)),
  }));
}

/** A call followed by its value as JavaScript. */
const CLAIM = /^(?!await |const |using )(.+); \/\/ (.+)$/;

for (const { path, lines } of ROOMS.flatMap((room) => modulesIn(join(ROOT, room))).flatMap(examplesIn)) {
  const claims = lines.filter((line) => CLAIM.test(line)),
    preparation = lines.filter((line) => !CLAIM.test(line));
  if (!claims.length) continue;
  Deno.test(`${path.slice(ROOT.length)}: ${claims[0]}`, async () => {
    const module = await import(toFileUrl(path).href);
    for (const claim of claims) {
      const [, call, value] = CLAIM.exec(claim)!;
      const run = new Function(
        ...Object.keys(module),
        `${preparation.join("\n")}\nreturn [${call}, ${value}];`,
      );
      const [given, claimed] = run(...Object.values(module));
      assertEquals(given, claimed);
    }
  });
}

Deno.test("a claim is a call and a value", () => {
  assert(CLAIM.test("fit(screen, 800); // { width: 800, height: 450 }"));
});
