/** The part of the library `xpath` that is used; its own types name those of a browser's DOM. */
declare const xpath: {
  /** @throws Error if the expression is wrong. */
  parse(expression: string): { select(options: { node: unknown }): unknown };
};
export default xpath;
