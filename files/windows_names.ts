/** Names that have another meaning on Windows (Microsoft, "Naming Files, Paths, and Namespaces"). */

const DEVICE =
  /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])\s*(?:\.|$)/i;

/**
 * Whether a name means on Windows something other than a file of that name: a device, a stream (`a.txt::$DATA`),
 * a drive, a short name (`PROGRA~1`), or a name without its final dots and blanks.
 */
export function isSpecialOnWindows(name: string): boolean {
  return DEVICE.test(name) || /[<>:"|?*\p{Cc}]/u.test(name) || /[. ]$/.test(name) || /~\d/.test(name);
}
