import { useState } from "react";
import { useWords } from "../words/words.ts";
import { safeLine, safeText } from "./safe.ts";

/** Lines that are shown before all are asked for. */
const SHOWN = 40;
const KINDS: Readonly<Record<string, string>> = { "+": "added", "-": "removed", "@": "place" };

/** A unified diff of one file. */
export function Diff({ path, text }: { path: string; text: string }) {
  const words = useWords();
  const [isWhole, setWhole] = useState(false);
  const lines = text.replace(/\n$/, "").split("\n");
  const shown = isWhole ? lines : lines.slice(0, SHOWN);
  return (
    <figure className="diff">
      <figcaption>{safeLine(path)}</figcaption>
      <pre>
        {shown.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one diff do not change.
          <span key={at} className={KINDS[line[0] ?? ""]}>{`${safeText(line)}\n`}</span>
        ))}
      </pre>
      {lines.length > SHOWN && (
        <button type="button" className="link" onClick={() => setWhole(!isWhole)}>
          {isWhole ? words.showLess : `${words.showMore} (${lines.length})`}
        </button>
      )}
    </figure>
  );
}
