/**
 * Fixtures and matchers for testing desktop programs with Playwright Test.
 *
 * ```ts
 * import { expect, test } from "@deskhand/client/test";
 *
 * test("greets", async ({ desk, launch }) => {
 *   await launch("greeter");
 *   await desk.element('textbox "Name"').set("Ada");
 *   await desk.element('button "Greet"').click();
 *   await expect(desk.element({ role: "label", name: "Hello" })).toHaveText("Hello, Ada");
 * });
 * ```
 *
 * @module
 */

import { Conflict, Desk } from "@deskhand/client";
import {
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  test as playwrightTest,
  type TestInfo,
  type TestType,
  type WorkerInfo,
} from "@playwright/test";
import { type ChildProcess, spawn } from "node:child_process";
import { Buffer } from "node:buffer";
import { existsSync } from "node:fs";
import { basename } from "node:path";
import process from "node:process";
import { type DesktopKind, type Server, startServer } from "./server.ts";

export { expect, type MatcherOptions } from "./matchers.ts";
export type { LookOptions, Part } from "./pictures.ts";
export type { DesktopKind };

/** Options of each test, set in `use` in the configuration. */
export interface DeskOptions {
  /** The tests whose traces are attached to the report; defaults to `retain-on-failure`. */
  deskTrace: "on" | "off" | "retain-on-failure";
  /** Milliseconds for which actions wait for their element or window; defaults to 5000. */
  deskActionTimeout: number;
  /**
   * Whether another element may replace a missing one, by fixed rules (docs/tests.md#healing). The report
   * warns of each replacement with the line to change.
   */
  deskHeal: boolean;
}

/** Options of each worker, set in `use` in the configuration. */
export interface DeskWorkerOptions {
  /**
   * The address of a running deskhand; defaults to DESKHAND_URL. Without either, each worker starts its own.
   */
  deskUrl: string | undefined;
  /** The command that starts deskhand; defaults to DESKHAND_EXECUTABLE or `deskhand`. */
  deskProgram: string | string[] | undefined;
  /** The desktop of that deskhand: in memory, or a separate X server. */
  desktop: DesktopKind;
  /** The size of that desktop, such as 1280x720. */
  desktopSize: string | undefined;
}

/** Fixtures of a test. */
export interface DeskFixtures {
  /** The desktop. */
  desk: Desk;
  /**
   * Starts a program on the desktop; it is terminated with the test.
   * @throws Error if there is no such program.
   */
  launch: (command: string, ...args: string[]) => Promise<ChildProcess>;
  /** The programs started by `launch`, which are terminated after the picture of a failed test is taken. */
  deskPrograms: ChildProcess[];
}

/** Fixtures of a worker. */
export interface DeskWorkerFixtures {
  /** The deskhand of this worker. */
  deskServer: Server;
}

/** Maximum time for a program to exit after SIGTERM, in milliseconds. */
const END_MS = 3000;

function commandOf(program: string | string[] | undefined): string[] {
  if (program !== undefined && program.length) return typeof program === "string" ? [program] : program;
  return [process.env.DESKHAND_EXECUTABLE || "deskhand"];
}

/**
 * Checks that no other worker presses and types into this one's tests.
 * @throws Error if another worker shares the desktop, and no project has its own.
 */
function checkAlone(deskUrl: string, { parallelIndex, config }: WorkerInfo): void {
  const urls = config.projects.map(({ use }) => (use as Partial<DeskWorkerOptions>).deskUrl ?? deskUrl);
  if (parallelIndex === 0 || urls.some((url) => url !== deskUrl)) return;
  throw new Error(
    `several workers would share the desktop of ${deskUrl}: use --workers 1, or leave out deskUrl and ` +
      "DESKHAND_URL, so that each worker starts its own",
  );
}

/** Starts a trace, after stopping any that an earlier run left behind or that `deskhand run` began. */
async function startTrace(desk: Desk, name: string): Promise<void> {
  try {
    await desk.startTrace({ name });
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    await desk.stopTrace();
    await desk.startTrace({ name });
  }
}

