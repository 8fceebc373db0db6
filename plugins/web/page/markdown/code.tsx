import { useState } from "react";
import { copied } from "../ui/copied.ts";
import { useWords } from "../words/words.ts";
import { Coloured } from "./coloured.tsx";

/** A code block with a button that copies it. */
export function Code({ text, language }: { text: string; language: string }) {
  const words = useWords();
  const name = language.split(/\s/, 1)[0] ?? "";
  const [state, setState] = useState<"copied" | "refused">();
  const copy = async () => {
    const isCopied = await copied(text);
    setState(isCopied ? "copied" : "refused");
    if (isCopied) setTimeout(() => setState(undefined), 1_500);
  };
  return (
    <div className="code">
      <div className="code-head">
        <span>{name}</span>
        <button type="button" className="link" onClick={() => void copy()} onBlur={() => setState(undefined)}>
          {state === "copied" ? words.copied : state === "refused" ? words.notCopied : words.copy}
        </button>
      </div>
      <pre>
        <Coloured text={text} language={name} />
      </pre>
    </div>
  );
}
