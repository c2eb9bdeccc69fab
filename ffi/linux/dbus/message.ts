/**
 * D-Bus messages as bytes: a header with fixed and optional fields, and a body of values (D-Bus
 * Specification, "Message Format").
 */

import { ValueReader, ValueWriter } from "./marshalling.ts";
import { aligned, MarshalError, type Sent } from "./values.ts";

/** Message types. */
export const MESSAGE = { call: 1, reply: 2, error: 3, signal: 4 } as const;
/** Message flags (D-Bus Specification, "Message Format"). */
export const FLAG = { noReply: 1, noAutoStart: 2 } as const;
/**
 * Maximum size of a message that is read, in bytes; of a longer message, only the header is read. Desktops'
 * answers are far smaller, and pictures come through file descriptors.
 */
export const MESSAGE_LIMIT = 1 << 24;
/** Maximum size of a message in the specification, in bytes. */
export const LARGEST_MESSAGE = 1 << 27;

const LITTLE = "l".charCodeAt(0), BIG = "B".charCodeAt(0), VERSION = 1;
/** Byte offsets in the header; its optional fields begin with the length of an array. */
const HEADER = { type: 1, flags: 2, version: 3, bodyLength: 4, serial: 8, fields: 12, fieldsStart: 16 };

/** The optional fields: number and type. */
const FIELDS = {
  path: { code: 1, signature: "o" },
  interface: { code: 2, signature: "s" },
  member: { code: 3, signature: "s" },
  errorName: { code: 4, signature: "s" },
  replySerial: { code: 5, signature: "u" },
  destination: { code: 6, signature: "s" },
  sender: { code: 7, signature: "s" },
  signature: { code: 8, signature: "g" },
  descriptors: { code: 9, signature: "u" },
} as const;

/** The optional fields by number, with their type characters. */
const FIELDS_BY_CODE: { name: keyof Fields; type: number }[] = [];
for (const [name, { code, signature }] of Object.entries(FIELDS)) {
  FIELDS_BY_CODE[code] = { name: name as keyof Fields, type: signature.charCodeAt(0) };
}
/** Type characters of fields. */
const NUMBER = "u".charCodeAt(0), SIGNATURE = "g".charCodeAt(0);

/** A message's optional fields. */
interface Fields {
  path?: string;
  interface?: string;
  member?: string;
  errorName?: string;
  /** The serial number of the call that this message answers. */
  replySerial?: number;
  destination?: string;
  /** The unique name of the sending connection, set by the bus. */
  sender?: string;
  signature?: string;
  /** The number of file descriptors that came with the message. */
  descriptors?: number;
}

/** A message's header. */
export interface Envelope extends Fields {
  type: number;
  flags: number;
  serial: number;
  isLittle: boolean;
  /** The offset of the body in the message. */
  bodyAt: number;
}

/** A message to be sent. */
export interface Outgoing {
  type: number;
  flags?: number;
  /** The message's number, from 1, unique on its connection. */
  serial: number;
  fields: Fields;
  /** The signature of the body. */
  signature: string;
  args: readonly Sent[];
}

/**
 * Encodes a message.
 * @param writer The writer to which the message is appended; if omitted, the message is written separately.
 * @returns The writer's content: the bytes, valid until the writer is used again, and their descriptors.
 * @throws MarshalError if the values do not fit the signature; the writer is then unchanged.
 */
export function encodeMessage(
  message: Outgoing,
  writer = new ValueWriter(),
): { bytes: Uint8Array<ArrayBuffer>; descriptors: readonly number[] } {
  const start = writer.length, { descriptors } = writer, before = descriptors.length;
  try {
    write(message, 0, writer);
    const count = descriptors.length - before;
    if (count) { // the header contains the number of descriptors
      writer.cut(start, before);
      write(message, count, writer);
    }
  } catch (error) {
    writer.cut(start, before);
    throw error;
  }
  return { bytes: writer.bytes, descriptors };
}

function write(
  { type, flags = 0, serial, fields, signature, args }: Outgoing,
  descriptors: number,
  writer: ValueWriter,
): void {
  const start = writer.length;
  writer.begin();
  writer.writeBytes(LITTLE, type, flags, VERSION);
  for (const number of [0, serial, 0]) writer.writeUint(number); // the lengths are set below
  for (const name in fields) writeField(writer, name as keyof Fields, fields[name as keyof Fields]);
  if (signature) writeField(writer, "signature", signature);
  if (descriptors) writeField(writer, "descriptors", descriptors);
  writer.setUint(start + HEADER.fields, writer.length - start - HEADER.fieldsStart);
  writer.align(8);
  const body = writer.length;
  writer.writeAll(signature, args);
  writer.setUint(start + HEADER.bodyLength, writer.length - body);
}

