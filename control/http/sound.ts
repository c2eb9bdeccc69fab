/** Endpoints of the desktop's sound: whether there is sound, and the WebSocket that sends it. */

import { StateError } from "../../core/errors.ts";
import { flag, objectSchema, optional, text } from "../actions/schema.ts";
import type { Endpoint } from "./endpoint.ts";
import { jsonText } from "./responses.ts";
import { upgrade } from "./websocket.ts";

const STATE: Endpoint = {
  method: "GET",
  path: "/api/sound",
  id: "sound",
  summary: "Check whether the desktop can be heard; if not, the answer says why",
  effect: "read",
  answer: {
    "application/json": objectSchema({
      offered: flag("Whether there is sound"),
      server: optional(text("The sound server that gives the sound")),
      reason: optional(text("The reason why there is no sound")),
    }),
  },
  async handle({ services: { sound } }) {
    const state = await sound.state();
    const told = "missing" in state
      ? { offered: false, reason: state.missing }
      : { offered: true, server: state.server };
    return jsonText(JSON.stringify(told));
  },
};

const LISTEN: Endpoint = {
  method: "GET",
  path: "/api/listen",
  id: "listen",
  summary: "The desktop's sound, over a WebSocket",
  effect: "read",
  answer: {},
  statuses: {
    409: "This desktop's sound is not offered; the message says why",
    426: "The endpoint is a WebSocket",
  },
  handle: ({ services: { sound }, request, link }) =>
    Promise.try(() => {
      if (sound.refusal !== undefined) throw new StateError(sound.refusal);
      sound.checkRoom();
      const { socket, response } = upgrade(request);
      sound.add(socket, link);
      return response;
    }),
};

/** Endpoints of sound. */
export const SOUND_ENDPOINTS: readonly Endpoint[] = [STATE, LISTEN];
