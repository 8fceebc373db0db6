import type {} from "@scorel/chat/contract";
import type { CliOption, Invocation } from "@scorel/cli/contract";
import type {} from "@scorel/host/contract";
import { definePlugin, type PluginContext } from "@scorel/kernel";
import { errors } from "./errors.ts";

const options: CliOption[] = [
  { flags: "-p, --print <prompt>", description: "Answer one prompt (piped input is appended) and exit" },
  { flags: "--output <format>", description: "With -p: what goes to stdout", values: ["text", "json", "events"] },
  { flags: "--session <id>", description: "Go on with this session; the beginning of its id is enough" },
  { flags: "--continue", description: "Go on with the latest session of this directory" },
];

/** `scorel` itself: one prompt and its answer with `-p`, else a conversation by the service `chat`. */
export default definePlugin({
  id: "print",
  name: "Print",
  version: "0.1.0",
  scope: "host",
  needs: ["host"],

  cliCommands: (ctx) => [
    {
      noun: "",
      description: "Talk with an agent in this directory; with -p, answer one prompt",
      options,
      run: (invocation) =>
        invocation.options.print === undefined ? converse(ctx, invocation) : print(ctx, invocation),
    },
  ],
});

type Context = PluginContext<unknown, "host">;

async function print({ host }: Context, invocation: Invocation): Promise<number> {
  const { run } = await import("./turn.ts");
  return run(host, invocation);
}

function converse(ctx: Context, invocation: Invocation): Promise<number> {
  if (invocation.options.output !== undefined) throw errors.PRINT_OUTPUT_ALONE();
  const chat = ctx.find("chat");
  if (!chat) throw errors.PRINT_NO_PROMPT();
  return chat.run(invocation);
}
