import type { AppendEntry } from "@scorel/kernel";
import type { InstructionSnapshot, InstructionSource } from "./contract.ts";
import type { Part } from "./parts.ts";

/** Returns a notice to the user if instructions have changed since they were frozen; once per changed state. */
export function changesSince(
  snapshot: InstructionSnapshot,
  now: readonly Part[],
  told: string | undefined,
  sessionId: string,
): AppendEntry[] {
  const then = hashesOf([...snapshot.sections.flatMap(({ sources }) => sources), ...snapshot.cut]);
  const present = hashesOf(now);
  const names = [...new Set([...then.keys(), ...present.keys()])].filter(
    (name) => then.get(name) !== present.get(name),
  );
  const instructions = [...present].map(([name, hash]) => `${name} ${hash}`).join("\n");
  if (names.length === 0 || told === instructions) return [];
  const many = names.length > 1;
  const text = `${names.join(", ")} ${many ? "have" : "has"} changed since this session read ${many ? "them" : "it"}; it continues with what it was told. \`/refresh-instructions\` or \`scorel prompt refresh ${sessionId}\` reads all instructions again.`;
  const notice = {
    kind: "runtime_notice",
    origin: "system",
    visibility: "user",
    text,
    data: { instructions },
  } as const;
  return [{ type: "harness_item", payload: notice }];
}

function hashesOf(sources: readonly Pick<InstructionSource, "source" | "sha256">[]): Map<string, string> {
  return new Map(sources.flatMap(({ source, sha256 }) => (sha256 === undefined ? [] : [[source, sha256] as const])));
}
