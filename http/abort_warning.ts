/** A warning of the runtime that does not concern the user. */

/**
 * Keeps one warning of Deno 2.9 from the terminal: a request's signal is aborted when its answer was sent, too. No
 * handler depends on that. The flag that the warning names (`--unstable-no-legacy-abort`) has no effect in executables,
 * whose runtime sets it to false (cli/rt/run.rs), and Deno.serve has no option for it. Called once, at start-up.
 */
export function suppressAbortWarning(): void {
  const { warn } = console;
  console.warn = (...data: unknown[]) => {
    if (!`${data[0]}`.startsWith("Deno.serve: request.signal aborts")) warn(...data);
  };
}
