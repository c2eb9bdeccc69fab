/** VitePress's default theme with the reader's system fonts. */

import theme from "vitepress/theme-without-fonts";
import "./site.css";

export default theme;
