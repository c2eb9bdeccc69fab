/** Starts the programs that a person allows agents to open. */

import { InputError, StateError } from "../../core/errors.ts";

/** Variables that hold deskhand's secrets: programs do not inherit them. */
const SECRETS = ["DESKHAND_TOKEN", "DESKHAND_FILES_AUTH"];
/** A program that ends with an error within this time did not start, in milliseconds. */
const START_MS = 300;

/**
 * Starts a program that keeps running when deskhand ends. It gets deskhand's environment and no arguments.
 * @param program Its name on the PATH, or its path.
 * @returns The number of its process.
 * @throws InputError if there is no such program; StateError if it ends at once with an error.
 */
export async function launch(program: string): Promise<number> {
  const env = Object.fromEntries(
    Object.entries(Deno.env.toObject()).filter(([name]) => !SECRETS.includes(name)),
  );
  const child = spawn(program, env);
  child.unref();
  const { promise: started, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), START_MS);
  const status = await Promise.race([child.status, started]);
  clearTimeout(timer);
  if (status && !status.success) throw new StateError(`${program} ended at once with code ${status.code}`);
  return child.pid;
}

function spawn(program: string, env: Record<string, string>): Deno.ChildProcess {
  try {
    const streams = { stdin: "null", stdout: "null", stderr: "null" } as const;
    return new Deno.Command(program, { ...streams, env, clearEnv: true, detached: true }).spawn();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new InputError(`there is no program ${program}`);
    if (error instanceof Deno.errors.PermissionDenied) throw new InputError(`${program} cannot be run`);
    throw error;
  }
}
