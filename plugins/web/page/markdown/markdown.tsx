import { type Block, blocksOf } from "@scorel/kit/markdown/blocks";
import { Effort } from "@scorel/kit/markdown/effort";
import { endsFence } from "@scorel/kit/markdown/lines";
import type { OpenCode } from "@scorel/kit/markdown/parts";
import { memo, useMemo, useRef } from "react";
import { LongText } from "../display/long-text.tsx";
import { safeText } from "../display/safe.ts";
import { Blocks } from "./blocks.tsx";
import { Code } from "./code.tsx";
import { Divider, type TextPart } from "./divider.ts";

/**
 * Untrusted Markdown, such as that of a model. It is parsed into blocks and rendered as elements, so none of its text becomes markup. A
 * growing text is divided into parts; complete ones are rendered only once.
 */
export function Markdown({ text }: { text: string }) {
  const divider = useRef<Divider>(null);
  divider.current ??= new Divider();
  const { settled, rest } = divider.current.divide(text);
  return (
    <div className="markdown">
      {settled.map((part) => (
        <Part key={part.from} text={part.text} begun={part.begun} />
      ))}
      {rest.text.trim() !== "" && <Part key={rest.from} text={rest.text} begun={rest.begun} />}
    </div>
  );
}

const Part = memo(function Part({ text, begun }: Pick<TextPart, "text" | "begun">) {
  const blocks = useMemo(() => readBlocks(text, begun), [text, begun]);
  if (blocks === undefined)
    return (
      <div className="plain">
        <LongText text={safeText(text)} />
      </div>
    );
  return begun ? <Code text={textOf(blocks)} language={begun.language} /> : <Blocks blocks={blocks} />;
});

/** Parses a part into blocks. Undefined for text that would take long to parse; it is shown as plain text. */
function readBlocks(text: string, begun: OpenCode | undefined): Block[] | undefined {
  const safe = safeText(text.replace(/\n$/, ""));
  if (begun) {
    const lines = safe.split("\n");
    if (endsFence(lines.at(-1) ?? "", begun.mark)) lines.pop();
    return [{ type: "code", text: lines.join("\n"), language: begun.language }];
  }
  try {
    return blocksOf(safe, new Effort(safe.length));
  } catch {
    return undefined;
  }
}

function textOf([block]: readonly Block[]): string {
  return block?.type === "code" ? block.text : "";
}
