/**
 * Uploads files and folders that are dropped on the page or chosen, one after the other, and shows how far each is. At
 * the end the page loads again, so that its entries are true, and shows what was refused.
 */

/** How often an upload that broke off is tried again without a byte in between, and the longest pause before a try. */
const TRIES = 60, PAUSE_MS = 5000;
/** Finished files that stay in sight. */
const DONE_ROWS = 20;
/** Where the refused ones are kept over the page's new load. */
const KEPT = `uploads of ${location.pathname}`;

const form = document.querySelector("form.upload");
const total = document.createElement("p");
total.className = "uploading";
total.setAttribute("role", "status");
total.hidden = true;
const list = document.createElement("ul");
list.className = "uploads";
form.hidden = false;
document.querySelector(".tools").after(total, list);

/** Files that wait, as their names below this folder and themselves. */
const waiting = [], doneRows = [];
const refused = [];
let isBusy = false, added = 0, finished = 0, bytes = 0, sent = 0;

function addRow(name) {
  const row = list.appendChild(document.createElement("li"));
  const text = row.appendChild(document.createElement("span"));
  text.textContent = name;
  return { row, text, name };
}

/** The row of a file under way: a bar, the share in per cent, or why it stands still. */
function progressRow(name) {
  const { row, text } = addRow(name);
  const bar = row.appendChild(document.createElement("progress"));
  const share = row.appendChild(document.createElement("span"));
  bar.setAttribute("aria-label", name);
  return {
    show(part) {
      bar.value = part;
      share.textContent = `${Math.floor(100 * part)} %`;
    },
    say: (message) => share.textContent = message,
    end(message, isDone) {
      bar.remove();
      share.remove();
      text.textContent = `${name}: ${message}`;
      if (isDone && doneRows.push(row) > DONE_ROWS) doneRows.shift().remove();
    },
  };
}

function showTotal(loaded = 0) {
  const share = bytes ? Math.floor(100 * Math.min(1, (sent + loaded) / bytes)) : 100;
  total.textContent = `${finished} of ${added} files, ${share} %`;
  total.hidden = added < 2;
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

/** Waits for a moment, or until the network is back. */
function pause(ms) {
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

/** Sends a file; where the network fails it waits and goes on from what the server has. */
async function sendWhole(path, file, row) {
  const { size } = file;
  const showFrom = (start) => (loaded) => {
    row.show(size ? (start + loaded) / size : 1);
    showTotal(start + loaded);
  };
  let answer = await put(path, file, undefined, showFrom(0)), offset = 0;
  for (let tries = 1; answer.status === 0 && size && tries <= TRIES; tries++) {
    row.say("waiting for the network");
    await pause(Math.min(PAUSE_MS, 1000 * tries));
    const { status, there } = await put(path, null, `bytes */${size}`);
    if (status !== 202) continue;
    if (there > offset) tries = 0; // it went on: the next failure is another one
    offset = there;
    const range = there < size ? `bytes ${there}-${size - 1}/${size}` : undefined;
    answer = await put(path, range ? file.slice(there) : file, range, showFrom(range ? there : 0));
  }
  return answer;
}

async function send({ names, file }) {
  const path = `./${names.map(encodeURIComponent).join("/")}${names.length > 1 ? "?parents" : ""}`;
  const name = names.join("/"), row = progressRow(name);
  const { status, text } = await sendWhole(path, file, row);
  const isDone = status === 200 || status === 201;
  const message = isDone ? "done" : status ? text : "the network did not come back";
  row.end(message, isDone);
  if (!isDone) refused.push(`${name}: ${message}`);
  finished++;
  sent += file.size;
  showTotal();
}

async function sendAll() {
  if (isBusy) return;
  isBusy = true;
  for (let next = waiting.shift(); next; next = waiting.shift()) await send(next);
  isBusy = false;
  if (refused.length) sessionStorage.setItem(KEPT, JSON.stringify(refused));
  if (finished) location.reload();
}

function add(names, file) {
  waiting.push({ names, file });
  added++;
  bytes += file.size;
  showTotal();
}

for (const input of form.querySelectorAll("input")) {
  input.addEventListener("change", () => {
    for (const file of input.files) add((file.webkitRelativePath || file.name).split("/"), file);
    input.value = "";
    sendAll();
  });
}

/** All files of a dropped folder; a browser gives its entries in pieces. */
async function addEntry(entry, above = []) {
  const names = [...above, entry.name];
  if (entry.isFile) return add(names, await new Promise((resolve, reject) => entry.file(resolve, reject)));
  const reader = entry.createReader();
  for (;;) {
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!entries.length) return;
    for (const next of entries) await addEntry(next, names);
  }
}

async function addAll(entries, files) {
  for (const file of files) add([file.name], file);
  for (const entry of entries) {
    await addEntry(entry).catch(() => {
      addRow(`${entry.name}: it cannot be read`);
      refused.push(`${entry.name}: it cannot be read`);
    });
  }
  await sendAll();
}

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
  const items = [...event.dataTransfer.items].filter(({ kind }) => kind === "file");
  // Both are to be asked for before the event is over.
  const dropped = items.map((item) => ({ entry: item.webkitGetAsEntry?.(), file: item.getAsFile() }));
  addAll(
    dropped.flatMap(({ entry }) => entry ?? []),
    dropped.flatMap(({ entry, file }) => entry || !file ? [] : file),
  );
});
addEventListener("beforeunload", (event) => {
  if (isBusy) event.preventDefault();
});

// What was refused before the page loaded again.
for (const message of JSON.parse(sessionStorage.getItem(KEPT) ?? "[]")) addRow(message);
sessionStorage.removeItem(KEPT);
