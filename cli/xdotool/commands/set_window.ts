/** The command that sets properties of windows. */

import { type Command, namedWindows, type Options } from "../command.ts";
import { intOf } from "../numbers.ts";
import { WINDOW_TEXTS, type WindowProperties } from "../target.ts";

function propertiesOf(options: Options): WindowProperties {
  const flag = (name: string) => options.has(name) ? intOf(options.get(name)!) > 0 : undefined;
  return {
    texts: Object.fromEntries(
      WINDOW_TEXTS.filter((name) => options.has(name)).map((name) => [name, options.get(name)!]),
    ),
    class: options.get("class"),
    className: options.get("classname"),
    overrideRedirect: flag("overrideredirect"),
    urgency: flag("urgency"),
  };
}

/** Sets properties of windows. */
export const SET_WINDOW: Command = {
  name: "set_window",
  options: {
    letters: "hn:i:r:C:N:u:",
    names: ["name:", "icon-name:", "role:", "class:", "classname:", "overrideredirect:", "urgency:", "help"],
  },
  letters: {
    h: "help",
    n: "name",
    i: "icon-name",
    r: "role",
    C: "class",
    N: "classname",
    u: "urgency",
  },
  async run(context, options, usage) {
    const windows = namedWindows(context, 0, usage);
    if (!windows) return 1;
    for (const window of windows()) await context.target.set(window, propertiesOf(options));
    return 0;
  },
};
