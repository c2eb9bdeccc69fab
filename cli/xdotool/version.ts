/** The version of xdotool whose commands these are, if libxdo reports no other version. */

/** The version of xdotool in Debian 12 and 13. */
export const VERSION = "3.20160805.1";

/** A version of xdotool that lacks the commands of later versions. */
export const WITHOUT_LATER = {
  lacks: new Set(["getwindowclassname", "windowlower", "windowquit", "windowstate"]),
};
