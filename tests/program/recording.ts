/** A program's recording endpoints, called over HTTP. */

import { until } from "../support/shell.ts";

/** Calls an endpoint below `/api/`; the answer is JSON. */
export async function call(url: string, method: string, path: string, body?: unknown) {
  const response = await fetch(`${url}/api/${path}`, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: response.status, json: await response.json() };
}

/** Waits until no recording or replay is running. */
export const idle = (url: string) =>
  until(() => call(url, "GET", "recording/state"), ({ json }) => json.state === "idle");
