/** The user whose desktops tests start. */

/** Compositors and services of a desktop refuse root, which tests may be: then these run as the user nobody. */
export const ORDINARY_USER = Deno.uid() === 0 ? { uid: 65534, gid: 65534 } : {};
