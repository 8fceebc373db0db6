/** What a text is, for its colour. */
export type Role =
  | "text"
  | "muted"
  | "faint"
  | "accent"
  | "user"
  | "heading"
  | "strong"
  | "emphasis"
  | "code"
  | "link"
  | "quote"
  | "success"
  | "warning"
  | "error"
  | "tool"
  | "added"
  | "removed"
  | "addedWord"
  | "removedWord"
  | "selected"
  | "bar"
  | "ask"
  | "edits"
  | "plan"
  | "full"
  | "keyword"
  | "string"
  | "number"
  | "comment"
  | "name";

/** How roles look: SGR parameters. */
export type Palette = Readonly<Record<Role, string>>;

/** Colours by role. A theme without colours returns texts as they are, apart from bold and underline. */
export interface Theme {
  readonly name: string;
  /** Colours a text. The text may contain coloured parts, after which the role's colour goes on. */
  style(role: Role, text: string): string;
}

const ESC = "\u001b";
const RESET = `${ESC}[0m`;

/** A theme with these SGR parameters. `over` replaces some of them, as a user's settings do. */
export function themeOf(name: string, palette: Palette, over: Readonly<Partial<Record<Role, string>>> = {}): Theme {
  const opening = new Map<Role, string>();
  for (const [role, given] of Object.entries({ ...palette, ...over }) as [Role, string][])
    opening.set(role, given === "" ? "" : `${ESC}[${given}m`);
  return {
    name,
    style(role, text) {
      const begin = opening.get(role) ?? "";
      if (begin === "" || text === "") return text;
      // The role goes on after a part with a style of its own.
      const inside = text.includes(RESET) ? text.replaceAll(RESET, `${RESET}${begin}`) : text;
      return begin + inside + RESET;
    },
  };
}
