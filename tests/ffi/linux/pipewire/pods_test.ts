/** PipeWire's values as bytes: against bytes written out by hand after the format's description. */

import { assertEquals } from "@std/assert";
import {
  decodeObject,
  encodeObject,
  type PodObject,
  type PodOffer,
  sizeOfFormat,
  WANTED_BUFFERS,
  WANTED_FORMAT,
} from "../../../../ffi/linux/pipewire/buffers.ts";

/** Bytes of 32-bit numbers. */
function words(...numbers: number[]): number[] {
  return [...new Uint8Array(Uint32Array.from(numbers).buffer)];
}

const OBJECTS: [name: string, object: PodObject<PodOffer>, bytes: number[]][] = [
  ["no property", { type: 0x40003, id: 3, properties: new Map() }, words(8, 15, 0x40003, 3)],
  [
    "a number of an enumeration, padded to 8 bytes",
    { type: 1, id: 2, properties: new Map([[7, { type: "id", value: 9 }]]) },
    words(8 + 24, 15, 1, 2, /* property */ 7, 0, /* pod */ 4, 3, 9, 0),
  ],
  [
    "a size",
    { type: 1, id: 2, properties: new Map([[7, { type: "rectangle", value: [640, 480] }]]) },
    words(8 + 24, 15, 1, 2, 7, 0, 8, 10, 640, 480),
  ],
  [
    "a range of whole numbers, whose values follow each other without headers",
    {
      type: 1,
      id: 2,
      properties: new Map([[7, {
        default: { type: "int", value: 5 },
        least: { type: "int", value: 1 },
        most: { type: "int", value: 0xffffffff },
      }]]),
    },
    words(8 + 16 + 32, 15, 1, 2, 7, 0, 16 + 12, 19, 1, 0, 4, 4, 5, 1, 0xffffffff, 0),
  ],
];

for (const [name, object, bytes] of OBJECTS) {
  Deno.test(`an object with ${name} has the bytes of the format`, () => {
    assertEquals([...encodeObject(object)], bytes);
  });
}

Deno.test("what is written is read again; of a range, the value that was chosen", () => {
  assertEquals(decodeObject(WANTED_FORMAT)?.properties.get(0x20001), { type: "id", value: 8 });
  assertEquals(sizeOfFormat(WANTED_FORMAT), { width: 1920, height: 1080 });
  assertEquals(WANTED_BUFFERS.map((bytes) => decodeObject(bytes)?.type), [0x40004, 0x40005, 0x40005]);
});

Deno.test("a property of a type that is not read is left out, and those after it are read", () => {
  const bytes = Uint8Array.from(words(8 + 24 + 24, 15, 1, 2, 7, 0, 8, 5, 1, 0, 8, 0, 8, 10, 3, 4));
  assertEquals([...decodeObject(bytes)!.properties], [[8, { type: "rectangle", value: [3, 4] }]]);
});

const DAMAGED: [name: string, bytes: number[]][] = [
  ["nothing", []],
  ["a header alone", words(0, 15)],
  ["another type", words(8, 14, 1, 2)],
  ["an object longer than the bytes", words(64, 15, 1, 2)],
  ["a property longer than its object", words(8 + 24, 15, 1, 2, 7, 0, 64, 10, 1, 2)],
];

for (const [name, bytes] of DAMAGED) {
  Deno.test(`${name} is no object`, () => assertEquals(decodeObject(Uint8Array.from(bytes)), undefined));
}

Deno.test("a choice without values is left out", () => {
  const bytes = Uint8Array.from(words(8 + 16 + 8, 15, 1, 2, 7, 0, 8, 19, 1, 0));
  assertEquals(decodeObject(bytes)?.properties.size, 0);
});
