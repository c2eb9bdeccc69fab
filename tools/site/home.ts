/** The site's home page. */

import type { SitePage } from "./pages.ts";

/** The uses of deskhand, each with the page that explains it. */
const FEATURES = [
  ["Script a desktop", "Move, click, type any text, take and find pictures, with nothing but curl.", "start"],
  [
    "See it live",
    "A page shows the desktop in a browser or on a phone, and takes mouse, touch and keys.",
    "page",
  ],
  [
    "Let an agent use it",
    "Tools over MCP, and the actions of three vendors' models as they write them.",
    "agents",
  ],
  ["Hand out a folder", "Ranges, archives, uploads, search and a gallery, below one address.", "files"],
  ["Record and replay", "What a person did, as a file that replays exactly or as a script.", "recording"],
  ["Run many", "Health, figures, systemd units and Kubernetes manifests.", "fleet"],
] as const;

/** Generates the home page, with a screenshot of deskhand's page in the reader's light or dark theme. */
export function homePage(): SitePage {
  const settings = {
    layout: "home",
    hero: {
      name: "deskhand",
      text: "A hand for your desktop",
      tagline:
        "One executable controls X11, Wayland and Windows for scripts, for a browser and for AI agents.",
      image: {
        light: "/images/page-light.png",
        dark: "/images/page-dark.png",
        alt: "deskhand's page: a live desktop with windows in a browser",
      },
      actions: [
        { theme: "brand", text: "Start", link: "/start" },
        { theme: "alt", text: "Recipes", link: "/recipes/fill-a-form" },
        { theme: "alt", text: "Control API", link: "/api/" },
      ],
    },
    features: FEATURES.map(([title, details, page]) => ({ title, details, link: `/${page}` })),
  };
  // JSON is YAML, which front matter is written in.
  return { path: "index", text: `---\n${JSON.stringify(settings, null, 2)}\n---\n` };
}
