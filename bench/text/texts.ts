/** Texts in the test set's programs: realistic labels, sentences and cells. */

const LABELS = (
  "Message|Folders|Account|Bookmarks|Develop|Organize|Layers|Filters|Transport|Playlists|Reply|Forward|Archive|Discard|" +
  "Subscribe|Checkout|Duplicate|Rename…|Properties|Synchronize|Publish|Unlock|Snooze|Mute|Attach file|Sign out|Reset|" +
  "Continue|Skip|Upgrade|Remind me|Pause|Resume|Eject|Restart now|Later|Accept all|Reject|Manage|Zoom in|Fit width|" +
  "Print…|Export as|Share link|Undo|Redo|Quit|Compose|Inbox|Drafts|Spam|Trash|Contacts|Calendar|Tasks|Overview|Reports"
).split("|");

const SENTENCES = [
  "Your backup finished 12 minutes ago",
  "Three updates are ready to install",
  "Battery low: 7% remaining",
  "Could not reach the printer on port 9100",
  "Drag files here or click to browse",
  "This page uses cookies to remember your choices",
  "Check spelling while typing",
  "Play a sound when messages arrive",
  "Use the same settings on every display",
  "Sort results by price, lowest first",
  "Two-factor authentication is turned off",
  "Delivery expected between Tuesday and Friday",
  "You have 14 unread messages in Work",
  "Wi-Fi network Lighthouse requires a key",
  "Version 8.4.1 was released on 3 March",
  "Rows 1 to 50 of 1,204",
  "Remember this device for 30 days",
  "Invalid date: use the form DD/MM/YYYY",
  "Restore windows when the session begins",
  "The selected disk holds 412 GB of data",
  "Notify the owner by e-mail",
  "Highlight matching brackets",
  "Temperature outside: 21 degrees, wind 14 km/h",
  "Reconnecting in 5 seconds…",
  "License expires in December",
  "Record audio from the microphone",
  "Allow guests to comment",
  "Compress images larger than 2 MB",
  "Nothing matches your query",
  "Saved to Documents/Letters",
];

const ROWS = [
  ["Order", "Customer", "Total", "Status"],
  ["#20417", "Marta Vogel", "$83.20", "Shipped"],
  ["#20418", "Jin Tanaka", "$1,450.00", "Pending"],
  ["#20419", "Omar Haddad", "$12.75", "Refunded"],
  ["#20420", "Ruth Okafor", "$240.10", "Paid"],
  ["budget-q3.ods", "61 KB", "Spreadsheet", "09:42"],
  ["team_photo.png", "4.7 MB", "Image", "Sunday"],
  ["minutes.odt", "18 KB", "Document", "27 Aug"],
  ["render.blend", "96 MB", "Project", "2025"],
  ["ruth@example.org", "Editor", "Active", "Lisbon"],
  ["jin@example.net", "Viewer", "Invited", "Kyoto"],
];

const TERMINAL = [
  "root@nas:/srv/media# df -h /dev/sda1",
  "Filesystem      Size  Used Avail Use% Mounted on",
  "/dev/sda1       458G  312G  123G  72% /srv",
  "[  OK  ] Started Network Time Synchronization.",
  "Sep 14 06:25:01 nas cron[811]: job finished with status 0",
  "warning: unused variable `count` in src/main.rs:42",
  "Compiling serde v1.0.193",
  "Finished release profile in 18.52s",
  "GET /index.html 200 5120 bytes 14ms",
  "ping: 64 bytes from 10.0.0.7: ttl=64 time=0.38 ms",
  "make[2]: Leaving directory '/home/ruth/engine/build'",
  "Traceback (most recent call last):",
  "KeyError: 'timeout'",
  "Fetched 38.2 MB in 6s (6,120 kB/s)",
  "commit 9fd2c1e: Merge pull request from ruth/parser",
  "uptime 41 days, 3 users, load average: 0.42",
];

export interface Texts {
  menu: string[];
  buttons: string[];
  lines: string[];
  table: string[][];
  terminal: string[];
}

/** Returns a scene's texts by its number, different from those of its neighbours. */
export function textsOf(number: number): Texts {
  const some = <T>(all: readonly T[], count: number, step: number): T[] =>
    Array.from({ length: count }, (_, i) => all[(number * step + i) % all.length]);
  return {
    menu: some(LABELS, 7, 11),
    buttons: some(LABELS.toReversed(), 8, 13),
    lines: some(SENTENCES, 8, 7),
    table: [ROWS[0], ...some(ROWS.slice(1), 4, 3)],
    terminal: some(TERMINAL, 12, 5),
  };
}
