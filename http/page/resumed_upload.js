/** Uploads a file with PUT, and resumes after a network failure. Pages of both servers use this script. */

/** Maximum number of attempts without progress, and maximum pause between them in milliseconds. */
const TRIES = 60, LONGEST_PAUSE = 5000;

/** @typedef {{ status: number, there: number, type: string, text: string }} Answer */

/**
 * Uploads a file; if the network fails, waits and continues after the bytes that the server has.
 * @param {string} url
 * @param {File} file
 * @param {{ headers?: Record<string, string>, show: (sent: number) => void, waits: () => void }} options
 * `show` receives the number of bytes sent; `waits` is called when the network has failed.
 * @returns {Promise<Answer>} The last response; its status is 0 if none arrived.
 */
export async function sendWhole(url, file, { headers = {}, show, waits }) {
  const { size } = file;
  const put = (/** @type {Blob | null} */ body, /** @type {string | undefined} */ range, start = 0) =>
    putBytes(
      url,
      body,
      range ? { ...headers, "content-range": range } : headers,
      (sent) => show(start + sent),
    );
  let answer = await put(file, undefined), offset = 0;
  for (let tries = 1; answer.status === 0 && size && tries <= TRIES; tries++) {
    waits();
    await pauseFor(Math.min(LONGEST_PAUSE, 1000 * tries));
    const { status, there } = await put(null, `bytes */${size}`);
    if (status !== 202) continue;
    if (there > offset) tries = 0; // progress was made, so the count restarts
    offset = there;
    const range = there < size ? `bytes ${there}-${size - 1}/${size}` : undefined;
    answer = await put(range ? file.slice(there) : file, range, range ? there : 0);
  }
  return answer;
}

/**
 * Sends bytes with XMLHttpRequest, because fetch does not report progress.
 * @param {string} url
 * @param {Blob | null} body
 * @param {Record<string, string>} headers
 * @param {(sent: number) => void} show
 * @returns {Promise<Answer>} `there` is the number of bytes that the server has.
 */
function putBytes(url, body, headers, show) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open("PUT", url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    if (body) request.upload.onprogress = ({ loaded }) => show(loaded);
    request.onloadend = () =>
      resolve({
        status: request.status,
        there: Number(request.getResponseHeader("upload-offset")),
        type: request.getResponseHeader("content-type") ?? "",
        text: request.responseText,
      });
    request.send(body);
  });
}

/** Waits for a time, or until the network is back. @param {number} ms @returns {Promise<void>} */
function pauseFor(ms) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener("online", done);
  });
}
