/** What a test needs beyond Deno. A test without it is skipped, loudly, and never counted as passed. */

/**
 * Tells whether programs are there.
 * @param programs Names as on the PATH.
 * @returns For `Deno.test({ ...need("xdotool"), … })`.
 */
export function need(...programs: string[]): { ignore: boolean } {
  const missing = programs.filter((program) => !onPath(program));
  if (missing.length) {
    console.error(`\n!!! SKIPPED: a test needs ${missing.join(", ")}, which this machine lacks !!!\n`);
  }
  return { ignore: missing.length > 0 };
}

function onPath(program: string): boolean {
  const windows = Deno.build.os === "windows";
  const folders = (Deno.env.get("PATH") ?? "").split(windows ? ";" : ":");
  return folders.some((folder) => {
    try {
      return Deno.statSync(`${folder}/${program}${windows ? ".exe" : ""}`).isFile;
    } catch {
      return false;
    }
  });
}
