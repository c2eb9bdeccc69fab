/** Fields: the types of the inputs and results of actions. */

/** A JSON Schema, as OpenAPI 3.1 has it (draft 2020-12). */
export type JsonSchema = Record<string, unknown>;

/** One field. `R` is false if it may be left out. */
export interface Field<T, R extends boolean = boolean> {
  readonly required: R;
  readonly schema: JsonSchema;
  /** A former name of the field, which is still accepted. */
  readonly formerly?: string;
  /** The fields of which one may be given in place of this field. */
  readonly unless?: readonly string[];
  /**
   * Checks a value.
   * @param value The value that the caller sent.
   * @param name The field's name as the caller knows it, for messages.
   * @returns The value in the form that deskhand works with.
   * @throws InputError naming the field and what is allowed.
   */
  parse(value: unknown, name: string): T;
}

/** Named fields, in the order in which they are checked. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

type RequiredName<F extends Fields> = { [K in keyof F]: F[K]["required"] extends true ? K : never }[keyof F];
type OptionalName<F extends Fields> = Exclude<keyof F, RequiredName<F>>;
/** The checked value of a field. */
export type ValueOf<T> = T extends Field<infer V> ? V : never;

/** The checked values of fields; optional ones may be missing. */
export type Values<F extends Fields> =
  & { [K in RequiredName<F>]: ValueOf<F[K]> }
  & { [K in OptionalName<F>]?: ValueOf<F[K]> };
