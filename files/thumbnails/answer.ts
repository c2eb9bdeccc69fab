/** Answers with small pictures. */

import { ownAnswer } from "../pages.ts";

/**
 * Makes the answer.
 * @param small A JPEG or PNG file.
 * @param isVersion Whether the address names the file's version, so that a browser need not ask again.
 */
export function thumbnailAnswer(
  small: Uint8Array<ArrayBuffer>,
  name: string,
  isVersion: boolean,
): Response {
  const kind = small[0] === 0xff ? "jpeg" : "png";
  const answer = ownAnswer(small, { name: `${name}.${kind}`, type: `image/${kind}` });
  if (isVersion) answer.headers.set("cache-control", "private, max-age=86400, immutable");
  return answer;
}
