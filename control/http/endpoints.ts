/** The table of endpoints. Router, start message, `/api`, `/openapi.json` and 405 answers derive from it. */

import type { Endpoint } from "./endpoint.ts";
import { aboutEndpoints } from "./endpoints/about.ts";
import { KEYBOARD_ENDPOINTS } from "./endpoints/keyboard.ts";
import { PAGE_ENDPOINTS } from "./endpoints/page.ts";
import { POINTER_ENDPOINTS } from "./endpoints/pointer.ts";
import { RECORDING_ENDPOINTS } from "./endpoints/recording.ts";
import { SCREEN_ENDPOINTS } from "./endpoints/screen.ts";

/** Every endpoint, in the order of the documents. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...POINTER_ENDPOINTS,
  ...SCREEN_ENDPOINTS,
  ...KEYBOARD_ENDPOINTS,
  ...RECORDING_ENDPOINTS,
  ...PAGE_ENDPOINTS,
  ...aboutEndpoints(() => ENDPOINTS.filter(({ part }) => !part)),
];
