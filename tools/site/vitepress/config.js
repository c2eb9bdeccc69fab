/** VitePress's settings. The site's contents are described in site.json, which `deno task site` writes. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { accessible } from "./accessible.js";

const site = JSON.parse(readFileSync(new URL("../site.json", import.meta.url), "utf8"));

/** Shows indented code like fenced code: highlighted, with a copy button. */
function indentedCode(md) {
  md.renderer.rules.code_block = (tokens, index, options, env, self) => {
    tokens[index].info = "sh";
    return md.renderer.rules.fence(tokens, index, options, env, self);
  };
}

/** Makes wide tables scroll separately, also with the keyboard. */
function scrollingTables(md) {
  md.renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
  md.renderer.rules.table_close = () => "</table></div>\n";
}

export default {
  title: "deskhand",
  description: "One executable that controls a desktop for scripts, for a browser and for AI agents",
  lang: "en",
  base: site.base,
  srcDir: "./pages",
  outDir: site.out,
  cacheDir: "./cache",
  head: [["link", { rel: "icon", href: `${site.base}images/icon.svg`, type: "image/svg+xml" }]],
  lastUpdated: false,
  vite: {
    plugins: [accessible()],
    resolve: {
      alias: [{
        find: /^.*\/VPHome\.vue$/,
        replacement: fileURLToPath(new URL("./theme/Home.vue", import.meta.url)),
      }],
    },
  },
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config(md) {
      indentedCode(md);
      scrollingTables(md);
    },
  },
  themeConfig: {
    logo: { src: "/images/icon.svg", alt: "" },
    nav: site.nav,
    sidebar: site.sidebar,
    outline: [2, 3],
    search: { provider: "local", options: { detailedView: true } },
    docFooter: { prev: "Previous", next: "Next" },
    notFound: {
      title: "No such page",
      quote: "The site has no page at this address. The search finds pages by their words.",
      linkText: "First page",
      linkLabel: "First page",
    },
  },
};
