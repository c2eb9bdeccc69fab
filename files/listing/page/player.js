/** Plays the music of a folder: one file after the other, or a clicked file, without leaving the page. */

const audio = document.querySelector("audio");
const tracks = [...document.querySelectorAll(".tracks a")];

/** The file that a link's page shows. */
const fileOf = (link) => link.href.replace(/\?.*$/, "");

function play(link) {
  for (const other of tracks) other.removeAttribute("aria-current");
  link.setAttribute("aria-current", "true");
  const file = fileOf(link);
  audio.src = file;
  audio.play().catch(() => {}); // the browser wants a click first, or cannot play the file
  document.title = link.textContent;
  document.querySelector("h1").textContent = link.textContent;
  document.querySelector('nav[aria-label="Path"] [aria-current]').textContent = link.textContent;
  const [form, open] = [document.querySelector(".tools form"), document.querySelector(".tools form a")];
  form.action = open.href = file;
  form.querySelector(".counts").textContent = ""; // clears the previous file's size
  history.replaceState(null, "", link.href);
  if ("mediaSession" in navigator) {
    navigator.mediaSession.metadata = new MediaMetadata({ title: link.textContent });
  }
}

const current = () => tracks.findIndex((link) => link.hasAttribute("aria-current"));
function step(by) {
  const next = tracks[current() + by];
  if (next) play(next);
}

audio.addEventListener("ended", () => step(1));
for (const link of tracks) {
  link.addEventListener("click", (event) => {
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    play(link);
  });
}
if ("mediaSession" in navigator) {
  navigator.mediaSession.setActionHandler("nexttrack", () => step(1));
  navigator.mediaSession.setActionHandler("previoustrack", () => step(-1));
}
