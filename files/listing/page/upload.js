/** Uploads files that are dropped on the page or chosen, one after the other, and shows how far each is. */

/** How often an upload that broke off is resumed. */
const TRIES = 5;

const form = document.querySelector("form.upload");
const input = form.querySelector("input");
const list = document.createElement("ul");
list.className = "uploads";
list.setAttribute("aria-live", "polite");
form.hidden = false;
document.querySelector(".tools").after(list);

/** Files that wait, each with its row. */
const waiting = [];
let isBusy = false, hasFailed = false;

function addRow(name) {
  const row = list.appendChild(document.createElement("li"));
  const bar = document.createElement("progress"), text = document.createElement("span");
  text.textContent = name;
  row.append(text, bar);
  return {
    show: (share) => bar.value = share,
    end: (message) => {
      bar.remove();
      text.textContent = `${name}: ${message}`;
    },
  };
}

/** Sends bytes; gives the status of the answer (0 without one), its text, and how many bytes the server has. */
function put(path, body, range, show = () => {}) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open("PUT", path);
    if (range) request.setRequestHeader("Content-Range", range);
    request.upload.onprogress = ({ loaded }) => show(loaded);
    request.onloadend = () => {
      const { status, responseText } = request;
      const isText = request.getResponseHeader("content-type")?.startsWith("text/plain");
      const text = isText ? responseText.trim() : "The upload failed."; // a proxy answers with pages
      const there = Number(request.getResponseHeader("Upload-Offset"));
      resolve({ status, there, text });
    };
    request.send(body);
  });
}

async function send({ file, row }) {
  const path = `./${encodeURIComponent(file.name)}`, { size } = file;
  const showFrom = (start) => (loaded) => row.show(size ? (start + loaded) / size : 1);
  let answer = await put(path, file, undefined, showFrom(0));
  for (let tries = 1; answer.status === 0 && size && tries <= TRIES; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 1000 * tries));
    const { status, there } = await put(path, null, `bytes */${size}`);
    if (status !== 202) continue;
    const range = there < size ? `bytes ${there}-${size - 1}/${size}` : undefined;
    answer = await put(path, range ? file.slice(there) : file, range, showFrom(range ? there : 0));
  }
  const isDone = answer.status === 200 || answer.status === 201;
  hasFailed ||= !isDone;
  row.end(isDone ? "done" : answer.text);
}

async function sendAll() {
  if (isBusy) return;
  isBusy = true;
  for (let next = waiting.shift(); next; next = waiting.shift()) await send(next);
  isBusy = false;
  if (!hasFailed) location.reload();
}

function add(file, isFolder = false) {
  const row = addRow(file.name);
  if (isFolder) {
    hasFailed = true;
    row.end("folders cannot be uploaded");
  } else waiting.push({ file, row });
}

input.addEventListener("change", () => {
  for (const file of input.files) add(file);
  input.value = "";
  sendAll();
});

const hasFiles = ({ dataTransfer }) => dataTransfer?.types.includes("Files");
addEventListener("dragover", (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  document.body.classList.add("dropping");
});
addEventListener("dragleave", ({ relatedTarget }) => {
  if (!relatedTarget) document.body.classList.remove("dropping");
});
addEventListener("drop", (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  document.body.classList.remove("dropping");
  for (const item of event.dataTransfer.items) {
    const file = item.getAsFile();
    if (file) add(file, item.webkitGetAsEntry?.()?.isDirectory);
  }
  sendAll();
});
addEventListener("beforeunload", (event) => {
  if (isBusy) event.preventDefault();
});
