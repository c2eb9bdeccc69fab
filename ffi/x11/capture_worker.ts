/** The Worker that captures the screen of an X11 desktop: on a connection of its own. */

import { DesktopUnavailableError } from "../../core/errors.ts";
import { answerCaptures } from "../capture/worker.ts";
import { Connection } from "./connection.ts";
import { X11Screen } from "./screen.ts";

answerCaptures<string>((display) => {
  const connection = Connection.open(display);
  if (!connection) {
    throw new DesktopUnavailableError(
      `the X server of display ${display} is gone; waiting for it to be back`,
    );
  }
  const screen = new X11Screen(connection);
  return {
    capture: screen.capture.bind(screen),
    close() {
      screen.close();
      connection.close();
    },
  };
});
