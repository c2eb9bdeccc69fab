/** The thread on which texts are rendered: some texts take long, and the thread that serves must not wait. */

import { lowerPriority } from "../../core/v8_threads.ts";
import { answerCalls } from "../../core/worker_entry.ts";
import { renderMarkdown } from "./markdown.ts";

lowerPriority();
answerCalls<string, string>(renderMarkdown);
