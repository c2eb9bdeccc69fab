/** `deskhand doctor`: a report of what works on this machine, and what the rest requires. */

import { inspectDesktop, inspectSound } from "../ffi/open.ts";
import type { Finding } from "../ffi/permission.ts";
import { isMissingAddress, LOOPBACK } from "../http/listener.ts";
import { HTTP_PORT, type Settings } from "./option_table.ts";
import { vncDesktop } from "./services.ts";

/**
 * Checks the desktop and the ports.
 * @param settings The settings that name the desktop and ports to check.
 * @returns The report's lines, and whether everything works.
 * @throws UsageError if an option of the desktop is invalid.
 */
export async function diagnosis(settings: Settings): Promise<{ text: string; ok: boolean }> {
  const { http = HTTP_PORT, filesPort, desktop } = settings;
  const ports = [portFinding(http, "--http"), portFinding(filesPort, "--files-port")];
  const inspected = await inspectDesktop(desktop, await vncDesktop(settings));
  const findings = [...inspected, ...await inspectSound(desktop), ...ports];
  return { text: reportOf(findings), ok: findings.every(({ ok }) => ok) };
}

/** Formats the findings: `ok`, `NO`, or `--` for absent optional parts, then name and detail in columns. */
export function reportOf(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length)) + 2;
  const indent = "\n" + " ".repeat(width + 4);
  return findings.map(({ name, ok, isAbsent, detail }) =>
    `${isAbsent ? "--" : ok ? "ok" : "NO"}  ${name.padEnd(width)}${detail.replaceAll("\n", indent)}`
  ).join("\n");
}

/**
 * Checks whether a server could listen on all of the machine's loopback addresses. A taken port is not a
 * failure, because other ports are free.
 * @param port The server's port.
 * @param option The option that sets another port.
 */
export function portFinding(port: number, option: string): Finding {
  const name = `port ${port}`;
  try {
    for (const hostname of LOOPBACK) {
      try {
        Deno.listen({ hostname, port }).close();
      } catch (error) {
        if (!isMissingAddress(error)) throw error;
      }
    }
    return { name, ok: true, detail: "free" };
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) {
      return { name, ok: false, detail: (error as Error).message };
    }
    return {
      name,
      ok: true,
      detail: `taken by another program, maybe another deskhand; ${option} takes another port`,
    };
  }
}
