/** Opens virtual desktops. */

export { VirtualDesktop } from "./desktop.ts";
