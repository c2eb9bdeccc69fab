/** Traces on the command line: their settings, and the one that a start begins. */

import type { ActionRunner } from "../control/actions/runner.ts";
import type { TraceSettings } from "../control/trace/settings.ts";
import { UsageError } from "../core/errors.ts";
import type { Output } from "../core/output.ts";
import type { Settings } from "./option_table.ts";

/** Longest time that traces are kept, in days. */
const LONGEST_DAYS = 36_500;
/** The least room for traces, in bytes: a file takes a quarter of it. */
const LEAST_BYTES = 1024 * 1024;

/**
 * Reads the settings of traces.
 * @throws UsageError if one of them is wrong.
 */
export async function traceSettings(
  { trace: folder, traceLimit, traceDays, traceHide }: Settings,
  { notice }: Output,
): Promise<TraceSettings> {
  const { parseSize } = await import("../files/upload/size.ts");
  const limit = parseSize(traceLimit, "--trace-limit");
  if (limit < LEAST_BYTES) throw new UsageError(`--trace-limit takes 1M or more, not ${traceLimit}`);
  const days = /^\d{1,5}(?:\.\d{1,3})?$/.test(traceDays) ? Number(traceDays) : NaN;
  if (!(days > 0 && days <= LONGEST_DAYS)) {
    throw new UsageError(
      `--trace-days takes days above 0, up to ${LONGEST_DAYS}, not ${JSON.stringify(traceDays)}`,
    );
  }
  return { folder, limit, days, hide: traceHide, notice };
}

/**
 * Begins the trace of `--trace`.
 * @throws UsageError if the trace cannot be written, or `--trace-hide` has no effect on this desktop.
 */
export async function beginTrace(runner: ActionRunner): Promise<void> {
  const traces = await runner.traces();
  try {
    await traces.start();
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}
