/** Agents' questions outside of the page: their log lines, and desktop notifications. */

import type { ProgramPermission } from "../control/operator/program_permission.ts";
import {
  ANSWERS,
  OPEN_MS,
  type Question,
  type QuestionListener,
  questionText,
} from "../control/operator/agent_policy.ts";
import { ExpectedError } from "../core/errors.ts";
import type { Output } from "../core/output.ts";

/** The answers as buttons; GNOME shows the first three. */
const BUTTONS = [
  { key: "once", label: "Allow once" },
  { key: "session", label: "For this session" },
  { key: "deny", label: "Deny" },
  { key: "always", label: "Always" },
];
/** Maximum number of notifications at the same time: each takes a bus connection. */
const MOST = 4;

/** Writes questions, their answers and revocations to the agents' log. */
export function logQuestions({ questions, onForget }: ProgramPermission, log: (line: string) => void): void {
  const line = (fields: Record<string, unknown>) =>
    log(JSON.stringify({ time: new Date().toISOString(), ...fields }));
  questions.on(({ id, client, action, program, title }, answer) =>
    line({ client, question: id, action, program, title, answer })
  );
  onForget.add((revoked) => line({ revoked }));
}

/**
 * Shows each question as a notification on the session's desktop (Linux). The D-Bus client is loaded with the
 * first question.
 * @param output Receives one notice if the desktop shows no notifications, and errors that are bugs.
 */
export function notifyQuestions({ questions }: ProgramPermission, output: Output): void {
  const open = new Map<number, AbortController>();
  let isTold = false;
  const show = async (question: Question, { signal }: AbortController) => {
    const { showNotification } = await import("../ffi/linux/notifications.ts");
    const { asks: summary, wants: body } = questionText(question);
    const key = await showNotification({ summary, body, actions: BUTTONS, lastsMs: OPEN_MS }, signal);
    const answer = ANSWERS.find((word) => word === key);
    if (answer) questions.answer(question.id, answer);
  };
  const fail = (error: unknown) => {
    if (!(error instanceof ExpectedError)) return output.report(error);
    if (!isTold) output.notice(`deskhand: no desktop notification of an agent's question: ${error.message}`);
    isTold = true;
  };
  const follow: QuestionListener = (question, answer) => {
    if (answer !== "open") {
      open.get(question.id)?.abort();
      return void open.delete(question.id);
    }
    if (open.size >= MOST) return;
    const ending = new AbortController();
    open.set(question.id, ending);
    show(question, ending).catch(fail);
  };
  if (Deno.build.os === "linux") questions.on(follow);
}
