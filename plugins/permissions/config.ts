import { z } from "zod";
import { faultOf } from "./rules/rule.ts";
import type { Surroundings } from "./rules/rule-doubts.ts";

const rule = z.string().superRefine((text, ctx) => {
  const fault = faultOf(text);
  if (fault !== undefined)
    ctx.addIssue({ code: "custom", message: `the rule ${JSON.stringify(text)} can match nothing: ${fault}` });
});
const rules = (list: "allow" | "ask" | "deny", what: string) => {
  const examine = async (text: string, around: Surroundings) =>
    (await import("./rules/rule-doubts.ts")).examineRule(text, list, around);
  return z.array(rule.meta({ examine })).default([]).meta({ layers: "join" }).describe(what);
};

/** The table `[permissions]`. Lists from all layers are joined; a project can restrict the mode but not loosen it. */
export const config = z.strictObject({
  mode: z
    .enum(["full", "edits", "ask", "plan"])
    .optional()
    .meta({ layers: "narrow", unset: "ask" })
    .describe(
      "what runs without a question where no rule decides (default: `ask` if somebody can be asked, else `edits`)",
    ),
  allow: rules("allow", "calls that run without a question").meta({
    trust: { kind: "weakens", could: "these calls run without a question" },
  }),
  ask: rules("ask", "calls that always ask, even if something else allows them"),
  deny: rules("deny", "calls that are always denied"),
  read: z
    .array(z.string().min(1))
    .default([])
    .meta({ layers: "join", trust: { kind: "weakens", could: "files there are read without a question" } })
    .describe("files and folders outside the project that may be read, such as `~/notes` or `/opt/*/docs`"),
  unknown: z
    .enum(["declared", "ask", "deny"])
    .default("declared")
    .meta({ layers: "narrow", unset: "declared" })
    .describe(
      "how calls of tools that do not come with Scorel are approved: as the tool declares, with a question, or only if a rule allows them",
    ),
  readers: z
    .array(z.string().min(1))
    .default([])
    .meta({ layers: "own" })
    .describe("tools of project extensions that may run like reading tools if they declare that a call only reads"),
});
export type PermissionsConfig = z.output<typeof config>;
