import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/workspace/contract";
import { z } from "zod";
import type {} from "./contract.ts";
import { childLimits } from "./inherited.ts";
import { misspelt, PRESETS } from "./presets.ts";
import { createTools } from "./service.ts";

/** Trust metadata for a key: what could happen if an untrusted project set it. */
const weakens = (could: string) => ({ trust: { kind: "weakens", could } });

/** The tool registry: collects contributed tools, prepares them for the agent loop and keeps calls in source order. */
export default definePlugin({
  id: "tools",
  name: "Tools",
  version: "0.1.0",
  provides: ["tools"],
  sessionOptions: () => [
    {
      key: "tools",
      kind: "texts",
      flag: { flags: "--tools <names>", description: "Offer only these tools, for example Read,Grep" },
    },
  ],
  config: z.strictObject({
    preset: z
      .enum(PRESETS)
      .default("all")
      .describe("which tools the model is offered")
      .meta(weakens("the model is offered other tools than you chose")),
    allow: z
      .array(z.string())
      .default([])
      .describe("names of tools offered in addition to those of the preset")
      .meta({ ...weakens("the model is offered tools that you did not choose"), doubt: misspelt }),
    without: z
      .array(z.string())
      .default([])
      .describe("names of tools that are not offered")
      .meta({ ...weakens("the model is offered tools that you switched off"), doubt: misspelt }),
    replace: z
      .array(z.string())
      .default([])
      .describe("names of tools that an extension's tool of that name replaces")
      .meta({ ...weakens("an extension's tools run instead of Scorel's"), doubt: misspelt }),
    bash: z
      .strictObject({
        sandbox: z
          .boolean()
          .default(false)
          .describe("commands run in the sandbox: the project can be written, nothing else")
          .meta(weakens("commands run outside the sandbox")),
        network: z
          .boolean()
          .default(false)
          .describe("commands in the sandbox have the network")
          .meta(weakens("commands in the sandbox have the network")),
      })
      .prefault({})
      .describe("how the tool Bash runs commands"),
  }),

  activate(ctx) {
    const tools = createTools(ctx);
    ctx.provide("tools", tools);
    return { childLimits: () => childLimits(tools) };
  },
});
