import { z } from "zod";

/** Trust metadata for a key: what could happen if an untrusted project set it. */
const weakens = (could: string) => ({ trust: { kind: "weakens", could } });

export const config = z.strictObject({
  roots: z
    .array(z.string().min(1))
    .default([])
    .describe(
      "more folders or archives with skills: absolute, below ~/, relative to the project's root, file:// or https://",
    )
    .meta(weakens("the model gets skills from folders that you did not trust")),
  allowHosts: z
    .array(z.string().min(1))
    .default([])
    .describe("hosts (or host:port) from which archives may also be fetched over http:// or in a private network")
    .meta(weakens("archives of skills are fetched over http:// or from your private network")),
  disabled: z.array(z.string()).default([]).describe("names of skills that are never offered"),
  overview: z
    .number()
    .int()
    .min(0)
    .default(8_192)
    .describe("the most bytes for names and descriptions in the system prompt; descriptions are shortened first"),
  guidance: z
    .string()
    .optional()
    .describe('instructions about skills for the model, besides their list; "" for none (default: a short text)')
    .meta(weakens("the model gets other instructions about skills than you chose")),
  placement: z
    .enum(["append", "system", "tool_result"])
    .default("append")
    .describe(
      "where a loaded skill is placed: where it was first loaded, in the system prompt, or in the latest tool result",
    ),
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
      "bytes of loaded skills that a compaction keeps, at most a quarter of the context window; others are listed by name",
    ),
});
export type SkillsConfig = z.output<typeof config>;
