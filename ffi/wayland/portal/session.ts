/**
 * A session that a person has agreed to, and the screens that the person shares. The session ends when the
 * person revokes the consent, and is then not reopened.
 */

import { isSameRegion, type Region } from "../../../control/desktop/desktop.ts";
import { DesktopUnavailableError, NoDesktopError } from "../../../core/errors.ts";
import { deadline } from "../../../core/until.ts";
import type { Bus } from "../../linux/dbus/bus.ts";
import { BusError } from "../../linux/dbus/channel.ts";
import type { RemoteObject } from "../../linux/dbus/message.ts";
import { type Sent, Variant } from "../../linux/dbus/values.ts";
import { type OutputState, turnedSize } from "../wire/outputs.ts";
import {
  canRestore,
  cursorModeOf,
  DEVICE,
  type Features,
  forgetToken,
  keepToken,
  PERSIST_UNTIL_REVOKED,
  REMOTE_DESKTOP,
  REQUEST,
  requestPath,
  RESPONSE,
  SCREEN_CAST,
  SERVICE,
  SESSION,
  SOURCE,
  takeToken,
} from "./features.ts";

const ENDED =
  "the desktop ended remote control: a person withdrew their consent, or the screen was locked. Start " +
  "deskhand again to ask for consent again";

/** An open session. */
export class PortalSession {
  /** Shared streams; empty before the consent. */
  streams: PortalStream[] = [];
  /** Called when the desktop ends the session, because a person revoked it or the screen was locked. */
  onRevoked: () => void = () => {};
  #isEnded = false;
  readonly #endings: (() => void)[] = [];

  /**
   * @param portal The unique name of the portal's connection.
   * @param path The path of the session's object.
   */
  constructor(readonly bus: Bus, readonly portal: string, readonly path: string) {
    const closed = { sender: portal, path, interface: SESSION, member: "Closed" };
    this.#endings.push(
      bus.stayAwake(),
      bus.listen(closed, () => this.#revoked()),
      bus.onOwnerChange(portal, () => this.#end()),
    );
  }

  /** @throws DesktopUnavailableError if the session has ended. */
  check(): void {
    if (this.#isEnded) throw new DesktopUnavailableError(ENDED);
    this.bus.check();
  }

  /**
   * Sends input and waits until the portal has passed it on.
   * @param member A RemoteDesktop method that begins with `Notify`.
   * @param signature The signature of the arguments after the session and the options.
   * @throws DesktopUnavailableError if the session has ended, or the portal refuses.
   */
  async notify(member: string, signature: string, args: readonly Sent[]): Promise<void> {
    await this.#call(() =>
      this.bus.callAsync(REMOTE_DESKTOP, member, `oa{sv}${signature}`, [this.path, {}, ...args], "")
    );
  }

  /**
   * Opens a PipeWire connection that has access only to the shared screens.
   * @returns A file descriptor, which the caller closes.
   * @throws DesktopUnavailableError if the session has ended, or the portal refuses.
   */
  async openPipeWire(): Promise<number> {
    const call = () => this.bus.callAsync(SCREEN_CAST, "OpenPipeWireRemote", "oa{sv}", [this.path, {}], "h");
    return (await this.#call(call))[0];
  }

  /** Ends the session, and with it the desktop's remote control indicator. Safe to call twice. */
  close(): void {
    if (!this.#isEnded) this.bus.tell(this.#object, "Close", "", []);
    this.#end();
  }

  get #object(): RemoteObject {
    return { destination: SERVICE, path: this.path, interface: SESSION };
  }

  #revoked(): void {
    this.#end();
    this.onRevoked();
  }

  #end(): void {
    this.#isEnded = true;
    for (const end of this.#endings.splice(0)) end();
  }

  async #call<T>(run: () => Promise<T>): Promise<T> {
    this.check();
    try {
      return await run();
    } catch (error) {
      // The portal may refuse calls on a closed session before it sends the signal that the session is
      // closed.
      if (error instanceof BusError) this.check();
      throw error;
    }
  }
}

// Portal requests: methods whose result comes later, as a signal, since a person may be asked first.

/** Maximum time for the portal when no person is asked, in milliseconds. */
const ANSWER_MS = 20_000;

/** The person refused, or the portal ended the request on its own. */
class RequestRefusedError extends DesktopUnavailableError {
  /** @param isByPerson Whether the person refused. */
  constructor(readonly isByPerson: boolean, member: string) {
    super(`${isByPerson ? "the person refused" : "the desktop's portal ended the request"} (${member})`);
  }
}

