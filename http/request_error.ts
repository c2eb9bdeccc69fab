/** An HTTP request that is refused with a status of its own. */

import { ExpectedError } from "../core/errors.ts";

/** Thrown by HTTP handlers only. Code that is not about HTTP throws another {@linkcode ExpectedError}. */
export class RequestError extends ExpectedError {
  override name = "RequestError";

  /**
   * @param status HTTP status, 400 to 599.
   * @param message What was wrong and what is allowed; sent to the client unchanged.
   * @param headers Further headers of the answer, such as `Allow` or `Retry-After`.
   */
  constructor(readonly status: number, message: string, readonly headers: Record<string, string> = {}) {
    super(message);
  }
}
