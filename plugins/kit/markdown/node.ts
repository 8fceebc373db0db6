/**
 * What a piece of text is. `address` is where a link leads, in brackets behind it, if its text says something else; `mark` is one of the
 * two signs around what is struck out, for places that cannot draw a line through it.
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