function writeField(writer: ValueWriter, name: keyof Fields, value: Fields[keyof Fields]): void {
  if (value === undefined) return;
  const { code, signature } = FIELDS[name];
  writer.align(8);
  writer.writeBytes(code);
  writer.writeVariant(signature, value);
}

/**
 * The length of the message at the start of the bytes.
 * @returns undefined if too few bytes have arrived to determine it.
 * @throws MarshalError if the bytes are not a message, or if it is longer than {@linkcode LARGEST_MESSAGE}.
 */
export function messageLength(bytes: Uint8Array): number | undefined {
  if (bytes.length < HEADER.fieldsStart) return undefined;
  const isLittle = isLittleEndian(bytes);
  if (bytes[HEADER.version] !== VERSION) throw new MarshalError("the message has an unsupported version");
  const fields = uintAt(bytes, HEADER.fields, isLittle), body = uintAt(bytes, HEADER.bodyLength, isLittle);
  if (fields > LARGEST_MESSAGE || body > LARGEST_MESSAGE) throw new MarshalError("the message is too long");
  return aligned(HEADER.fieldsStart + fields, 8) + body;
}

/**
 * Decodes a message without the values in its body.
 * @param bytes The whole message, according to {@linkcode messageLength}; the body may be incomplete.
 * @throws MarshalError if the bytes are not a message.
 */
export function decodeEnvelope(bytes: Uint8Array): Envelope {
  const isLittle = isLittleEndian(bytes), reader = new ValueReader(bytes, isLittle, [], HEADER.serial);
  const type = bytes[HEADER.type], flags = bytes[HEADER.flags], serial = reader.readUint();
  const envelope: Envelope = { type, flags, serial, isLittle, bodyAt: 0 };
  const end = reader.readUint() + HEADER.fieldsStart;
  while (reader.at < end) readField(reader, envelope);
  if (reader.at !== end) throw new MarshalError("the message header has an invalid length");
  reader.align(8);
  envelope.bodyAt = reader.at;
  return envelope;
}

function readField(reader: ValueReader, envelope: Envelope): void {
  reader.align(8);
  const field = FIELDS_BY_CODE[reader.readByte()], type = reader.readOneType();
  if (!field) return void reader.readVariant(type ? String.fromCharCode(type) : reader.readShortText());
  if (type !== field.type) throw new MarshalError("a header field has the wrong type");
  const value = type === NUMBER
    ? reader.readUint()
    : type === SIGNATURE
    ? reader.readShortText()
    : reader.readText();
  (envelope as unknown as Record<string, unknown>)[field.name] = value;
}

/**
 * Decodes a message's values.
 * @param bytes The whole message.
 * @param descriptors The file descriptors that came with the message.
 * @throws MarshalError if its bytes do not fit its signature.
 */
export function decodeBody(
  bytes: Uint8Array,
  { isLittle, bodyAt, signature = "" }: Envelope,
  descriptors: readonly number[],
): unknown[] {
  const reader = new ValueReader(bytes, isLittle, descriptors, bodyAt), values = reader.readAll(signature);
  reader.expectEnd();
  return values;
}

/** Reads a 32-bit integer without creating a view of the bytes for each message. */
function uintAt(bytes: Uint8Array, at: number, isLittle: boolean): number {
  const [a, b, c, d] = isLittle ? [at + 3, at + 2, at + 1, at] : [at, at + 1, at + 2, at + 3];
  return bytes[a] * 0x1000000 + (bytes[b] << 16 | bytes[c] << 8 | bytes[d]);
}

function isLittleEndian(bytes: Uint8Array): boolean {
  if (bytes[0] !== LITTLE && bytes[0] !== BIG) throw new MarshalError("the message has no byte order");
  return bytes[0] === LITTLE;
}

// Objects on a bus, as addressed by calls.

/** An interface of a service's object. */
export interface RemoteObject {
  /** The service's name. */
  destination: string;
  path: string;
  interface: string;
  /** Makes the bus refuse calls while the service is not running; if omitted, the bus starts it if it can. */
  onlyIfRunning?: true;
}

/** The bus itself (D-Bus Specification, "Message Bus Messages"). */
export const DAEMON: RemoteObject = {
  destination: "org.freedesktop.DBus",
  path: "/org/freedesktop/DBus",
  interface: "org.freedesktop.DBus",
};

/** The interface through which an object's properties are read. */
export function propertiesOf(object: RemoteObject): RemoteObject {
  return { ...object, interface: "org.freedesktop.DBus.Properties" };
}

/** The flags required by an object in each call of its methods: bits of {@linkcode FLAG}, 0 for none. */
export function flagsOf({ onlyIfRunning }: RemoteObject): number {
  return onlyIfRunning ? FLAG.noAutoStart : 0;
}

/** A method's name as shown in errors: `org.freedesktop.DBus.Hello`. */
export function methodName(object: RemoteObject, member: string): string {
  return `${object.interface}.${member}`;
}
