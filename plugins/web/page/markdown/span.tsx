import type { Span, SpanRole } from "@scorel/kit/markdown/node";
import { createElement, type ReactNode } from "react";
import { LongText } from "../display/long-text.tsx";
import { hostShown, safeAddress } from "./address.ts";

const TAGS: Partial<Record<SpanRole, "strong" | "em" | "s" | "code">> = {
  strong: "strong",
  emphasis: "em",
  struck: "s",
  code: "code",
};

/**
 * A span of inline Markdown. A link leads only to what it shows, and a picture becomes a link: nothing is loaded from other servers by
 * itself.
 */
export function SpanView({ span }: { span: Span }): ReactNode {
  const { roles, text, href } = span;
  if (roles.includes("mark")) return null;
  if (roles.includes("address")) return <AddressNote text={text} />;
  const shown = roles.reduceRight<ReactNode>(
    (inner, role) => {
      const Tag = TAGS[role];
      return Tag ? createElement(Tag, undefined, inner) : inner;
    },
    <LongText text={text} />,
  );
  const address = href === undefined ? undefined : safeAddress(href);
  if (address === undefined) return shown;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow" title={address}>
      {shown}
    </a>
  );
}

/** Shown after a link whose text differs from its target: the host that it leads to, or the whole address if it is not a valid link. */
function AddressNote({ text }: { text: string }) {
  const href = text.slice(1, -1);
  return (
    <span className="muted address">
      {" "}
      (<LongText text={hostShown(href) ?? href} />)
    </span>
  );
}
