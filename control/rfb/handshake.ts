/** Admits viewers: the version, the security type and the secret (RFC 6143 section 7.1, VeNCrypt). */

import { nodeModule } from "../../core/path.ts";
import {
  lengthAndText,
  longs,
  message,
  type Minor,
  minorOf,
  SECURITY,
  uint32,
  VERSION_LENGTH,
  versionText,
} from "../../rfb/protocol.ts";
import { CHALLENGE_LENGTH, SECRET_LIMIT, vncAuthAnswer } from "../../rfb/security.ts";
import type { ByteStream } from "../../rfb/stream.ts";

/** A viewer's link. */
interface Guest {
  readonly name: string;
  readonly rights: "look" | "act";
  /** Aborted when the link ends. */
  readonly signal: AbortSignal;
}

/** The rules for admitting viewers. */
export interface Door {
  /**
   * Whether viewers need no secret: then nothing else is offered, since some viewers prefer a type that asks
   * for one.
   */
  readonly isOpen: boolean;
  /** The VncAuth password; left out if there is none, and for other machines. */
  readonly password?: string;
  /** Certificate and key; if present, everything uses TLS. */
  readonly tls?: { cert: string; key: string };
  /**
   * Checks the password of VeNCrypt's Plain type.
   * @param mayGuess Whether the address may try passwords now; tokens, which cannot be guessed, are always
   * accepted if right.
   * @returns The secret's link, or `owner`; undefined if it is wrong.
   */
  check(secret: string, mayGuess: boolean): Guest | "owner" | undefined;
  /** Number of seconds for which an address may not try passwords; undefined if it may. */
  wait(address: string): number | undefined;
  /** Counts a secret as wrong before it is checked. @returns Like {@linkcode wait}. */
  failed(address: string): number | undefined;
  /** Undoes the count of `failed`, since the secret was right. */
  forgive(address: string): void;
}

/** An admitted viewer. */
export interface Entrant {
  guest?: Guest;
  /** The viewer's name; empty if it was not asked for one. */
  user: string;
  /** How the viewer was admitted, for the log. */
  way: string;
}

/** The viewer was not admitted. */
export class Refused extends Error {
  override name = "Refused";
}

/**
 * Admits a viewer, up to its ClientInit.
 * @param checkRoom Throws the reason if there is no room for the viewer, which it then sees.
 * @throws Refused with the reason sent to the viewer.
 */
export async function admit(
  stream: ByteStream,
  door: Door,
  checkRoom: (isGuest: boolean) => void,
): Promise<Entrant> {
  stream.write(new TextEncoder().encode(versionText(8)));
  const minor = minorOf(new TextDecoder("latin1").decode(await stream.take(VERSION_LENGTH)));
  if (minor === undefined) throw new Refused("it does not speak RFB"); // no answer: perhaps a web page
  const types = typesOf(door), type = await chosenType(stream, minor, types, door);
  const entrant = type === SECURITY.none
    ? { user: "", way: "none" }
    : await identified(stream, type, minor, door);
  try {
    checkRoom(entrant.guest !== undefined);
  } catch (error) {
    // Without a password, older viewers expect no result.
    refuse(stream, (error as Error).message, type === SECURITY.none && minor !== 8 ? undefined : minor);
  }
  if (type !== SECURITY.none || minor === 8) stream.write(longs(0));
  await stream.take(1); // ClientInit; no viewer gets exclusive access
  return entrant;
}

/**
 * The security types to offer, preferred ones first: many viewers take the first that they know. The password
 * type is offered even while none may be tried, since its answer says so.
 */
function typesOf(door: Door): number[] {
  if (door.isOpen) return [SECURITY.none];
  return [...door.password === undefined ? [] : [SECURITY.vncAuth], SECURITY.veNCrypt];
}

