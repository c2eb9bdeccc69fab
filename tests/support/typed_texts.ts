/** Texts that arrive whole on every desktop. */

/** More characters that no key has than there are spare keycodes of X11, or keys of a map of Wayland. */
export const MANY = Array.from({ length: 60 }, (_, i) => String.fromCodePoint(0x4e00 + i * 7)).join("");

/** Texts by their kinds. */
export const TYPED_TEXTS: [name: string, text: string][] = [
  ["plain ASCII", " !\"#$%&'()*+,-./0123456789:;<=>?@AZ[\\]^_`az{|}~"],
  ["any script", "héllo €5 漢字 😀 Привет ñ ß שלום"],
  ["the same characters again", "ééé😀😀é"],
  ["more than there are spare keys", MANY + "end" + MANY],
];
