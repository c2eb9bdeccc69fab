/** WebDriver's errors (W3C WebDriver, section 6.6), and how deskhand's own errors map to them. */

import {
  BusyError,
  ExpectedError,
  ForbiddenError,
  InputError,
  NotFoundError,
  OverdueError,
  StateError,
  TimeLimitError,
  UnsupportedError,
} from "../../../core/errors.ts";
import { printableJson } from "../../../core/printable.ts";
import { RequestError } from "../../../http/request.ts";
import { DialogError } from "../../windows/list.ts";

/** The status of each error code. */
export const STATUS = {
  "element click intercepted": 400,
  "element not interactable": 400,
  "invalid argument": 400,
  "invalid element state": 400,
  "invalid selector": 400,
  "invalid session id": 404,
  "move target out of bounds": 500,
  "no such element": 404,
  "no such window": 404,
  "session not created": 500,
  "stale element reference": 404,
  timeout: 500,
  "unable to capture screen": 500,
  "unknown command": 404,
  "unknown error": 500,
  "unknown method": 405,
  "unsupported operation": 500,
} as const;

type ErrorCode = keyof typeof STATUS;

/** An error with WebDriver's own code. */
export class WebDriverError extends ExpectedError {
  override name = "WebDriverError";

  constructor(readonly code: ErrorCode, message: string) {
    super(message);
  }
}

/** An `invalid argument`. */
export function invalid(message: string): WebDriverError {
  return new WebDriverError("invalid argument", message);
}

/** A `session not created`. */
export function notCreated(message: string): WebDriverError {
  return new WebDriverError("session not created", message);
}

const OUTSIDE = /(?:outside of|not on) the (?:desktop|screen)/;
const UNREACHABLE =
  /is (?:not shown|not on the screen|disabled|off the screen)|has no place|hold still|vanished|moved/;

/** The code of each error class, with the words in the message that decide if a class has several codes. */
const CODES: readonly (readonly [kind: new (message: string) => Error, code: ErrorCode, words?: RegExp])[] = [
  [InputError, "move target out of bounds", OUTSIDE],
  [InputError, "invalid argument"],
  [NotFoundError, "stale element reference", /^e\d+ is gone/],
  [NotFoundError, "no such window", /^(?:there is no window|no window|(?:the )?window .* closed)/],
  [NotFoundError, "no such element"],
  [TimeLimitError, "timeout"],
  [OverdueError, "timeout"],
  [ForbiddenError, "unsupported operation"],
  [UnsupportedError, "unsupported operation"],
  [StateError, "unsupported operation", /lets no program/],
  [StateError, "timeout", /does not answer/],
  [DialogError, "element not interactable"],
  [StateError, "element click intercepted", /is covered by/],
  [StateError, "element not interactable", UNREACHABLE],
  [StateError, "invalid element state", /^\S+ "|has the text|does not take/],
  [BusyError, "timeout", /took longer/],
];

/** The code of an expected error. */
export function codeOf(error: ExpectedError): ErrorCode {
  if (error instanceof WebDriverError) return error.code;
  const row = CODES.find(([kind, , words]) => error instanceof kind && (words?.test(error.message) ?? true));
  return row?.[1] ?? "unknown error";
}

function answer(value: unknown, status: number, headers: Record<string, string> = {}): Response {
  return new Response(printableJson(JSON.stringify({ value: value ?? null })), {
    status,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
      ...headers,
    },
  });
}

/** The answer to a successful command. @param value Its result; null if it has none. */
export function success(value: unknown): Response {
  return answer(value, 200);
}

/**
 * The answer to a failed command.
 * @param report Receives errors that are bugs, whose details the client does not see.
 */
export function failure(error: unknown, report: (error: unknown) => void): Response {
  if (error instanceof RequestError) return errorResponse("unknown error", error.message, error);
  if (error instanceof DOMException && error.name === "AbortError") {
    return errorResponse("unknown error", "the client went away");
  }
  if (error instanceof ExpectedError) return errorResponse(codeOf(error), error.message);
  report(error);
  return errorResponse("unknown error", "an internal error occurred");
}

/** An error as an answer. @param status By default, the status of the code. */
export function errorResponse(
  code: ErrorCode,
  message: string,
  { status = STATUS[code], headers }: { status?: number; headers?: Record<string, string> } = {},
): Response {
  return answer({ error: code, message, stacktrace: "" }, status, headers);
}
