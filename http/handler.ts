/**
 * What both doors are made of: plain functions from a request to a response, tested without a socket.
 */

/** Who asks: the peer's address, and a promise that settles when the answer has left or the client has gone. */
export type Peer = Deno.ServeHandlerInfo<Deno.NetAddr>;

/**
 * A door. Never throws and never rejects. A chunk of a body is valid until the next one is asked for; see
 * {@linkcode ./stream.ts}.
 */
export type Handler = (request: Request, peer: Peer) => Response | Promise<Response>;

/** Why a request is turned away before it is looked at; each door gives it the form of its own errors. */
export interface Refusal {
  /** HTTP status, 400 to 499. */
  status: number;
  /** One line for the client; holds nothing of this machine. */
  message: string;
  /** Further headers of the answer (`WWW-Authenticate`, `Retry-After`). */
  headers?: Record<string, string>;
  /** Whether what is the same for everybody, a page without secrets, may be answered all the same. */
  waivable?: boolean;
}

/** Decides on a request before a door looks at it. */
export type Guard = (request: Request, peer: Peer) => Refusal | undefined;
