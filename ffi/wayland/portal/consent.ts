/** Asks the person at the desktop for consent to see and to control it, by the portal's dialog. */

import { NoDesktopError } from "../../../core/errors.ts";
import type { Bus } from "../../linux/dbus/bus.ts";
import { Variant } from "../../linux/dbus/values.ts";
import { canRestore, cursorModeOf, type Features } from "./features.ts";
import { DEVICE, PERSIST_UNTIL_REVOKED, REMOTE_DESKTOP, SCREEN_CAST, SOURCE } from "./names.ts";
import { request, RequestRefusedError } from "./request.ts";
import { PortalSession } from "./session.ts";
import { streamsOf } from "./streams.ts";
import { forgetToken, keepToken, takeToken } from "./token.ts";

/** The time that a person has to answer, in milliseconds. */
const PERSON_MS = 300_000;
/** The longest time that a stored consent takes, in milliseconds; after that the desktop is asking the person. */
const RESTORED_MS = 2000;

const ASKS =
  "your desktop asks for consent now: allow remote control in its dialog, choose the screens, and share";
/** The end of a sentence that says what is missing. */
const AGAIN = "start deskhand again to be asked again";

/**
 * Opens a session of the portal. One consent covers input and pictures.
 * @param features The features of a portal that lacks nothing.
 * @param notice Gets a line for the user when a dialog opens on the desktop.
 * @returns The session; its token for the next start is stored if the portal gives one.
 * @throws NoDesktopError if the person refuses, or agrees to less than is needed; DesktopUnavailableError if the portal
 *   does not answer.
 */
export async function askConsent(
  bus: Bus,
  features: Features,
  notice: (text: string) => void,
  ms = PERSON_MS,
): Promise<PortalSession> {
  const portal = features.owner!, token = canRestore(features) ? takeToken(notice) : undefined;
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
    // Does not keep a consent that gives too little: with it the next start would get as little, without a question.
    const next = started.get("restore_token");
    if (typeof next === "string" && next) keepToken(next, notice);
    session.onRevoked = forgetToken;
    return session;
  } catch (error) {
    session.close();
    throw error;
  }
}

/** Selects the devices and sources for which consent is asked. */
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
        ? `consent was refused in the desktop's dialog, or the dialog was closed; ${AGAIN}`
        : `the desktop ended its question for consent: the dialog was closed, or cannot be shown now; ${AGAIN}`,
    );
  }
}

function checkDevices(devices: number): void {
  const missing = Object.entries(DEVICE).filter(([, bit]) => !(devices & bit)).map(([name]) => name);
  if (!missing.length) return;
  throw new NoDesktopError(
    `the consent does not include the ${
      missing.join(" and the ")
    }: switch on remote interaction in the desktop's ` +
      `dialog, which is off at first on GNOME; ${AGAIN}`,
  );
}
