/** Reads the JUnit report that `deno test --junit-path` writes. */

import type { Counts } from "./outcome.ts";

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/**
 * Counts the tests in a report; steps count as tests.
 * @param xml The report; empty if none was written.
 * @param code The run's exit code. If it is not 0, at least one test counts as failed: a file that does not
 * load, or a process that crashes, fails without a test case of its own.
 */
export function countsOf(xml: string, code: number): Counts {
  const count = (tag: string) => xml.match(new RegExp(`<${tag}[ >/]`, "g"))?.length ?? 0;
  const failed = count("failure") + count("error");
  const skipped = count("skipped");
  return {
    passed: count("testcase") - failed - skipped,
    failed: code === 0 ? failed : failed || 1,
    skipped,
  };
}

/** The names of the tests that failed. */
export function failuresOf(xml: string): string[] {
  return Array.from(
    xml.matchAll(/<testcase name="([^"]*)"[^>]*[^/]>\s*<(?:failure|error)/g),
    ([, name]) => name.replace(/&(\w+);/g, (entity, key) => ENTITIES[key] ?? entity),
  );
}
