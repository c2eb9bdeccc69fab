/**
 * Fixes VitePress's theme for people who use a screen reader (VitePress 1.6.4), as axe-core requires: nested
 * controls, names that differ from the visible text, and a page without a main landmark.
 */

/** Replacements in components, by file. */
const MENDS = {
  "VPLocalSearchBox.vue": [
    [
      /role="button"\s+:aria-owns="[^"]*"\s+aria-expanded="true"\s+aria-haspopup="listbox"/,
      'role="dialog" aria-modal="true"',
    ],
    [/:role="results\?\.length \? 'listbox' : undefined"/, ""],
    [/:aria-selected="[^"]*"\s+role="option"/, ""],
    [/<kbd :aria-label/g, '<kbd role="img" :aria-label'],
    [/:aria-label="\[\.\.\.p\.titles, p\.title\]\.join\(' > '\)"/, ""],
  ],
  "NotFound.vue": [
    [/<div class="NotFound">/, '<main class="NotFound">'],
    [/<\/div>(?=\s*<\/template>)/, "</main>"],
  ],
  "VPSidebarItem.vue": [
    [
      /role="button"\s+aria-label="toggle section"/,
      `:role="item.link ? 'button' : undefined" :aria-label="item.link ? 'toggle section' : undefined"`,
    ],
    [/tabindex="0"/, `:tabindex="item.link ? 0 : undefined"`],
    [/:role="itemRole"/, `:role="itemRole" :aria-expanded="item.collapsed == null ? undefined : !collapsed"`],
  ],
};

/** Creates the Vite plugin. It throws if a component has changed, so that no fix is lost silently. */
export function accessible() {
  return {
    name: "accessible",
    enforce: "pre",
    transform(code, id) {
      const name = Object.keys(MENDS).find((name) => id.endsWith(`/${name}`));
      if (!name) return;
      return MENDS[name].reduce((text, [from, to]) => {
        if (text.search(from) < 0) throw new Error(`${name} has no ${from}`);
        return text.replace(from, to);
      }, code);
    },
  };
}
