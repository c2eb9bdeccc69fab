/** Zip and tar as other programs read them. */

import { assertEquals } from "@std/assert";
import { type Bytes, concat } from "../../../core/bytes.ts";
import { STORED_BLOCKS, TAR, ZIP } from "../../../files/archive/zip.ts";
import type { Member } from "../../../files/archive/members.ts";
import { need } from "../../support/need.ts";
import { temporary } from "../../support/shell.ts";

const MEMBER: Member = {
  name: "a.txt",
  real: "/a.txt",
  isFolder: false,
  size: 5,
  modified: 1_700_000_000_000,
  changed: 0,
  mode: 0o640,
  uid: 1000,
  gid: 100,
  dev: 1,
  ino: 2,
};

const PYTHON_TAR = `
import json, sys, tarfile
with tarfile.open(sys.argv[1]) as archive:
    print(json.dumps([[m.name, m.size, m.mtime, m.mode, m.uid, m.gid, m.isdir()] for m in archive]))`;

/** A file that is written from start to end, with holes. */
class HoledFile {
  readonly #file: Deno.FsFile;
  /** The position of the next bytes. */
  at = 0;

  constructor(path: string) {
    this.#file = Deno.openSync(path, { create: true, write: true });
  }

  put(bytes: Bytes) {
    this.#file.seekSync(this.at, Deno.SeekMode.Start);
    this.#file.writeSync(bytes);
    this.at += bytes.length;
  }

  [Symbol.dispose]() {
    this.#file.close();
  }
}

/** Python's reading of a tar whose members' contents are holes. */
async function tarMembers(members: Member[]): Promise<unknown[]> {
  return await temporary(async (folder) => {
    const path = `${folder}/a.tar`;
    using file = new HoledFile(path);
    for (const member of members) {
      file.put(TAR.head(member));
      file.at += member.size;
      file.put(TAR.tail(member, 0));
    }
    file.put(TAR.end({ count: members.length, start: file.at, length: 0 }));
    return JSON.parse(await python(PYTHON_TAR, path));
  });
}

async function python(code: string, path: string): Promise<string> {
  const { stdout, stderr, success } = await new Deno.Command("python3", { args: ["-c", code, path] })
    .output();
  assertEquals(success, true, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

Deno.test({ name: "tar supports any name, size, time and owner", ...need("python3") }, async () => {
  const members: Member[] = [
    MEMBER,
    { ...MEMBER, name: "f/", isFolder: true, size: 0, mode: 0o1777 },
    { ...MEMBER, name: "é".repeat(40) },
    { ...MEMBER, name: "x".repeat(100) },
    { ...MEMBER, name: "x".repeat(101) },
    { ...MEMBER, name: `${"€".repeat(80)}/${"y".repeat(3000)}` },
    ...[83, 84, 85, 86, 87, 88, 89].map((length) => ({ ...MEMBER, name: `é${"z".repeat(length)}` })),
    { ...MEMBER, size: 2 ** 33 - 1 },
    { ...MEMBER, size: 20 * 2 ** 30 },
    { ...MEMBER, modified: -1_500_000 },
    { ...MEMBER, modified: Date.UTC(2300, 0, 1) },
    { ...MEMBER, uid: 3_000_000_000, gid: 2 ** 21 },
  ];
  const expected = members.map(({ name, size, modified, mode, uid, gid, isFolder }) => [
    name.replace(/\/$/, ""),
    size,
    Math.floor(modified / 1000),
    mode,
    uid,
    gid,
    isFolder,
  ]);
  assertEquals(await tarMembers(members), expected);
});

const PYTHON_ZIP = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    print(json.dumps([[m.filename, m.file_size, m.header_offset, list(m.date_time), m.external_attr >> 16, m.CRC]
      for m in archive.infolist()]))
    with archive.open(archive.infolist()[-1]) as last: print(last.read())`;

Deno.test("stored deflate blocks can be written from any position, and inflate to the content", async () => {
  for (const size of [1, 65_535, 65_536, 200_000]) {
    const content = new Uint8Array(size).map((_, i) => i % 251), length = STORED_BLOCKS.lengthOf(size);
    for (const step of [7919, 65_540, length]) {
      const whole = new Uint8Array(length);
      for (let at = 0; at < length; at += step) {
        const into = whole.subarray(at, Math.min(at + step, length));
        const [from, to] = [at, at + into.length].map((place) => STORED_BLOCKS.bytesBefore(place, size));
        STORED_BLOCKS.write(at, into, content.slice(from, to), size);
      }
      const inflated = new Blob([whole]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
      assertEquals(await new Response(inflated).bytes(), content);
    }
  }
});

Deno.test({ name: "zip supports any name, size and position", ...need("python3") }, async () => {
  const members: Member[] = [
    { ...MEMBER, name: "f/", isFolder: true, size: 0, mode: 0o755 },
    { ...MEMBER, name: "f/€漢😀.txt", modified: Date.UTC(1970, 0, 1) },
    { ...MEMBER, name: "f/4 GiB", size: 2 ** 32 - 1 },
    { ...MEMBER, name: "f/5 GiB", size: 5 * 2 ** 30, modified: Date.UTC(2200, 0, 1) },
    { ...MEMBER, name: "f/last", size: 2 },
  ];
  await temporary(async (folder) => {
    const path = `${folder}/a.zip`, starts: number[] = [];
    using file = new HoledFile(path);
    for (const member of members) {
      starts.push(file.at);
      file.put(ZIP.head(member));
      if (member.name === "f/last") {
        file.put(Uint8Array.of(1, 2, 0, 0xfd, 0xff, ...new TextEncoder().encode("hi")));
      } else file.at += ZIP.content.lengthOf(member.size);
      file.put(ZIP.tail(member, crcOf(member)));
    }
    const start = file.at;
    const records = concat(...members.map((member, i) => ZIP.record(member, crcOf(member), starts[i])));
    file.put(records);
    file.put(ZIP.end({ count: members.length, start, length: records.length }));
    const [list, last] = (await python(PYTHON_ZIP, path)).trim().split("\n");
    assertEquals(last, "b'hi'");
    const times = [[2023, 11, 14, 22, 13, 20], [1980, 1, 1, 0, 0, 0], [2107, 12, 31, 23, 59, 58]];
    assertEquals(JSON.parse(list), [
      ["f/", 0, 0, times[0], 0o040755, 0],
      ["f/€漢😀.txt", 5, starts[1], times[1], 0o100640, crcOf(members[1])],
      ["f/4 GiB", 2 ** 32 - 1, starts[2], times[0], 0o100640, crcOf(members[2])],
      ["f/5 GiB", 5 * 2 ** 30, starts[3], times[2], 0o100640, crcOf(members[3])],
      ["f/last", 2, starts[4], times[0], 0o100640, crcOf(members[4])],
    ]);
  });
});

/**
 * The right checksum for the content `hi`; the other members' checksums do not matter, since they are not
 * read.
 */
function crcOf({ name, size }: Member): number {
  return name === "f/last" ? 0xd8932aac : size && 0xfedcba98;
}
