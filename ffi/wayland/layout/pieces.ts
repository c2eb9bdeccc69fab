/** Division of a text into pieces that keys type and pieces that are pasted. Pure. */

/** A piece of a text. */
export interface Piece {
  /** Code points. */
  characters: number[];
  isPasted: boolean;
}

/**
 * The longest run of typable characters that is pasted together with the untypable characters around it, since a
 * paste takes as long as typing some hundred characters.
 */
const GAP = 16;

/**
 * Cuts a text.
 * @param isTyped Whether a key types a character.
 * @param isKey Whether a character is a key in a text, such as Enter: it is never pasted.
 * @example
 * pieces([0x61, 0xe9, 0x20, 0x62], (character) => character < 128, () => false).length; // 3
 */
export function pieces(
  characters: readonly number[],
  isTyped: (character: number) => boolean,
  isKey: (character: number) => boolean,
): Piece[] {
  const all: Piece[] = [];
  /** Typed characters behind the last piece, which the next one may paste. */
  let gap: number[] = [];
  const type = () => {
    if (gap.length) all.push({ characters: gap, isPasted: false });
    gap = [];
  };
  for (const character of characters) {
    if (isTyped(character)) {
      gap.push(character);
      continue;
    }
    const last = all.at(-1);
    if (last?.isPasted && gap.length <= GAP && !gap.some(isKey)) last.characters.push(...gap, character);
    else {
      type();
      all.push({ characters: [character], isPasted: true });
    }
    gap = [];
  }
  type();
  return all;
}
