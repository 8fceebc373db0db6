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

/** A piece of text. A link leads only where it says, and a picture is a link: nothing is loaded from elsewhere by itself. */
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

/** Behind a link whose text says something else: the host that it leads to, or all of an address that leads nowhere. */
function AddressNote({ text }: { text: string }) {
  const href = text.slice(1, -1);
  return (
    <span className="muted address">
      {" "}
      (<LongText text={hostShown(href) ?? href} />)
    </span>
  );
}
