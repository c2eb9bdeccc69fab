/** The client's errors. */

/** Base class of all client errors. */
export class DeskhandError extends Error {
  override name = "DeskhandError";
}

/** A response with a status other than 200; the message says what is wrong, and what is allowed. */
export class ApiError extends DeskhandError {
  override name = "ApiError";
  /** For a press that names its picture: the parts of the screen that changed, in pixels. */
  changed?: { x: number; y: number; width: number; height: number }[];
  /** The new picture for such a press, a PNG file in base64, if requested with `picture`. */
  picture?: string;

  /**
   * @param done The number of actions in a list completed before the one that failed; undefined for any other
   * call.
   */
  constructor(readonly status: number, message: string, readonly done?: number) {
    super(message);
  }
}

/** 400, 413, 414: something in the call is missing or invalid; the message names it. */
export class BadRequest extends ApiError {
  override name = "BadRequest";
}
/** 401, 403, 429: a token is missing or wrong, or deskhand runs with --read-only. */
export class NotAllowed extends ApiError {
  override name = "NotAllowed";
}
/** 404: no window, element or picture matches. */
export class NotFound extends ApiError {
  override name = "NotFound";
}
/** 408: the awaited state was not reached in time. */
export class TimedOut extends ApiError {
  override name = "TimedOut";
}
/**
 * 409: several things match, the current state does not allow the call, or the desktop does not support it.
 */
export class Conflict extends ApiError {
  override name = "Conflict";
}
/** 503: the desktop is gone, or too many calls are in progress. */
export class Unavailable extends ApiError {
  override name = "Unavailable";
}

/** No response arrived. */
export class ConnectionFailed extends DeskhandError {
  override name = "ConnectionFailed";

  /**
   * @param mayHaveHappened Whether the request may have been sent, so that an action may have been performed.
   */
  constructor(message: string, readonly mayHaveHappened: boolean, options?: ErrorOptions) {
    super(message, options);
  }
}

const BY_STATUS: Record<number, typeof ApiError> = {
  400: BadRequest,
  401: NotAllowed,
  403: NotAllowed,
  404: NotFound,
  408: TimedOut,
  409: Conflict,
  413: BadRequest,
  414: BadRequest,
  429: NotAllowed,
  503: Unavailable,
};

/** Returns the error for a response. */
export function apiError(status: number, message: string, done?: number): ApiError {
  return new (BY_STATUS[status] ?? ApiError)(status, message, done);
}
