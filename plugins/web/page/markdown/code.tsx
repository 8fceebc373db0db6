import { useState } from "react";
import { useWords } from "../words/words.ts";

/** A block of code, with a button that copies it. */
export function Code({ text, language }: { text: string; language: string }) {
  const words = useWords();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <div className="code">
      <div className="code-head">
        <span>{language.split(/\s/, 1)[0]}</span>
        <button type="button" className="link" onClick={() => void copy()}>
          {isCopied ? words.copied : words.copy}
        </button>
      </div>
      <pre>
        <code>{text}</code>
      </pre>
    </div>
  );
}