/** Stops the trace and attaches its file, or removes the file. */
async function endTrace(desk: Desk, info: TestInfo, isKept: boolean): Promise<void> {
  const { file } = await desk.stopTrace();
  if (file === undefined) return;
  // The file stays where it is if deskhand runs on another machine.
  if (isKept && existsSync(file)) {
    await info.attach("desktop trace", { path: file, contentType: "text/html" });
  } else if (!isKept) await desk.removeTrace({ name: file.split("/").at(-1)! });
}

/** Records that an element replaced a missing one, with the line of the test that names the missing one. */
function warn(info: TestInfo, told: string): void {
  const place = new Error().stack?.split("\n").find((line) => line.includes(info.file));
  const line = /:(\d+):\d+\)?$/.exec(place ?? "")?.[1], file = basename(info.file);
  const location = { file: info.file, line: Number(line ?? info.line), column: 1 };
  const description = `${file}:${location.line}: ${told}`;
  info.annotations.push({ type: "healed", description, location });
  console.warn(`healed: ${description}`);
}

async function attachPicture(desk: Desk, info: TestInfo): Promise<void> {
  const picture = await desk.screenshot({ format: "png", cursor: true });
  await info.attach("desktop", { body: Buffer.from(picture), contentType: "image/png" });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), END_MS);
  await exit;
  clearTimeout(late);
}

type TestArgs = PlaywrightTestArgs & PlaywrightTestOptions & DeskOptions & DeskFixtures;
type WorkerArgs = PlaywrightWorkerArgs & PlaywrightWorkerOptions & DeskWorkerOptions & DeskWorkerFixtures;

/** Playwright's `test`, with a desktop. */
export const test: TestType<TestArgs, WorkerArgs> = playwrightTest.extend<
  DeskOptions & DeskFixtures,
  DeskWorkerOptions & DeskWorkerFixtures
>({
  deskUrl: [process.env.DESKHAND_URL || undefined, { option: true, scope: "worker" }],
  deskProgram: [undefined, { option: true, scope: "worker" }],
  desktop: ["virtual", { option: true, scope: "worker" }],
  desktopSize: [undefined, { option: true, scope: "worker" }],
  deskTrace: ["retain-on-failure", { option: true }],
  deskActionTimeout: [5000, { option: true }],
  deskHeal: [false, { option: true }],

  deskServer: [async ({ deskUrl, deskProgram, desktop, desktopSize }, use, info) => {
    if (deskUrl) {
      checkAlone(deskUrl, info);
      return await use({ url: deskUrl, environment: {}, end: () => Promise.resolve() });
    }
    const server = await startServer(commandOf(deskProgram), desktop, desktopSize);
    try {
      await use(server);
    } finally {
      await server.end();
    }
  }, { scope: "worker", timeout: 90_000 }],

  deskPrograms: async ({ deskServer: _ }, use) => {
    const programs: ChildProcess[] = [];
    await use(programs);
    for (const program of programs.reverse()) await ended(program);
  },

  desk: async ({ deskServer, deskTrace, deskActionTimeout, deskHeal, deskPrograms: _ }, use, info) => {
    const desk = new Desk({ url: deskServer.url });
    desk.actionTimeoutMs = deskActionTimeout;
    if (deskHeal) desk.onHealed = (told) => warn(info, told);
    if (deskTrace !== "off") await startTrace(desk, info.titlePath.slice(1).join(" › ").slice(0, 100));
    try {
      await use(desk);
    } finally {
      const hasFailed = info.status !== info.expectedStatus;
      if (hasFailed) await attachPicture(desk, info);
      if (deskTrace !== "off") await endTrace(desk, info, hasFailed || deskTrace === "on");
      await desk.release({}); // keys and buttons that the test left pressed
    }
  },

  launch: async ({ deskServer, deskPrograms, desk: _ }, use) => {
    await use(async (command, ...args) => {
      const env = { ...process.env, ...deskServer.environment };
      const child = spawn(command, args, { env, stdio: ["ignore", "inherit", "inherit"] });
      deskPrograms.push(child);
      const failed = new Error(); // made here, so that the report shows the test's line
      await new Promise((resolve, reject) =>
        child.once("spawn", resolve).once("error", (error: Error & { code?: string }) => {
          const isMissing = error.code === "ENOENT";
          failed.message = isMissing
            ? `program not found: ${command}`
            : `cannot start ${command}: ${error.message}`;
          reject(failed);
        })
      );
      return child;
    });
  },
});
