import { copiedPart, type Obeyed } from "@scorel/host/client";
import { safeLine, safeText } from "../display/safe.ts";
import { useWords, type Words } from "../words/words.ts";
import type { Field, Said } from "./field.ts";
import { messageOf } from "./line.ts";

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

/** Shows the answer of a command: its text, what to type next, and what it has copied. */
export async function showAnswer(field: Field, { output, input, copy }: Obeyed, words: Words): Promise<void> {
  if (output) field.said.set({ text: output });
  if (input) field.put(input.isCommand ? commandOf(input.text.slice(1)) : messageOf(input.text));
  if (copy === undefined) return;
  await navigator.clipboard.writeText(copy);
  const [characters, start] = copiedPart(copy);
  field.said.set({ text: words.copiedPart(characters, safeLine(start)) });
}

/** A command that was proposed is only put into the field. It runs when the person sends it. */
function commandOf(text: string) {
  return { ...messageOf(text), mode: "command" as const };
}
