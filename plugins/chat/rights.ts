import type { Rights } from "@scorel/host/contract";

/** Describes the rights that a user lacks; undefined if they have all. */
export function rightsText({ write, answer }: Rights): string | undefined {
  if (write && answer) return undefined;
  const lacks = [...(write ? [] : ["`prompt`"]), ...(answer ? [] : ["`approve`"])].join(" and ");
  const may = write
    ? "You may write in this session, but not answer its questions: they wait for somebody who may"
    : answer
      ? "You may read this session and answer its questions, but not write in it"
      : "You may read this session, but not write in it: others send messages and answer questions";
  return `${may}. Your connection does not include ${lacks}.`;
}
