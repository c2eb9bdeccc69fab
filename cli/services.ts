/** Waits for the desktop, and opens it with its services: operator, recorder, events, live view. */

import { delay } from "@std/async/delay";
import { ActionRunner } from "../control/actions/runner.ts";
import type { Desktop } from "../control/desktop/desktop.ts";
import type { Services } from "../control/http/endpoint.ts";
import { heldName } from "../control/operator/held.ts";
import { Operator } from "../control/operator/operator.ts";
import { Journal, journaledDesktop, leftJournals } from "../control/recording/files.ts";
import { Recorder } from "../control/recording/recorder.ts";
import type { TraceSettings } from "../control/trace/traces.ts";
import { parseSize } from "../core/bytes.ts";
import { ExpectedError, NoDesktopError, UnsupportedError, UsageError } from "../core/errors.ts";
import { JOB } from "../core/job.ts";
import type { Lifetime } from "../core/lifetime.ts";
import type { Output } from "../core/output.ts";
import { printable } from "../core/printable.ts";
import { stateFile } from "../core/state_files.ts";
import { DESKTOP_SCHEME, type DesktopOptions, openDesktop, type ScreenSize } from "../ffi/open.ts";
import { agentDesks, agentPrograms } from "./agents.ts";
import type { Settings } from "./option_table.ts";
import type { PageServices } from "./page.ts";

// Traces on the command line: their settings, and the trace that a start begins.

/** Maximum time for which traces are kept, in days. */
const LONGEST_DAYS = 36_500;
/** Minimum space for traces, in bytes: a file takes a quarter of it. */
const LEAST_BYTES = 1024 * 1024;

/**
 * Reads the trace settings.
 * @throws UsageError if one of them is invalid.
 */
function traceSettings(
  { trace: folder, traceLimit, traceDays, traceHide }: Settings,
  { notice }: Output,
): TraceSettings {
  const limit = parseSize(traceLimit, "--trace-limit");
  if (limit < LEAST_BYTES) throw new UsageError(`--trace-limit takes 1M or more, not ${traceLimit}`);
  const days = /^\d{1,5}(?:\.\d{1,3})?$/.test(traceDays) ? Number(traceDays) : NaN;
  if (!(days > 0 && days <= LONGEST_DAYS)) {
    throw new UsageError(
      `--trace-days takes a number above 0 and at most ${LONGEST_DAYS}, not ${JSON.stringify(traceDays)}`,
    );
  }
  return { folder, limit, days, hide: traceHide, notice };
}

/**
 * Begins the trace of `--trace`.
 * @throws UsageError if the trace cannot be written, or `--trace-hide` has no effect on this desktop.
 */
