/**
 * Third-party notices: each part of another project in the executables, with its licence, as a text to ship.
 */

import { fromFileUrl, join } from "@std/path";
import { HELD, type LicenceText, type Part, runtimeParts } from "./parts.ts";
import { PackageError, write } from "./run.ts";
import { packagesInside } from "./sbom.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));

export const NOTICES_NAME = "THIRD_PARTY_NOTICES.txt";

const HEAD = `Third-party notices

deskhand's executables hold parts of other projects. This file names each of them with its licence. The libraries that
Deno itself is made of are those of Cargo.lock in its repository: https://github.com/denoland/deno
`;

/** The wording of the BSD licences after the copyright. */
const BSD = {
  head:
    "Redistribution and use in source and binary forms, with or without modification, are permitted provided that " +
    "the following conditions are met:",
  conditions: [
    "Redistributions of source code must retain the above copyright notice, this list of conditions and the following " +
    "disclaimer.",
    "Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the " +
    "following disclaimer in the documentation and/or other materials provided with the distribution.",
  ],
  tail:
    'THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED ' +
    "WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR " +
    "PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT OWNER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, " +
    "INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE " +
    "GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF " +
    "LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY " +
    "OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.",
};

/** Copyrights of packages without a licence file: @std's own for `deno-std`, the README's for `des.js`. */
const WITHOUT_FILE: Readonly<Record<string, LicenceText>> = {
  "deno-std": { mit: "Copyright 2018-2026 the Deno authors" },
  "des.js": { mit: "Copyright Fedor Indutny, 2015." },
};

/**
 * Generates the text.
 * @param runtime The Deno version of the executables' runtime.
 * @throws PackageError if a package has no licence file.
 */
export async function thirdPartyNotices(runtime: string): Promise<string> {
  const parts = [...runtimeParts(runtime), ...HELD].map(async (part) =>
    section(part, await licenceOf(part.text, part))
  );
  const packages = (await packagesInside()).map(async (used) => {
    const known = WITHOUT_FILE[used.name];
    return section(used, known ? await licenceOf(known, {}) : await licenceFiles(used.name, used.localPath));
  });
  return [HEAD, ...await Promise.all([...parts, ...packages])].join(`\n${"=".repeat(80)}\n\n`);
}

/**
 * Writes the text into a folder.
 * @returns Its path.
 */
export async function writeNotices(folder: string, runtime: string): Promise<string> {
  const path = join(folder, NOTICES_NAME);
  await write(path, await thirdPartyNotices(runtime));
  return path;
}

function section(
  { name, version = "", license }: Pick<Part, "name" | "version" | "license">,
  text: string,
): string {
  return `${`${name} ${version}`.trim()}\nLicence: ${license}\n\n${text.trim()}\n`;
}

async function licenceOf(text: LicenceText, { file }: Pick<Part, "file">): Promise<string> {
  const read = (path: string) => Deno.readTextFile(join(ROOT, path));
  if ("file" in text) return await read(text.file);
  if ("mit" in text) return (await read("LICENSE")).replace(/^Copyright .*$/m, text.mit);
  if ("comment" in text) {
    const [, comment] = /\/\*\*?([^]*?)\*\//.exec(await read(file!))!;
    return comment.replaceAll(/^ \* ?/gm, "").slice(comment.replaceAll(/^ \* ?/gm, "").indexOf(text.comment));
  }
  const { bsd, endorser } = text;
  const third = endorser &&
    `Neither the name of ${endorser} nor the names of its contributors may be used to endorse or promote products ` +
      "derived from this software without specific prior written permission.";
  const conditions = [...BSD.conditions, ...third ? [third] : []].map((condition, i) =>
    `${i + 1}. ${condition}`
  );
  return [bsd, BSD.head, ...conditions, BSD.tail].join("\n\n");
}

/** The licence files in an npm package. */
async function licenceFiles(name: string, folder: string): Promise<string> {
  const files = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) =>
    /^licen[cs]e/i.test(name)
  ).sort();
  if (!files.length) throw new PackageError(`${name} has no licence file, of which the notices are made`);
  return (await Promise.all(files.map((file) => Deno.readTextFile(join(folder, file))))).join("\n\n");
}
