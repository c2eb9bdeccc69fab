// A deskhand's /api/act endpoint, for the drivers of the vendors' SDKs.

/**
 * Connects to a deskhand.
 * @param dialect The vendor whose model writes the actions.
 * @param options The options shared by all drivers: `url`, `token`, `fetch`.
 * @param failure Creates an error from a message, in the SDK's own class.
 * @returns A function that sends a request's fields and returns the response.
 */
export function endpointOf(dialect, { url = "http://127.0.0.1:4000", token, fetch }, failure) {
  const endpoint = new URL("/api/act", url), request = fetch ?? globalThis.fetch;
  const headers = {
    "content-type": "application/json",
    ...(token ? { authorization: `Bearer ${token}` } : {}),
  };
  return async (fields, signal) => {
    const body = JSON.stringify({ dialect, ...fields });
    const answer = await request(endpoint, { method: "POST", headers, body, signal });
    const values = await answer.json().catch(() => ({}));
    if (answer.ok) return values;
    throw failure(`deskhand answered ${answer.status}: ${values.error ?? "no JSON"}`);
  };
}
