/** The questions whether an agent may act in a program. A person answers wherever one asks first. */

import { printable } from "../../core/printable.ts";
import { type Program, programText } from "./agent_policy.ts";

/** The answers: the one action, until the agent is idle, from now on, or not. */
export const ANSWERS = ["once", "session", "always", "deny"] as const;
/** One of {@linkcode ANSWERS}. */
export type AnswerWord = typeof ANSWERS[number];

/** The time for which a question stays open, in milliseconds. */
export const OPEN_MS = 5 * 60_000;

/** An open question. */
export interface Question {
  readonly id: number;
  readonly program: Program;
  /** The name that the agent gives itself. */
  readonly client: string;
  /** The action that the agent was about to do, such as `click`. */
  readonly action: string;
  /** The title of the window. */
  readonly title: string;
}

/** The longest name of a client in a question, in characters. */
const NAME_LIMIT = 60;

/** A question in words: what is to be allowed, and what the agent is about to do. */
export function questionText({ client, action, program, title }: Question): { asks: string; wants: string } {
  return {
    asks: `Allow ${printable(client, NAME_LIMIT)} to act in ${programText(program)}?`,
    wants: `It wants: ${action} in the window ${JSON.stringify(title)}`,
  };
}

/** A question with what waits for its answer. */
interface Open {
  question: Question;
  /** undefined if the time is over. */
  answered: Promise<AnswerWord | undefined>;
  resolve(answer: AnswerWord | undefined): void;
  timer: ReturnType<typeof setTimeout>;
}

/** An announcement: a question that opens, or ends with its answer, or without one. */
export type QuestionListener = (question: Question, answer: AnswerWord | "open" | "unanswered") => void;

/** The open questions. */
export class Questions {
  readonly #open = new Map<string, Open>();
  readonly #listeners = new Set<QuestionListener>();
  #count = 0;

  /** @param openMs The time for which a question stays open, in milliseconds. */
  constructor(readonly openMs: number = OPEN_MS) {}

  /** The open questions, the oldest first. */
  get open(): Question[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  /** Adds a listener. @returns Removes it. */
  on(listener: QuestionListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Opens a question, or joins the one that is open.
   * @param key The same for the same question.
   * @returns The answer; undefined if nothing answers in time.
   */
  ask(key: string, asked: Omit<Question, "id">): Promise<AnswerWord | undefined> {
    const present = this.#open.get(key);
    if (present) return present.answered;
    const { promise: answered, resolve } = Promise.withResolvers<AnswerWord | undefined>();
    const question = { id: ++this.#count, ...asked };
    const timer = setTimeout(() => this.#end(key, undefined), this.openMs);
    Deno.unrefTimer(timer);
    this.#open.set(key, { question, answered, resolve, timer });
    this.#announce(question, "open");
    return answered;
  }

  /** The open question of a key. */
  of(key: string): Question | undefined {
    return this.#open.get(key)?.question;
  }

  /** Answers a question. @returns false if it is not open: the first answer counts. */
  answer(id: number, answer: AnswerWord): boolean {
    const [key] = [...this.#open].find(([, { question }]) => question.id === id) ?? [];
    return key !== undefined && this.#end(key, answer);
  }

  /** Waits until no question is open. */
  async settled(): Promise<void> {
    while (this.#open.size) await Promise.all([...this.#open.values()].map(({ answered }) => answered));
  }

  /** Ends all questions without an answer. */
  close(): void {
    for (const key of [...this.#open.keys()]) this.#end(key, undefined);
  }

  #end(key: string, answer: AnswerWord | undefined): boolean {
    const open = this.#open.get(key);
    if (!open) return false;
    this.#open.delete(key);
    clearTimeout(open.timer);
    open.resolve(answer);
    this.#announce(open.question, answer ?? "unanswered");
    return true;
  }

  #announce(question: Question, answer: AnswerWord | "open" | "unanswered"): void {
    for (const listener of this.#listeners) listener(question, answer);
  }
}
