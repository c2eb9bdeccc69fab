/** The types that both servers share: handlers are plain functions from a request to a response. */

/** The client: its address, and a promise that settles when the answer has been sent or the client has gone. */
export interface Peer extends Deno.ServeHandlerInfo<Deno.NetAddr> {
  /** The address that a trusted proxy names as its caller's; left out without such a proxy. */
  caller?: string;
}

/**
 * Answers a request. Never throws and never rejects. A chunk of the answer's body is valid until the next one is read;
 * see {@linkcode ./stream.ts}.
 */
export type Handler = (request: Request, peer: Peer) => Promise<Response>;

/** The reason why a request is refused before it is handled. Each server gives it the form of its own errors. */
export interface Refusal {
  /** HTTP status, 400 to 499. */
  status: number;
  /** One line for the client, without any detail of this machine. */
  message: string;
  /** Further headers of the answer (`WWW-Authenticate`, `Retry-After`). */
  headers?: Record<string, string>;
  /** Whether endpoints without secrets, which answer every caller alike, may be answered despite the refusal. */
  waivable?: boolean;
}

/**
 * Decides on a request before it is handled.
 * @returns undefined if the request may go on.
 */
export type Guard = (request: Request, peer: Peer) => Refusal | undefined;
