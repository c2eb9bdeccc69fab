/** Requests as bytes, for what HTTP clients would never send. */

/**
 * Sends bytes and reads until the server closes, or all that is waited for has come.
 * @param request The whole request; it should ask for `Connection: close`.
 * @param end What the answer ends with, where the server would go on waiting for the rest of the request.
 */
export async function sendRaw(url: string, request: string, end?: string): Promise<string> {
  const { hostname, port } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode(request));
  let answer = "";
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(64 * 1024);
  while (end === undefined || !answer.endsWith(end)) {
    const read = await connection.read(buffer);
    if (read === null) break;
    answer += decoder.decode(buffer.subarray(0, read), { stream: true });
  }
  return answer;
}

/** The status of a raw answer. */
export function rawStatus(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}
