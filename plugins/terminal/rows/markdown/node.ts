import type { Role } from "../../theme/theme.ts";

/** A part of a line with how it looks: the outermost role first. */
export interface Span {
  text: string;
  roles: readonly Role[];
}

/** A piece of text, and what begins and ends at it. */
export interface Node {
  text: string;
  roles?: readonly Role[];
  /** Roles that end before the text and begin after it. */
  ends: Role[];
  begins: Role[];
}
