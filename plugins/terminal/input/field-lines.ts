import type { Cursor, FieldMode } from "../parts.ts";
import type { Role, Theme } from "../theme/theme.ts";
import type { TextArea } from "./text-area.ts";

const marks: Record<FieldMode, { mark: string; role: Role }> = {
  message: { mark: "> ", role: "accent" },
  command: { mark: "/", role: "keyword" },
  shell: { mark: "!", role: "warning" },
};

interface Drawing {
  area: TextArea;
  width: number;
  mode: FieldMode;
  silent: boolean;
  theme: Theme;
}

/** The lines of a field: a rule, the text with the mark of its mode before the first line, and a rule. */
export function drawField({ area, width, mode, silent, theme }: Drawing): { lines: string[]; cursor: Cursor } {
  const { mark, role } = silent ? { mark: "!!", role: "warning" as const } : marks[mode];
  const indent = mark.length;
  const { lines, cursor, above, below } = area.render(Math.max(1, width - indent));
  const edge = mode === "message" ? "faint" : role;
  const texts = lines.map(
    (line, index) => `${index > 0 || above > 0 ? " ".repeat(indent) : theme.style(role, mark)}${line}`,
  );
  return {
    lines: [rule(width, above && `↑ ${above}`), ...texts, rule(width, below && `↓ ${below}`)].map((line, index, all) =>
      index === 0 || index === all.length - 1 ? theme.style(edge, line) : line,
    ),
    cursor: { row: cursor.row + 1, column: cursor.column + indent },
  };
}

function rule(width: number, hidden: string | 0): string {
  const label = hidden === 0 ? "" : `── ${hidden} `;
  return label.length > width ? "─".repeat(width) : label + "─".repeat(width - label.length);
}
