/**
 * How a piece of text is shown. `address` is the target of a link in brackets, added when the text of the link differs from it. `mark` is
 * a `~` before or after text that is struck out, for terminals that cannot strike it through.
 */
export type SpanRole = "strong" | "emphasis" | "struck" | "code" | "link" | "image" | "address" | "mark";

/** A piece of a line with its roles, the outermost first. */
export interface Span {
  text: string;
  roles: readonly SpanRole[];
  /** The address of a link or picture, as it is written in the text and not validated. */
  href?: string;
}

/** A piece of text, and the roles that begin and end at it. */
export interface Node {
  text: string;
  roles?: readonly SpanRole[];
  /** The address of the link or picture, if the text is one or one begins after it. */
  href?: string;
  /** Roles that end before the text and begin after it. */
  ends: SpanRole[];
  begins: SpanRole[];
}
