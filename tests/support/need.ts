/** What a test needs beyond Deno. A test without it is skipped, loudly, and never counted as passed. */

/**
 * Tells whether programs are there.
 * @param programs Names as on the PATH, or paths of files.
 * @returns For `Deno.test({ ...need("xdotool"), … })`.
 */
export function need(...programs: string[]): { ignore: boolean } {
  const missing = programs.filter((program) => !onPath(program));
  if (missing.length) {
    console.error(`\n!!! SKIPPED: a test needs ${missing.join(", ")}, which this machine lacks !!!\n`);
  }
  return { ignore: missing.length > 0 };
}

/**
 * Tells whether a command succeeds, for what not every user may do.
 * @returns For `Deno.test({ ...needSuccess("unshare", "--ipc", "true"), … })`.
 */
export function needSuccess(program: string, ...args: string[]): { ignore: boolean } {
  const { ignore } = need(program);
  if (ignore || new Deno.Command(program, { args }).outputSync().success) return { ignore };
  console.error(`\n!!! SKIPPED: a test needs ${[program, ...args].join(" ")}, which fails here !!!\n`);
  return { ignore: true };
}

function onPath(program: string): boolean {
  const windows = Deno.build.os === "windows";
  const isPath = program.startsWith("/");
  const folders = isPath ? [""] : (Deno.env.get("PATH") ?? "").split(windows ? ";" : ":");
  return folders.some((folder) => {
    try {
      const path = isPath ? program : `${folder}/${program}${windows ? ".exe" : ""}`;
      return !Deno.statSync(path).isDirectory;
    } catch {
      return false;
    }
  });
}
