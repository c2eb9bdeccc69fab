/** PyAutoGUI's functions by deskhand on X11 and sway. */

import { testScripts } from "./pyautogui_script.ts";
import { BARE_STAGES } from "./stages.ts";

testScripts(BARE_STAGES);
