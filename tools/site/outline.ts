/** The order of the site's pages. Pages not listed here come last in their folder's section. */

/** A sidebar section: its pages by path, and the folder whose other pages belong to it. */
interface Section {
  title: string;
  pages: string[];
  folder?: string;
  collapsed?: boolean;
}

export const SECTIONS: readonly Section[] = [
  { title: "Start", pages: ["start", "page", "prompt", "recording", "options"] },
  {
    title: "Scripts",
    pages: [
      "clients",
      "xdotool",
      "pyautogui",
      "desktop",
      "elements",
      "beside",
      "find",
      "text",
      "observe",
      "trace",
    ],
  },
  { title: "AI agents", pages: ["agents", "agent-tools", "agent-models"] },
  { title: "Files", pages: ["files", "mounting", "files-api"] },
  { title: "Running it", pages: ["autostart", "fleet", "proxy", "security", "reporting", "building"] },
  { title: "Recipes", pages: [], folder: "recipes" },
  {
    title: "Platforms",
    pages: [
      ...["platforms", "platforms/x11", "platforms/wayland-wlroots", "platforms/gnome", "platforms/kde"],
      ...["platforms/portal", "platforms/windows", "platforms/arm64", "platforms/virtual"],
      ...["platforms/containers", "platforms/text"],
    ],
    folder: "platforms",
    collapsed: true,
  },
  { title: "Control API", pages: ["api/index"], folder: "api", collapsed: true },
  { title: "More", pages: ["benchmarks", "changelog"], folder: "" },
  { title: "For maintainers", pages: ["contributing"], folder: "maintainers", collapsed: true },
];

/** The top bar. */
export const TOP: readonly (readonly [text: string, page: string])[] = [
  ["Start", "start"],
  ["Control API", "api/index"],
  ["Agents", "agents"],
  ["Files", "files"],
  ["Platforms", "platforms"],
];