/** A method's options, which are its last argument. */
type Options = Record<string, Variant>;

/**
 * Makes a request and waits for its result without blocking this thread.
 * @param portal The unique name of the portal's connection.
 * @param signature The signature of the arguments before the options.
 * @param ms Maximum time for the result, in milliseconds.
 * @returns The result: values by name.
 * @throws RequestRefusedError if the request is refused; BusError if the call is refused; DesktopUnavailableError if
 * the result does not come in time, or the bus is gone.
 */
async function request(
  bus: Bus,
  portal: string,
  object: RemoteObject,
  member: string,
  signature: string,
  args: readonly Sent[],
  options: Options,
  ms = ANSWER_MS,
): Promise<Map<string, unknown>> {
  const token = `deskhand${crypto.randomUUID().replaceAll("-", "")}`, path = requestPath(bus.name, token);
  const result = Promise.withResolvers<[number, Map<string, unknown>]>();
  result.promise.catch(() => {}); // the promise may reject before a caller waits for it
  const rule = { sender: portal, path, interface: REQUEST, member: "Response" };
  const end = bus.listen(rule, ({ signature, values }) => {
    if (signature === "ua{sv}") result.resolve(values as [number, Map<string, unknown>]);
  });
  const late = `the desktop's portal did not answer within ${ms / 1000} s (${member})`;
  const withdraw = deadline(ms, () => result.reject(new DesktopUnavailableError(late)));
  const rest = bus.stayAwake(), lost = bus.onEnd((error) => result.reject(error));
  let isOpen = true;
  try {
    const all = { ...options, handle_token: new Variant("s", token) };
    await bus.callAsync(object, member, `${signature}a{sv}`, [...args, all], "o", { ms: ANSWER_MS });
    const [response, values] = await result.promise;
    isOpen = false;
    if (response === RESPONSE.success) return values;
    throw new RequestRefusedError(response === RESPONSE.cancelled, member);
  } finally {
    withdraw();
    lost();
    end();
    rest();
    // Closes a dialog that is still open after the time limit.
    if (isOpen) bus.tell({ ...object, path, interface: REQUEST }, "Close", "", []);
  }
}

// Asks the person at the desktop for consent to see and control it, with the portal's dialog.

/** Maximum time for a person to answer, in milliseconds. */
const PERSON_MS = 300_000;
/** Maximum time for a stored consent, in milliseconds; after that, the desktop is asking the person. */
const RESTORED_MS = 2000;

const ASKS =
  "your desktop asks for consent now: allow remote control in its dialog, choose the screens, and share";
/** The end of a sentence about something missing. */
const AGAIN = "start deskhand again to be asked again";

/**
 * Opens a portal session. One consent covers input and pictures.
 * @param features The features of a portal that lacks nothing.
 * @param notice Receives a line for the user when a dialog opens on the desktop.
 * @returns The session; its token for the next start is stored if the portal returns one.
 * @throws NoDesktopError if the person refuses, or grants less than required; DesktopUnavailableError if the
 * portal does not answer.
 */
export async function askConsent(
  bus: Bus,
  features: Features,
  notice: (text: string) => void,
  ms = PERSON_MS,
): Promise<PortalSession> {
  const portal = features.owner!, token = canRestore(features) ? await takeToken(notice) : undefined;
  const created = await request(bus, portal, REMOTE_DESKTOP, "CreateSession", "", [], {
    session_handle_token: new Variant("s", `deskhand${crypto.randomUUID().replaceAll("-", "")}`),
  });
  const session = new PortalSession(bus, portal, String(created.get("session_handle")));
  try {
    await select(bus, session, features, token);
    if (token === undefined) notice(ASKS);
    const late = token === undefined ? undefined : setTimeout(() => notice(ASKS), RESTORED_MS);
    const started = await start(bus, session, ms).finally(() => clearTimeout(late));
    checkDevices(Number(started.get("devices") ?? 0));
    session.streams = streamsOf(started.get("streams"));
    if (!session.streams.length) throw new NoDesktopError(`no screen was shared in the dialog; ${AGAIN}`);
    // Does not store an insufficient consent, with which the next start would get just as little, without
    // asking.
    const next = started.get("restore_token");
    if (typeof next === "string" && next) await keepToken(next, notice);
    session.onRevoked = forgetToken;
    return session;
  } catch (error) {
    session.close();
    throw error;
  }
}

