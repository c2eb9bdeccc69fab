/** The part of the `xpath` library in use; its own types refer to a browser's DOM. */
declare const xpath: {
  /** @throws Error if the expression is invalid. */
  parse(expression: string): { select(options: { node: unknown }): unknown };
};
export default xpath;
