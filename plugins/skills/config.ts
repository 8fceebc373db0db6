import { z } from "zod";

/** Trust metadata for a key: what could happen if an untrusted project set it. */
const weakens = (could: string) => ({ trust: { kind: "weakens", could } });

export const config = z.strictObject({
  roots: z
    .array(z.string().min(1))
    .default([])
    .describe(
      "more folders with skills, or archives of them: absolute, below ~/, below the project's root, file:// or https://",
    )
    .meta(weakens("the model is told skills from folders that your trust does not cover")),
  allowHosts: z
    .array(z.string().min(1))
    .default([])
    .describe("hosts, or host:port, that archives are fetched from also over http:// and in a private net")
    .meta(weakens("archives of skills are fetched over http://, and from this machine's own net")),
  disabled: z.array(z.string()).default([]).describe("names of skills that are never offered"),
  overview: z
    .number()
    .int()
    .min(0)
    .default(8_192)
    .describe("bytes that names and descriptions may take in the system prompt; descriptions are shortened first"),
  guidance: z
    .string()
    .optional()
    .describe('what the model is told of skills beside their list; "" tells it nothing (default: a short text)')
    .meta(weakens("the model is told other words about skills than you chose")),
  placement: z
    .enum(["append", "system", "tool_result"])
    .default("append")
    .describe("where loaded text stands: where it was first loaded, in the system prompt, or in the latest result"),
  load: z
    .enum(["session", "turn", "once"])
    .default("session")
    .describe("how long a skill stays loaded: for the session, for the turn, or for one request"),
  reattach: z
    .number()
    .int()
    .min(0)
    .default(100_000)
    .describe(
      "bytes of loaded skills that a compaction keeps, a quarter of the window at most; what does not fit is named",
    ),
});
export type SkillsConfig = z.output<typeof config>;
