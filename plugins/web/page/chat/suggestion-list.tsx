import { useEffect, useRef } from "react";
import { safeLine } from "../display/safe.ts";
import { useWords } from "../words/words.ts";
import type { Suggestion } from "./suggest.ts";
import type { Shown } from "./suggesting.ts";

interface SuggestionListProps {
  id: string;
  shown: Shown;
  onTake(suggestion: Suggestion): void;
}

/** The DOM id of a suggestion. The field refers to the selected one by it. */
export const optionId = (list: string, at: number) => `${list}-${at}`;

/** The list of suggestions above the field, which keeps the focus. */
export function SuggestionList({ id, shown: { items, chosen }, onTake }: SuggestionListProps) {
  const words = useWords();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <>
      <div ref={list} id={id} role="listbox" aria-label={words.suggestions} className="suggestions">
        {items.map((item, at) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus, and names the chosen one.
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys.
          <div
            key={item.text}
            id={optionId(id, at)}
            role="option"
            aria-selected={at === chosen}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onTake(item)}
          >
            <span className="suggestion-label">{safeLine(item.label ?? item.text)}</span>
            {item.detail && <span className="muted">{safeLine(item.detail)}</span>}
          </div>
        ))}
      </div>
      <p className="hidden" role="status">
        {words.suggested(items.length)}
      </p>
    </>
  );
}
