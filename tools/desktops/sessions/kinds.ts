/** The table of session kinds. */

import type { KindName } from "../rows.ts";
import { GNOME } from "./gnome.ts";
import type { Kind } from "./kind.ts";
import { KWIN } from "./kwin.ts";
import { WLROOTS } from "./wlroots.ts";
import { X11 } from "./x11.ts";

/** The session kinds by name. */
export const KINDS: Readonly<Record<KindName, Kind>> = {
  gnome: GNOME,
  kwin: KWIN,
  wlroots: WLROOTS,
  x11: X11,
};
