/**
 * Calls of the control API, and the token. The token is stored for this tab: it survives a reload and ends
 * with the tab.
 */

/** Key of the token in the tab's storage. */
const KEPT = "deskhand.token";
/** Time without an answer after which the server counts as unreachable, in milliseconds. */
const PATIENCE = 8000;

let token = keptToken();

/** The token stored before a reload; empty if the browser stores nothing. */
function keptToken() {
  try {
    return sessionStorage.getItem(KEPT) ?? "";
  } catch {
    return "";
  }
}

/** @param {string} value Empty to store none. */
function keep(value) {
  try {
    if (value) sessionStorage.setItem(KEPT, value);
    else sessionStorage.removeItem(KEPT);
  } catch {
    // Without storage, the page asks for the token again after a reload.
  }
}

/**
 * Removes the token from the address, so that no history stores it.
 * @returns {boolean} Whether there was one.
 */
export function takeTokenFromAddress() {
  const given = /[#&]token=([^&]*)/.exec(location.hash)?.[1];
  if (location.hash) history.replaceState(null, "", location.pathname);
  if (given) keep(token = decoded(given));
  return given !== undefined;
}

/** @param {string} text A text that may have been percent-encoded in transit. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param {string} value The text that the person entered. */
export function setToken(value) {
  keep(token = value.trim());
}

/** Subprotocols that pass the token to a WebSocket, which cannot have headers. */
export function protocols() {
  if (!token) return ["deskhand"];
  const base64 = btoa(token).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return ["deskhand", `deskhand.token.${base64}`];
}

/** Whether there is a token. */
export function hasToken() {
  return token !== "";
}

/** The header with the token; empty without one. @returns {Record<string, string>} */
export function authorization() {
  return token ? { authorization: `Bearer ${token}` } : {};
}

/** An error of the API, with its status. */
export class ApiError extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Returns an address on this server, even if a proxy serves the page below its own path.
 * @param {string} path Such as `/api/position`.
 */
export function addressOf(path) {
  return new URL(`.${path}`, location.href).href;
}

/**
 * Calls the API.
 * @param {string} method
 * @param {string} path Such as `/api/position`.
 * @param {unknown} [body] Sent as JSON, unless it is a text or a file.
 * @param {AbortSignal} [signal] Aborts the call.
 * @returns {Promise<Response>} With a status from 200 to 299.
 * @throws ApiError if the API rejects the call; TypeError if the server cannot be reached; the signal's
 * reason.
 */
export async function call(method, path, body, signal) {
  // Neither a header nor a subprotocol can carry such a token.
  if (/[^!-~]/.test(token)) {
    throw new ApiError(401, "the token is invalid: it contains characters that no token has");
  }
  const headers = authorization();
  const isReady = body === undefined || typeof body === "string" || body instanceof Blob;
  const content = isReady ? body : JSON.stringify(body);
  const response = await fetch(addressOf(path), {
    method,
    headers,
    body: content,
    credentials: "omit",
    signal,
  });
  if (response.ok) return response;
  if (response.status === 401) keep(""); // forgets a wrong token, so that a reload does not retry it
  const { error = response.statusText } = await response.json().catch(() => ({}));
  throw new ApiError(response.status, error);
}

/**
 * Requests JSON from the API.
 * @param {string} path
 * @returns {Promise<any>}
 * @throws ApiError if the API rejects the call; DOMException TimeoutError if no answer arrives.
 */
export async function ask(path) {
  return await (await call("GET", path, undefined, AbortSignal.timeout(PATIENCE))).json();
}

/**
 * Runs a function, and shows the message of its error.
 * @param {(message: string) => void} notice
 * @param {() => unknown} act
 */
export async function noticed(notice, act) {
  try {
    await act();
  } catch (error) {
    notice(/** @type {Error} */ (error).message);
  }
}

/**
 * Saves an answer's content as a file.
 * @param {Response} response
 * @param {string} name
 */
export async function saveAs(response, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
