/** The version of xdotool whose commands these are, where libxdo does not tell another. */

/** The version of xdotool in Debian 12 and 13. */
export const VERSION = "3.20160805.1";

/** A version of xdotool without the commands of later ones. */
export const WITHOUT_LATER = {
  lacks: new Set(["getwindowclassname", "windowlower", "windowquit", "windowstate"]),
};
