/** Content-Disposition: whether a browser shows a file or saves it, and under which name (RFC 6266, RFC 8187). */

/** Types that browsers show safely. */
const SHOWN =
  /^(?:text\/|image\/|audio\/|video\/|application\/(?:pdf|json|xhtml\+xml|xml|(?:ld|manifest)\+json)\b)/;

/**
 * Makes the header.
 * @param name The file's name.
 * @param type Its media type.
 * @param query `download` in it forces attachment, `inline` inline.
 * @example
 * contentDisposition("ü.txt", "text/plain"); // "inline; filename=\"_.txt\"; filename*=UTF-8''%C3%BC.txt"
 */
export function contentDisposition(name: string, type: string, query = ""): string {
  const asked = /(?:^|&)(download|inline)(?:[=&]|$)/.exec(query)?.[1];
  const shown = asked === undefined ? SHOWN.test(type) : asked === "inline";
  const plain = name.replace(/[^\x20-\x7e]/gu, "_").replace(/["\\]/g, "\\$&");
  const header = `${shown ? "inline" : "attachment"}; filename="${plain}"`;
  return /^[\x20-\x7e]*$/.test(name) ? header : `${header}; filename*=UTF-8''${extendedValue(name)}`;
}

/** RFC 8187 section 3.2.1: everything but attr-char is percent-encoded. Lone surrogates have no UTF-8. */
function extendedValue(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /['()*]/g,
    (character) => "%" + character.charCodeAt(0).toString(16).toUpperCase(),
  );
}
