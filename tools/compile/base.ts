/**
 * The base runtime (denort), the part of an executable that is not deskhand's: Deno uses the file named in
 * DENORT_BIN, or downloads and caches it.
 */

import { type Target, targetOf } from "./targets.ts";

/** The source of a target's base runtime. */
type Base = { from: "file"; path: string } | { from: "download"; why: string };

/**
 * Chooses the source of the base runtime: DENORT_BIN if it is a program for that target, otherwise the
 * download site.
 * @param denortBin The value of DENORT_BIN.
 */
export function chooseBase(target: Target, denortBin: string | undefined): Base {
  if (!denortBin) return { from: "download", why: "DENORT_BIN is not set" };
  try {
    const found = targetOf(denortBin);
    if (found === target) return { from: "file", path: denortBin };
    return {
      from: "download",
      why: `DENORT_BIN names ${denortBin}, which is ${found ? `for ${found.name}` : "no such program"}`,
    };
  } catch (error) {
    return {
      from: "download",
      why: `DENORT_BIN names ${denortBin}, which cannot be read (${(error as Error).message})`,
    };
  }
}

/** The URL from which Deno would download a target's base runtime. */
function downloadUrl(target: Target): string {
  return `https://dl.deno.land/release/v${Deno.version.deno}/denort-${target.triple}.zip`;
}

/**
 * Whether `deno compile` failed because it has no base runtime, as its message shows.
 * @param stderr Its output.
 */
export function lacksBase(stderr: string): boolean {
  return /Setting up base binary|dl\.deno\.land|Could not find denort|standalone binary section/.test(stderr);
}

/**
 * The message if the base runtime is available from neither source.
 * @param why Why DENORT_BIN could not be used.
 * @param stderr The output of `deno compile`.
 */
export function lackOfBase(target: Target, why: string, stderr: string): string {
  const cause =
    /Caused by:[^]*?\b(dns error[^\n]*|[^\n]*status[^\n]*|[^\n]*refused[^\n]*|[^\n]*timed out[^\n]*)/
      .exec(stderr)?.[1].trim() ?? "the download failed";
  return [
    `neither place has the base runtime for ${target.name}:`,
    `  ${why}`,
    `  ${downloadUrl(target)}: ${cause}`,
    "Either run this where that address can be reached (Deno keeps what it downloaded), or download and",
    `unpack it elsewhere, copy denort here, and run: DENORT_BIN=/path/to/denort deno task compile --target ${target.name}`,
  ].join("\n");
}
