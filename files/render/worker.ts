/** The thread on which texts are rendered: some texts take long, and the thread that serves must not wait. */

import { lowerPriority } from "../../core/v8_threads.ts";
import { answerCalls } from "../../core/worker_entry.ts";
import { renderMarkdown } from "./markdown.ts";

/** The longest time for a text, in milliseconds; a text that takes longer is shown unrendered. */
const LIMIT_MS = 3000;

lowerPriority();
answerCalls<string, string>((text) => renderMarkdown(text, LIMIT_MS));