/** Selects the devices and sources for which to ask consent. */
async function select(
  bus: Bus,
  { portal, path }: PortalSession,
  features: Features,
  token?: string,
): Promise<void> {
  const lasting = {
    persist_mode: new Variant("u", PERSIST_UNTIL_REVOKED),
    ...token === undefined ? {} : { restore_token: new Variant("s", token) },
  };
  const devices = {
    types: new Variant("u", DEVICE.keyboard | DEVICE.pointer),
    ...canRestore(features) ? lasting : {},
  };
  const sources = {
    types: new Variant("u", SOURCE.monitor),
    multiple: new Variant("b", true),
    cursor_mode: new Variant("u", cursorModeOf(features)),
  };
  await request(bus, portal, REMOTE_DESKTOP, "SelectDevices", "o", [path], devices);
  await request(bus, portal, SCREEN_CAST, "SelectSources", "o", [path], sources);
}

/** Opens the dialog and waits for the person. */
async function start(bus: Bus, { portal, path }: PortalSession, ms: number): Promise<Map<string, unknown>> {
  try {
    return await request(bus, portal, REMOTE_DESKTOP, "Start", "os", [path, ""], {}, ms);
  } catch (error) {
    if (!(error instanceof RequestRefusedError)) throw error;
    throw new NoDesktopError(
      error.isByPerson
        ? `consent was denied in the desktop's dialog, or the dialog was closed; ${AGAIN}`
        : `the desktop withdrew its consent dialog: it was closed or cannot be shown now; ${AGAIN}`,
    );
  }
}

function checkDevices(devices: number): void {
  const missing = Object.entries(DEVICE).filter(([, bit]) => !(devices & bit)).map(([name]) => name);
  if (!missing.length) return;
  throw new NoDesktopError(
    `you did not allow control of the ${
      missing.join(" and the ")
    }: start deskhand again and turn on remote ` +
      "interaction in the desktop's dialog (off by default on GNOME)",
  );
}

/** A shared screen. */
interface PortalStream {
  /** The number of the stream's node in PipeWire. */
  node: number;
  /** The stream's region in the compositor's logical pixels; undefined if the portal does not report it. */
  region?: Region;
}

/**
 * Reads the screens in an answer.
 * @param streams A list of `[node, properties]`, as the portal's `a(ua{sv})` is received.
 */
export function streamsOf(streams: unknown): PortalStream[] {
  if (!Array.isArray(streams)) return [];
  return streams.flatMap((stream) => {
    if (!Array.isArray(stream) || typeof stream[0] !== "number" || !(stream[1] instanceof Map)) return [];
    const [node, properties] = stream;
    const place = pairOf(properties.get("position")), size = pairOf(properties.get("size"));
    if (!size) return [{ node }];
    return [{ node, region: { x: place?.[0] ?? 0, y: place?.[1] ?? 0, width: size[0], height: size[1] } }];
  });
}

function pairOf(value: unknown): [number, number] | undefined {
  return Array.isArray(value) && value.length === 2 ? [Number(value[0]), Number(value[1])] : undefined;
}

// The compositor's shared outputs. Pure.

/** An output shown by a stream; its pictures are upright. */
export interface SharedOutput extends OutputState {
  /** The number of the stream's node in PipeWire. */
  node: number;
}

/**
 * Finds each stream's output: the portal reports the stream's position, and the compositor the output there.
 * @param outputs The outputs as described by the compositor.
 * @param known Output names by node, from an earlier call, to which new names are added, since an output may
 * move.
 * @returns An output for each stream, except for streams whose output is gone.
 */
export function sharedOutputs(
  streams: readonly PortalStream[],
  outputs: readonly OutputState[],
  known: Map<number, string>,
): SharedOutput[] {
  return streams.flatMap(({ node, region }, i) => {
    const name = known.get(node);
    const output = outputs.find((one) =>
      name === undefined
        ? region ? isSameRegion(one.logical, region) : streams.length === 1 && outputs.length === 1
        : one.name === name
    );
    if (output) {
      known.set(node, output.name);
      return [{ ...output, mode: turnedSize(output), transform: 0, node }];
    }
    if (name !== undefined || !region) return [];
    // A shared stream without an output, such as a virtual display, has one pixel per logical pixel.
    const { width, height } = region;
    return [{ name: `screen ${i + 1}`, mode: { width, height }, transform: 0, logical: region, node }];
  });
}
