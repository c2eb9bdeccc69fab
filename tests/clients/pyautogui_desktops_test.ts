/** PyAutoGUI's functions by deskhand on X11 and sway. */

import { testScripts } from "./pyautogui_script.ts";
import { BARE_STAGES, SESSION_STAGES } from "./stages.ts";

testScripts(BARE_STAGES);

// PyAutoGUI's functions by deskhand on GNOME and KDE.

testScripts(SESSION_STAGES);
