import { useState } from "react";
import { useWords } from "../words/words.ts";
import { Coloured } from "./coloured.tsx";

/** A code block with a button that copies it. */
export function Code({ text, language }: { text: string; language: string }) {
  const words = useWords();
  const name = language.split(/\s/, 1)[0] ?? "";
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <div className="code">
      <div className="code-head">
        <span>{name}</span>
        <button type="button" className="link" onClick={() => void copy()}>
          {isCopied ? words.copied : words.copy}
        </button>
      </div>
      <pre>
        <Coloured text={text} language={name} />
      </pre>
    </div>
  );
}
