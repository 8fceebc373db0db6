import type { Operations, ThinkingLevel } from "@scorel/host/contract";
import { useWords } from "../words/words.ts";

export type Mode = Operations["list_permission_modes"]["result"]["modes"][number];

export const LEVELS: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh"];

interface ThinkingChoiceProps {
  current: ThinkingLevel;
  /** Why it cannot be changed; undefined if it can. */
  locked?: string | undefined;
  choose(level: ThinkingLevel): void;
}

/** A list to choose the thinking level. */
export function ThinkingChoice({ current, locked, choose }: ThinkingChoiceProps) {
  const words = useWords();
  return (
    <select
      aria-label={words.thinkingLevel}
      disabled={locked !== undefined}
      title={locked}
      value={current}
      onChange={(event) => choose(event.target.value as ThinkingLevel)}
    >
      {LEVELS.map((level) => (
        <option key={level} value={level}>
          {words.levels[level]}
        </option>
      ))}
    </select>
  );
}

interface ModeChoiceProps {
  current: Mode["mode"];
  /** Why it cannot be changed; undefined if it can. */
  locked?: string | undefined;
  modes: readonly Mode[];
  choose(mode: Mode["mode"]): void;
  /** Called when the list of modes is about to be opened. */
  onNeed?: () => void;
}

/** A list to choose the permission mode. Modes that may not be chosen are left out. */
export function ModeChoice({ current, locked, modes, choose, onNeed }: ModeChoiceProps) {
  const words = useWords();
  const known = modes.filter(({ unavailable }) => !unavailable);
  return (
    <select
      aria-label={words.mode}
      disabled={locked !== undefined}
      title={locked}
      value={current}
      onFocus={onNeed}
      onPointerEnter={onNeed}
      onChange={(event) => choose(event.target.value as Mode["mode"])}
    >
      {known.every(({ mode }) => mode !== current) && (
        <option value={current}>{words.modes[current] ?? current}</option>
      )}
      {known.map(({ mode, about }) => (
        <option key={mode} value={mode} title={about}>
          {words.modes[mode] ?? mode}
        </option>
      ))}
    </select>
  );
}
