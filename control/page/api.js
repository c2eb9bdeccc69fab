/**
 * Calls of the control API, and the token. The token is kept for this tab: it outlives a reload and ends with the tab.
 */

/** The name of the token in the tab's storage. */
const KEPT = "deskhand.token";
/** The time that an answer may take until the server counts as gone, in milliseconds. */
const PATIENCE = 8000;

let token = keptToken();

/** The token that was kept before a reload; empty where the browser keeps nothing. */
function keptToken() {
  try {
    return sessionStorage.getItem(KEPT) ?? "";
  } catch {
    return "";
  }
}

/** @param {string} value Empty to keep none. */
function keep(value) {
  try {
    if (value) sessionStorage.setItem(KEPT, value);
    else sessionStorage.removeItem(KEPT);
  } catch {
    // Without storage the page asks for the token again after a reload.
  }
}

/**
 * Takes the token out of the address, so that no history keeps it.
 * @returns {boolean} Whether there was one.
 */
export function takeTokenFromAddress() {
  const given = /[#&]token=([^&]*)/.exec(location.hash)?.[1];
  if (location.hash) history.replaceState(null, "", location.pathname);
  if (given) keep(token = decoded(given));
  return given !== undefined;
}

/** @param {string} text A text that may have been percent-encoded on its way. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param {string} value The text that the person typed. */
export function setToken(value) {
  keep(token = value.trim());
}

/** Subprotocols by which a WebSocket gives the token: it cannot have headers. */
export function protocols() {
  if (!token) return ["deskhand"];
  const base64 = btoa(token).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return ["deskhand", `deskhand.token.${base64}`];
}

/** Whether there is a token. */
export function hasToken() {
  return token !== "";
}

/** The header that carries the token; empty without one. @returns {Record<string, string>} */
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
 * An address of this server, also where a proxy serves the page below a path of its own.
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
 * @param {AbortSignal} [signal] Ends the call.
 * @returns {Promise<Response>} With a status from 200 to 299.
 * @throws ApiError if the API refuses; TypeError if the server cannot be reached; the signal's reason.
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
  if (response.status === 401) keep(""); // forgets a wrong token, so that a reload does not try it again
  const { error = response.statusText } = await response.json().catch(() => ({}));
  throw new ApiError(response.status, error);
}

/**
 * Asks the API for JSON.
 * @param {string} path
 * @returns {Promise<any>}
 * @throws ApiError if it refuses; DOMException TimeoutError if no answer comes.
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
 * Saves the content of an answer as a file.
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