async function beginTrace(runner: ActionRunner): Promise<void> {
  const traces = await runner.traces();
  try {
    await traces.start();
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

/** Languages whose data is part of deskhand and needs no check. */
const DEFAULT_LANGUAGES = "eng";

/** The minimum and maximum width and height of a screen, in pixels. */
export interface ScreenRange {
  width: readonly [least: number, most: number];
  height: readonly [least: number, most: number];
}

const VIRTUAL_SIZES: ScreenRange = { width: [320, 7680], height: [240, 4320] };

export interface DesktopServices extends Pick<Services, "runner" | "agents"> {
  /** The page's services, if the control API is served. */
  page?: PageServices;
}

/**
 * Opens the desktop.
 * @param lifetime Releases held keys and buttons and closes the desktop on exit.
 * @param servers The bound servers, one of which may serve the control API.
 * @returns A function that returns the services. If only files are served and there is no desktop, it throws
 * NoDesktopError, which the prompt shows when a command needs the desktop.
 * @throws NoDesktopError if there is no desktop and the command line needs more than files.
 */
export async function openServices(
  settings: Settings,
  output: Output,
  lifetime: Lifetime,
  servers: readonly { apiUrl?: string }[] = [],
): Promise<() => DesktopServices> {
  try {
    const services = await open(settings, output, lifetime, servers);
    return () => services;
  } catch (error) {
    const isFilesOnly = settings.files !== undefined && settings.http === undefined &&
      settings.webdriver === undefined && settings.vnc === undefined && !settings.command.length;
    if (!(error instanceof NoDesktopError) || !isFilesOnly) throw error;
    return () => {
      throw error;
    };
  }
}

async function open(
  settings: Settings,
  output: Output,
  lifetime: Lifetime,
  servers: readonly { apiUrl?: string }[],
): Promise<DesktopServices> {
  const { desktop: choice, waitDesktop, command, readOnly } = settings;
  const languages = await readLanguages(settings);
  const makeDesk = await agentDesks(settings, output, lifetime);
  const tracing = traceSettings(settings, output);
  const { notice } = output;
  const size = screenSize(settings), vnc = await vncDesktop(settings);
  const isServing = servers.length > 0 || !command.length;
  const desktop = await waitForDesktop(
    () => openDesktop(choice, notice, undefined, { isServing, ...size && { size }, ...vnc }),
    waitDesktop,
    notice,
  );
  const programs = await agentPrograms(settings);
  const operator = new Operator(programs ? programs.judged(desktop) : desktop);
  const journal = openJournal(desktop, output, !command.length);
  const recorder = new Recorder(operator, journal);
  lifetime.beforeEnd(() => keepClipboard(desktop, output));
  lifetime.atEnd(() => desktop.close());
  lifetime.atEnd(() => operator.close());
  if (!readOnly) await releaseLeft(operator, output);
  lifetime.atEnd((how) => {
    recorder.abort();
    journal?.flush();
    if (!recorder.unsaved) recorder.abandon();
    else if (how === "finished" && journal?.isKept) {
      output.notice("the recording was not saved: load --recover brings it back");
    }
  });
  const runner = new ActionRunner({ operator, recorder, readOnly, languages, tracing });
  runner.url = servers.find(({ apiUrl }) => apiUrl !== undefined)?.apiUrl;
  JOB.beforeStop(async (continued) => {
    const held = await runner.letGo(continued);
    if (held.length) notice(`released ${held.map(heldName).join(", ")}`);
  });
  lifetime.beforeEnd(() => endTrace(runner));
  runner.permission.programs = programs?.permission;
  lifetime.beforeEnd(() => runner.permission.close());
  const page = settings.http === undefined
    ? {}
    : { page: await (await import("./page.ts")).openPage(runner, settings, output, lifetime) };
  if (settings.trace !== undefined) await beginTrace(runner);
  return { runner, agents: makeDesk(runner), ...page };
}

/** The options of a VNC server's desktop, whose code is loaded only if one is given. */
export async function vncDesktop(settings: Settings): Promise<DesktopOptions> {
  const { desktop, desktopPasswordFile, desktopCert, desktopPaste } = settings;
  const isGiven = [desktopPasswordFile, desktopCert, desktopPaste].some((value) => value !== undefined);
  if (!desktop.startsWith(DESKTOP_SCHEME) && !isGiven) return {};
  return { vnc: (await import("./vnc_desktop.ts")).vncOptions(settings) };
}

/**
 * The size of the virtual desktop's screen.
 * @returns undefined if the command line does not set it.
 * @throws UsageError if it is invalid, or the desktop is another one, whose size deskhand does not choose.
 */
function screenSize({ size, desktop }: Settings): ScreenSize | undefined {
  if (size === undefined) return undefined;
  if (desktop !== "virtual") throw new UsageError("--size works with --desktop virtual and with run only");
  return sizeOf(size, VIRTUAL_SIZES);
}

/**
 * Parses the option `--size`.
 * @param text Such as `1280x720`.
 * @throws UsageError if it is not a size, or out of range.
 */
export function sizeOf(text: string, { width, height }: ScreenRange): ScreenSize {
  const [, x = 0, y = 0] = (/^(\d{1,5})x(\d{1,5})$/i.exec(text) ?? []).map(Number);
  const isInside = (pixels: number, [least, most]: readonly [number, number]) =>
    pixels >= least && pixels <= most;
  if (isInside(x, width) && isInside(y, height)) return { width: x, height: y };
  throw new UsageError(
    `--size takes ${width[0]}x${height[0]} to ${width[1]}x${height[1]}, not ${printable(text, 40)}`,
  );
}

/**
 * The languages of text on the screen, as given in the option.
 * @throws UsageError if a language is missing.
 */
async function readLanguages({ languages }: Settings): Promise<string[]> {
  const words = languages.split(",").map((word) => word.trim()).filter(Boolean);
  if (languages === DEFAULT_LANGUAGES) return words;
  const { languageFiles } = await import("../control/read/languages.ts");
  try {
    if (!words.length) throw new UnsupportedError("it names none");
    languageFiles(words);
    return words;
  } catch (error) {
    if (!(error instanceof UnsupportedError)) throw error;
    throw new UsageError(`--languages ${printable(languages, 80)}: ${error.message}`);
  }
}

/**
 * Opens the journal of recordings.
 * @param announces Whether to report a recording that a crash left behind on this desktop.
 * @returns undefined if it cannot be stored, after printing why.
 */
function openJournal(desktop: Desktop, output: Output, announces: boolean): Journal | undefined {
  try {
    const folder = stateFile("."), name = journaledDesktop(desktop);
    const [left] = announces ? leftJournals(folder, name) : [];
    if (left) {
      output.notice(
        `a recording that ended at ${left.modified.toISOString()} was left behind unsaved: load --recover restores it`,
      );
    }
    return new Journal(folder, name, output.notice);
  } catch (error) {
    output.notice(`recordings and held keys will not survive a crash: ${(error as Error).message}`);
    return undefined;
  }
}

/** Releases keys and buttons that a killed deskhand held on this desktop, and prints their names. */
async function releaseLeft(operator: Operator, { notice }: Output): Promise<void> {
  try {
    const left = await operator.releaseLeft();
    if (left.length) {
      notice(`released keys and buttons that a killed deskhand held: ${left.map(heldName).join(", ")}`);
    }
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    notice(
      `keys and buttons that a killed deskhand held are still held: ${error.message}; the command release releases them`,
    );
  }
}

/** Closes the file of the current trace. */
async function endTrace(runner: ActionRunner): Promise<void> {
  const traces = runner.loadedTraces;
  if (!traces || traces.status.state === "off") return;
  await traces.stop("deskhand has ended").catch(() => {}); // the trace has just ended on its own
}

/** Hands copied content to a clipboard manager; prints a notice if the content will be lost on exit. */
async function keepClipboard({ clipboard }: Desktop, output: Output): Promise<void> {
  const kept = await clipboard?.keep().catch(() => false) ?? true;
  if (!kept) {
    output.notice("the clipboard content is lost when deskhand exits: no clipboard manager has taken it");
  }
}

/** Interval between attempts to open the desktop, in milliseconds. */
const RETRY_MS = 100;

/**
 * Opens a desktop, retrying while there is none.
 * @param open Opens the desktop.
 * @param seconds How long to wait for a desktop; 0 tries once.
 * @param notice Receives once why there is none yet.
 * @throws NoDesktopError of the last attempt; other errors of `open` immediately.
 */
async function waitForDesktop(
  open: () => Promise<Desktop>,
  seconds: number,
  notice: (text: string) => void,
): Promise<Desktop> {
  const end = performance.now() + 1000 * seconds;
  for (let tries = 1;; tries++) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof NoDesktopError) || performance.now() >= end) throw error;
      if (tries === 1) notice(`waiting ${seconds} s for the desktop: ${error.message}`);
    }
    await delay(Math.min(RETRY_MS, Math.max(0, end - performance.now())));
  }
}

/**
 * Runs `deskhand mcp`: serves tools to one AI agent, on standard input and output, until the client closes
 * the input.
 * @returns The exit code.
 * @throws UsageError if a setting is invalid; NoDesktopError if there is no desktop.
 */
export async function runMcp(settings: Settings, output: Output, lifetime: Lifetime): Promise<number> {
  lifetime.watch(output.report);
  const { runMcpOnStdio } = await import("../control/agents/mcp.ts");
  const services = await openServices(settings, output, lifetime);
  if (await runMcpOnStdio(await services().agents())) return 0;
  output.notice("deskhand: the client sent a message longer than the 10 MiB allowed");
  return 1;
}