async function chosenType(stream: ByteStream, minor: Minor, types: number[], door: Door): Promise<number> {
  if (minor === 3) {
    const type = types.find((one) => one !== SECURITY.veNCrypt);
    const wait = type === SECURITY.vncAuth ? door.wait(stream.peer) : undefined;
    if (type !== undefined && wait === undefined) {
      stream.write(longs(type));
      return type;
    }
    const why = wait === undefined
      ? "this server needs a viewer of RFB 3.7 or newer with VeNCrypt"
      : tooMany(wait);
    stream.write(message(longs(0), lengthAndText(why)));
    throw new Refused(why);
  }
  stream.write(message([types.length, ...types]));
  const [type] = await stream.take(1);
  if (!types.includes(type)) throw new Refused(`it chose security type ${type}, which was not offered`);
  return type;
}

/** Asks for a secret. */
async function identified(stream: ByteStream, type: number, minor: Minor, door: Door): Promise<Entrant> {
  const entrant = type === SECURITY.vncAuth ? await byVncAuth(stream, door) : await byPlain(stream, door);
  return typeof entrant === "string" ? refuse(stream, entrant, minor) : entrant;
}

/** Ends the handshake with a failure, and with its reason from 3.8 on; undefined if no result is expected. */
function refuse(stream: ByteStream, why: string, minor: Minor | undefined): never {
  if (minor !== undefined) stream.write(message(longs(1), minor === 8 ? lengthAndText(why) : []));
  throw new Refused(why);
}

const WRONG = "the password is wrong";

function tooMany(seconds: number): string {
  return `too many wrong passwords; try again in ${seconds} s`;
}

/** @returns The viewer, or the reason why it is rejected. */
async function byVncAuth(stream: ByteStream, door: Door): Promise<Entrant | string> {
  const { randomBytes, timingSafeEqual } = nodeModule("node:crypto");
  const challenge = new Uint8Array(randomBytes(CHALLENGE_LENGTH));
  stream.write(challenge);
  const answer = await stream.take(CHALLENGE_LENGTH), right = await vncAuthAnswer(door.password!, challenge);
  const wait = door.failed(stream.peer);
  if (wait !== undefined) return tooMany(wait);
  if (!timingSafeEqual(answer, right)) return WRONG;
  door.forgive(stream.peer);
  return { user: "", way: "VncAuth" };
}

/** VeNCrypt 0.2 with Plain, over TLS if there is a certificate. @returns Like {@linkcode byVncAuth}. */
async function byPlain(stream: ByteStream, door: Door): Promise<Entrant | string> {
  const { tls } = door, type = tls ? SECURITY.x509Plain : SECURITY.plain;
  stream.write(message([0, 2]));
  const [major, minor] = await stream.take(2);
  if (major !== 0 || minor !== 2) {
    stream.write(message([1]));
    throw new Refused(`it speaks VeNCrypt ${major}.${minor}, not 0.2`);
  }
  stream.write(message([0, 1], longs(type)));
  if (uint32(await stream.take(4), 0) !== type) {
    stream.write(message([0]));
    throw new Refused("it chose a VeNCrypt type that was not offered");
  }
  if (tls) {
    stream.write(message([1]));
    await stream.secureAsServer(tls);
  }
  const lengths = await stream.take(8), [name, secret] = [uint32(lengths, 0), uint32(lengths, 4)];
  if (Math.max(name, secret) > SECRET_LIMIT) throw new Refused("its name or password is too long");
  const user = new TextDecoder().decode(await stream.take(name));
  return checked(
    new TextDecoder().decode(await stream.take(secret)),
    user,
    tls ? "X509Plain" : "Plain",
    stream.peer,
    door,
  );
}

/** A wrong secret is counted before it is checked. A right token is never delayed: it cannot be guessed. */
function checked(secret: string, user: string, way: string, peer: string, door: Door): Entrant | string {
  const wait = door.failed(peer), who = door.check(secret, wait === undefined);
  if (who === undefined) return wait === undefined ? WRONG : tooMany(wait);
  door.forgive(peer);
  return { user, way, ...who === "owner" ? {} : { guest: who } };
}
