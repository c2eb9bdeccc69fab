/** A viewer of the live picture in a Worker, which acknowledges what comes without decoding it. */

/// <reference lib="deno.worker" />

globalThis.onmessage = ({ data: url }: MessageEvent<string>) => {
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/live`);
  socket.onmessage = ({ data }) => {
    if (typeof data !== "string") socket.send('{"type":"ack"}');
  };
};
