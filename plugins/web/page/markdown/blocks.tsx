import type { Block, ListBlock } from "@scorel/kit/markdown/blocks";
import { Effort } from "@scorel/kit/markdown/effort";
import { spansOf } from "@scorel/kit/markdown/spans";
import type { TableBlock } from "@scorel/kit/markdown/table-rows";
import { createElement, type ReactNode } from "react";
import { LongText } from "../display/long-text.tsx";
import { useWords } from "../words/words.ts";
import { Code } from "./code.tsx";
import { SpanView } from "./span.tsx";

/** Renders blocks of Markdown. */
export function Blocks({ blocks }: { blocks: readonly Block[] }): ReactNode {
  return blocks.map((block, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no other identity, and those of a part stay in their order.
    <BlockView key={at} block={block} />
  ));
}

function BlockView({ block }: { block: Block }) {
  switch (block.type) {
    case "heading":
      // Headings in a reply are below those of the page.
      return createElement(`h${Math.min(6, block.level + 2)}`, undefined, <Inline text={block.text} />);
    case "paragraph":
      return (
        <p>
          <Inline text={block.text} />
        </p>
      );
    case "plain":
      return (
        <div className="plain">
          <LongText text={block.text} />
        </div>
      );
    case "code":
      return <Code text={block.text} language={block.language} />;
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case "list":
      return <List {...block} />;
    case "table":
      return <Table {...block} />;
    case "rule":
      return <hr />;
  }
}

function List({ start, items, isLoose }: ListBlock) {
  const words = useWords();
  const shown = items.map(({ isDone, blocks }, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the items of a list stay in their order.
    <li key={at} className={isDone === undefined ? undefined : "task"}>
      {isDone !== undefined && (
        <input
          type="checkbox"
          aria-label={isDone ? words.done : words.notDone}
          checked={isDone}
          readOnly
          tabIndex={-1}
        />
      )}
      <Blocks blocks={blocks} />
    </li>
  ));
  const className = isLoose ? "loose" : undefined;
  if (start === undefined) return <ul className={className}>{shown}</ul>;
  return (
    <ol className={className} start={start}>
      {shown}
    </ol>
  );
}

/** A word that may be broken to make a column of a table narrower. Shorter words, for example names and numbers, stay whole. */
const LONG_WORD = /\S{25}/;

function Table({ header, align, rows }: TableBlock) {
  const look = (at: number, text: string) =>
    [align[at] && `align-${align[at]}`, LONG_WORD.test(text) && "long-word"].filter(Boolean).join(" ") || undefined;
  return (
    <div className="table">
      <table>
        <thead>
          <tr>
            {header.map((cell, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the cells of a table stay in their order.
              <th key={at} scope="col" className={look(at, cell)}>
                <Inline text={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a table stay in their order.
            <tr key={at}>
              {header.map((_, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the cells of a table stay in their order.
                <td key={column} className={look(column, row[column] ?? "")}>
                  <Inline text={row[column] ?? ""} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Text with emphasis, code and links. */
function Inline({ text }: { text: string }): ReactNode {
  try {
    return spansOf(text, new Effort(text.length)).map((span, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: spans have no other identity.
      <SpanView key={at} span={span} />
    ));
  } catch {
    return <LongText text={text} />;
  }
}
