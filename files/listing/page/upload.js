/**
 * Uploads files and folders that are dropped on the page or chosen, one after the other, and shows the
 * progress of each. At the end, the page reloads to show the new entries and the refused files.
 */

import { sendWhole } from "../../../http/page/resumed_upload.js";

/** Number of finished files that stay visible. */
const DONE_ROWS = 20;
/** The key under which refused files are stored across the reload. */
const KEPT = `uploads of ${location.pathname}`;

const form = document.querySelector("form.upload");
const total = document.createElement("p");
total.className = "uploading";
total.setAttribute("role", "status");
total.hidden = true;
const list = document.createElement("ul");
list.className = "uploads";
form.hidden = false;
const menu = form.closest("details"); // the drop box page has none
if (menu) menu.hidden = false;
document.querySelector(".tools").after(total, list);

/** Whether the page accepts files but shows none. */
const isDropBox = document.body.classList.contains("drop");
/** Distinguishes this page's uploads from others. */
const OWN = crypto.randomUUID?.() ?? `${Math.random()}`;

/** Queued files, each with its path below this folder. */
const waiting = [], doneRows = [];
const refused = [];
let isBusy = false, added = 0, finished = 0, bytes = 0, sent = 0;

function addRow(name) {
  const row = list.appendChild(document.createElement("li"));
  const text = row.appendChild(document.createElement("span"));
  text.textContent = name;
  return { row, text, name };
}

/** The row of the current file: a bar, and the percentage or why the upload is stalled. */
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
  const failed = refused.length ? `, ${refused.length} refused` : "";
  total.textContent = `${finished - refused.length} of ${added} files, ${share} %${failed}`;
  total.hidden = added < 2;
}

async function send({ names, file }) {
  const below = isDropBox ? [names.join(" - ")] : names; // a drop box has no folders
  const path = `./${below.map(encodeURIComponent).join("/")}${below.length > 1 ? "?parents" : ""}`;
  const name = names.join("/"), row = progressRow(name);
  const { status, type, text } = await sendWhole(path, file, {
    headers: { "upload-key": `${OWN} ${file.lastModified}`, "x-oc-mtime": `${file.lastModified / 1000}` },
    show(sent) {
      row.show(file.size ? sent / file.size : 1);
      showTotal(sent);
    },
    waits: () => row.say("waiting for the network"),
  });
  const isDone = status === 200 || status === 201;
  const said = type.startsWith("text/plain") ? text.trim() : "The upload failed."; // a proxy sends pages
  const message = isDone ? "done" : status ? said : "the network did not come back";
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
  if (isDropBox) return;
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
    if (menu) menu.open = false;
    sendAll();
  });
}

/** Adds all files of a dropped folder; a browser returns its entries in batches. */
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
  // Both must be called during the event.
  const dropped = items.map((item) => ({ entry: item.webkitGetAsEntry?.(), file: item.getAsFile() }));
  addAll(
    dropped.flatMap(({ entry }) => entry ?? []),
    dropped.flatMap(({ entry, file }) => entry || !file ? [] : file),
  );
});
addEventListener("beforeunload", (event) => {
  if (isBusy) event.preventDefault();
});

// Shows the uploads that were refused before the page reloaded.
for (const message of JSON.parse(sessionStorage.getItem(KEPT) ?? "[]")) addRow(message);
sessionStorage.removeItem(KEPT);
