/**
 * How a piece of text is shown. `address` is the target of a link in brackets, added when the text of the link differs from it. `mark` is
 * a `~` before or after text that is struck out, for terminals that cannot strike it through.
 */
export type SpanRole = "strong" | "emphasis" | "struck" | "code" | "link" | "image" | "address" | "mark";

/** A part of a line with what it is: the outermost role first. */
export interface Span {
  text: string;
  roles: readonly SpanRole[];
  /** Where a link or picture leads, as the text says. It may be anything. */
  href?: string;
}

/** A piece of text, and what begins and ends at it. */
export interface Node {
  text: string;
  roles?: readonly SpanRole[];
  /** The address of the link or picture that the text is, or that begins after it. */
  href?: string;
  /** Roles that end before the text and begin after it. */
  ends: SpanRole[];
  begins: SpanRole[];
}
