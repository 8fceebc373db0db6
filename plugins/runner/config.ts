import type { BaseContext } from "@scorel/kernel";
import { z } from "zod";

const weakens = (could: string) => ({ trust: { kind: "weakens", could } });
const names = z.array(z.string().min(1)).default([]);

export const config = z.strictObject({
  allow: names
    .describe("the only programs that skills can run; each command must then be a single program with its arguments")
    .meta(weakens("skills run programs that you do not allow")),
  deny: names
    .describe("programs that skills cannot run; each command must then be a single program with its arguments")
    .meta({ layers: "join" }),
  env: z
    .record(z.string(), z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/)))
    .default({})
    .describe("environment variables passed to the programs of a skill, keyed by the skill's name")
    .meta(weakens("programs of skills get these variables of your environment")),
  network: names
    .describe("skills whose programs can use the network")
    .meta(weakens("programs of these skills have the network")),
  host: names
    .describe("more folders for `host://` inputs, besides the project")
    .meta(weakens("programs of skills get files of these folders")),
});
export type RunnerConfig = z.output<typeof config>;
export type RunnerContext = BaseContext<RunnerConfig>;
