/** Requests as bytes, for what HTTP clients would never send. */

/**
 * Sends bytes and reads until the server closes.
 * @param request The whole request; it should ask for `Connection: close`.
 */
export async function sendRaw(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode(request));
  let answer = "";
  const decoder = new TextDecoder();
  for await (const chunk of connection.readable) answer += decoder.decode(chunk, { stream: true });
  return answer;
}

/** The status of a raw answer. */
export function rawStatus(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}
