import type { Operations, ThinkingLevel } from "@scorel/host/contract";
import type { BaseContext } from "@scorel/kernel";
import { beginningOf } from "@scorel/kit/text/cut";
import type {} from "@scorel/model/contract";
import type {} from "@scorel/tools/contract";
import { z } from "zod";
import type { CommandResult, SlashCommand, SlashContext } from "./contract.ts";
import { errors } from "./errors.ts";

const LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh"] as const;
const SHOWN_MODELS = 50;
/** Maximum characters of a tool's description. */
const LONGEST_SENTENCE = 100;

/** Creates the commands about models, thinking, tools and logins. */
export function modelCommands(ctx: BaseContext): Record<string, SlashCommand> {
  return {
    model: {
      summary: "Set the model for the next requests; without a name, show the current one",
      operations: [],
      args: z.object({ model: z.string().optional() }),
      complete: async (_key, typed) =>
        (await adminOf(ctx, "model").list(typed))
          .filter(({ ready }) => ready)
          .map(({ provider, id }) => `${provider}/${id}`),
      run: ({ model }: { model?: string }, context) =>
        model === undefined ? inUse(ctx, context) : changed("set_model", { model }, context),
    },
    think: {
      summary: "Set the thinking level; without one, show the current level",
      operations: [],
      args: z.object({ level: z.enum(LEVELS).optional() }),
      run: ({ level }: { level?: ThinkingLevel }, context) =>
        level === undefined ? levelInUse(context) : changed("set_thinking", { level }, context),
    },
    tools: {
      summary: "List the tools that the model can call",
      operations: ["get_status"],
      args: z.object({}),
      run: () => {
        const tools = ctx.find("tools")?.list() ?? [];
        if (tools.length === 0) throw errors.COMMAND_NOTHING({ name: "tools", what: "this session offers none" });
        const rows = tools.map(({ name, description }) => ({ name, description }));
        const width = Math.max(...rows.map(({ name }) => name.length));
        return {
          output: rows
            .map(({ name, description }) => `${name.padEnd(width)}  ${firstSentence(description)}`)
            .join("\n"),
          data: rows,
        };
      },
    },
    login: {
      summary: "Explain how to store a provider's key, which is never typed into a conversation",
      sealed: true,
      // The output names the host's providers, and only a user with a terminal on the host's computer can follow it.
      operations: "all",
      args: z.object({ provider: z.string() }),
      run: async ({ provider }: { provider: string }) => {
        if (provider === "custom" || provider === "local")
          return "Run `scorel login custom` in another terminal: it asks for the server and sets up one of its models. Then type /reload.";
        await adminOf(ctx, "login").waysIn(provider);
        return `Run \`scorel login ${provider}\` in another terminal: what is typed there is not shown, and the next request uses it.`;
      },
    },
    logout: {
      summary: "Forget a provider's stored key or subscription",
      operations: "all",
      sealed: true,
      args: z.object({ provider: z.string() }),
      run: async ({ provider }: { provider: string }) =>
        (await adminOf(ctx, "logout").logout(provider))
          ? `What was stored for ${provider} is forgotten.`
          : `Nothing was stored for ${provider}.`,
    },
  };
}

function adminOf(ctx: BaseContext, name: string) {
  const admin = ctx.find("modelAdmin");
  if (!admin) throw errors.COMMAND_NEEDS({ name, what: "a keeper of keys", plugin: "model" });
  return admin;
}

async function inUse(ctx: BaseContext, { sessionId, request }: SlashContext): Promise<CommandResult> {
  const { model, modelError } = await request("get_status", { sessionId });
  const ready = (await ctx.find("modelAdmin")?.list())?.filter((each) => each.ready) ?? [];
  const names = ready.map(({ provider, id }) => `${provider}/${id}`);
  const shown = names.slice(0, SHOWN_MODELS).map((name) => `  ${name}`);
  const more = names.length - shown.length;
  const others =
    names.length > 0 ? ["with a key or a subscription:", ...shown, ...(more > 0 ? [`  … ${more} more`] : [])] : [];
  return { output: [model ?? modelError?.message ?? "no model", ...others].join("\n"), data: { model, models: names } };
}

async function levelInUse({ sessionId, request }: SlashContext): Promise<CommandResult> {
  const { meta } = await request("get_status", { sessionId });
  const level = meta.thinkingLevel ?? LEVELS[0];
  return { output: `thinking ${level}`, data: { level } };
}

async function changed<O extends "set_model" | "set_thinking">(
  operation: O,
  params: Omit<Operations[O]["params"], "sessionId">,
  { sessionId, request }: SlashContext,
): Promise<CommandResult> {
  const { text, meta } = await request(operation, { sessionId, ...params } as Operations[O]["params"]);
  return { output: text, data: meta };
}

function firstSentence(text: string): string {
  const sentence = (/^[\s\S]*?[.:](?=\s|$)/.exec(text)?.[0] ?? text).replace(/\s+/g, " ");
  return sentence.length <= LONGEST_SENTENCE ? sentence : `${beginningOf(sentence, LONGEST_SENTENCE).trimEnd()}…`;
}
