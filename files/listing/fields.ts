/** Views as hidden fields of forms, so that a form keeps the settings that it does not change. */

import { escape } from "@std/html";
import type { View } from "./entry.ts";
import { fieldsOf, type QueryField } from "./query.ts";

/**
 * The fields of a view as hidden ones of a form.
 * @param without Fields that the form has itself, or leaves out.
 */
export function hiddenFields(view: View, without: readonly QueryField[]): string {
  return fieldsOf(view, without)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escape(value)}">`).join("");
}
