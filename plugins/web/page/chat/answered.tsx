import { safeText } from "../display/safe.ts";
import { useWords } from "../words/words.ts";
import type { Said } from "./field.ts";

/** The answer of a command, or an error, above the field. */
export function Answer({ said: { text, isProblem }, onClose }: { said: Said; onClose(): void }) {
  const words = useWords();
  return (
    <div className="said">
      <pre className="plain problem" role={isProblem ? "alert" : "status"}>
        {safeText(text)}
      </pre>
      <button type="button" className="icon-button" aria-label={words.close} onClick={onClose}>
        ✕
      </button>
    </div>
  );
}
