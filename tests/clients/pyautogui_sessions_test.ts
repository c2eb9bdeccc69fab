/** PyAutoGUI's functions by deskhand on GNOME and KDE. */

import { testScripts } from "./pyautogui_script.ts";
import { SESSION_STAGES } from "./stages.ts";

testScripts(SESSION_STAGES);
