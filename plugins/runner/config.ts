import type { BaseContext } from "@scorel/kernel";
import { z } from "zod";

const weakens = (could: string) => ({ trust: { kind: "weakens", could } });
const names = z.array(z.string().min(1)).default([]);

export const config = z.strictObject({
  allow: names
    .describe("the only programs that commands may be; then a command is one program with its arguments")
    .meta(weakens("commands of skills are other programs than you allow")),
  deny: names
    .describe("programs that commands may not be; then a command is one program with its arguments")
    .meta({ layers: "join" }),
  env: z
    .record(z.string(), z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/)))
    .default({})
    .describe("variables of your environment that a skill's programs get, by the skill's name")
    .meta(weakens("programs of skills get these variables of your environment")),
  network: names
    .describe("skills whose programs have the network")
    .meta(weakens("programs of these skills have the network")),
  host: names
    .describe("folders that `host://` inputs may be taken from, beside the project")
    .meta(weakens("files of these folders are given to programs of skills")),
});
export type RunnerConfig = z.output<typeof config>;
export type RunnerContext = BaseContext<RunnerConfig>;
