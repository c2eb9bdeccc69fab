/** Runs a program and captures its output. */

import { delay } from "@std/async/delay";

/** The result of a process. */
interface Ended {
  code: number;
  /** Standard output and standard error, in order of arrival. */
  output: string;
}

/**
 * Time after which a job is interrupted, in milliseconds, so that Deno names the test that did not end. A job
 * that waits in vain ends earlier, through the time limit of each wait (bound.ts); one that makes progress may
 * take as long as a very busy machine needs.
 */
const LIMIT_MS = 900_000;
/** Time to react to the interrupt before the process is killed, in milliseconds. */
const GRACE_MS = 10_000;

/**
 * Runs a program until it exits, or until the time limit.
 * @param options Environment and working folder.
 */
export async function runProcess(
  command: string,
  args: string[],
  options: Pick<Deno.CommandOptions, "env" | "cwd"> = {},
): Promise<Ended> {
  const child = new Deno.Command(command, {
    ...options,
    args,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const keep = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) output += text;
  };
  const timers = [
    setTimeout(() => {
      output += `\n!!! no end within ${LIMIT_MS / 1000} s: interrupted !!!\n`;
      child.kill("SIGINT");
    }, LIMIT_MS),
    setTimeout(() => child.kill("SIGKILL"), LIMIT_MS + GRACE_MS),
  ];
  const printed = Promise.all([keep(child.stdout), keep(child.stderr)]);
  const { code } = await child.status;
  timers.forEach(clearTimeout);
  // A program left behind by the process may hold the streams open.
  await Promise.race([printed, delay(GRACE_MS)]);
  return { code, output };
}
