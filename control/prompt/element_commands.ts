/** Prompt commands of elements. */

import { InputError } from "../../core/errors.ts";
import { ACTIONS } from "../actions/mod.ts";
import { elementsText } from "../elements/text.ts";
import { actionCommand, type Command } from "./command.ts";

/** An element as it is written: a ref, or a role, a name in quotes, or both. */
const TARGET = String.raw`(e[1-9]\d*|[a-z ]*"[^"]*"|[a-z]+)`;

/** The most elements that are read, and the most that are printed. */
const LIMITS = { read: 20_000, printed: 200 };

/** The fields that a target stands for. */
function targetOf(text: string | undefined) {
  if (text === undefined) throw new InputError("Missing the element");
  if (/^e[1-9]\d*$/.test(text)) return { element: text };
  const [, role, name] = /^([a-z ]*?)\s*(?:"([^"]*)")?$/.exec(text)!;
  return { ...(role ? { role } : {}), ...(name === undefined ? {} : { name }) };
}

const print = ({ via, ref, role, name }: { via: string; ref: string; role: string; name: string }) =>
  `${ref} ${role} ${JSON.stringify(name)}${via === "action" ? ", by its program" : ""}`;

/** The commands, in the order of help. */
export const ELEMENT_COMMANDS: readonly Command[] = [
  actionCommand(
    ACTIONS.elements,
    {
      name: "el",
      usage: "el [<name>]",
      example: "el save",
      summary: "list the elements of the active window: buttons, fields, list items",
      pattern: /^el(?:\s+(.+))?$/u,
    },
    ([name]) => ({ limit: LIMITS.read, ...(name === undefined ? {} : { name }) }),
    (list, [name]) => elementsText(list, { limit: LIMITS.printed, isAsked: name !== undefined }),
  ),
  actionCommand(
    ACTIONS.clickOnElement,
    {
      name: "ec",
      usage: 'ec <ref or role "name">',
      example: 'ec button "Save"',
      pattern: new RegExp(`^ec\\s+${TARGET}$`, "u"),
    },
    ([target]) => targetOf(target),
    print,
  ),
  actionCommand(
    ACTIONS.setElementText,
    {
      name: "es",
      usage: 'es <ref or role "name"> = <text>',
      example: 'es textbox "Name" = Ada',
      pattern: new RegExp(`^es\\s+${TARGET}\\s*=\\s?(.*)$`, "u"),
    },
    ([target, text]) => ({ ...targetOf(target), text: text ?? "" }),
    print,
  ),
  actionCommand(
    ACTIONS.switchElements,
    {
      name: "elements",
      usage: "elements on|off",
      example: "elements on",
      pattern: /^elements\s+(on|off)$/u,
    },
    ([state]) => ({ enabled: state === "on" }),
    ({ did }) => did,
  ),
];
