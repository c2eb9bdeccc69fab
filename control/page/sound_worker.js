/**
 * Receives and decodes the desktop's sound on its own thread, since the page's thread may be busy with a
 * picture.
 */

/** Samples per second, and channels, as sent by the server. */
const RATE = 48_000, CHANNELS = 2;

/**
 * @typedef {{ url: string, protocols: string[], sound: MessagePort }} Start `sound` leads to the playback
 * thread.
 */

class Listener {
  /** @type {WebSocket | undefined} */ #socket;

  /** @param {Start} start */
  constructor(start) {
    this.start = start;
    this.decoder = this.#decoder();
    this.connect();
  }

  /** Connects unless already connected. */
  connect() {
    if (this.#socket && this.#socket.readyState <= WebSocket.OPEN) return;
    const { url, protocols } = this.start, socket = this.#socket = new WebSocket(url, protocols);
    let wasOpen = false;
    socket.onopen = () => wasOpen = true;
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") postMessage(JSON.parse(data).message);
      else this.#decode(data);
    };
    socket.onclose = () => wasOpen || postMessage("the server refuses the connection");
  }

  #decoder() {
    const { sound } = this.start;
    const decoder = new AudioDecoder({
      output(data) {
        const channels = Array.from({ length: data.numberOfChannels }, (_, planeIndex) => {
          const channel = new Float32Array(data.numberOfFrames);
          data.copyTo(channel, { planeIndex, format: "f32-planar" });
          return channel;
        });
        sound.postMessage({ channels, at: data.timestamp / 1000 }, channels.map(({ buffer }) => buffer));
        data.close();
      },
      error: ({ message }) => postMessage(message),
    });
    decoder.configure({ codec: "opus", sampleRate: RATE, numberOfChannels: CHANNELS });
    return decoder;
  }

  /** @param {ArrayBuffer} message As described in the server's control/http/live/sound.ts. */
  #decode(message) {
    if (this.decoder.state === "closed") this.decoder = this.#decoder(); // a packet was damaged
    const timestamp = Math.round(1000 * new DataView(message).getFloat64(0, true));
    this.decoder.decode(new EncodedAudioChunk({ type: "key", timestamp, data: new Uint8Array(message, 8) }));
  }
}

/** @type {Listener | undefined} */
let listener;
addEventListener("message", ({ data }) => {
  if (data === "connect") listener?.connect();
  else listener = new Listener(data);
});
