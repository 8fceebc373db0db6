import type {} from "@scorel/chat/contract";
import type { Invocation } from "@scorel/cli/contract";
import type {} from "@scorel/host/contract";
import { definePlugin, type PluginContext } from "@scorel/kernel";
import { resumeCommand } from "@scorel/kit/text/resume-command";
import type {} from "@scorel/trust/contract";
import { errors } from "./errors.ts";
import { optionsOf, printOnly } from "./options.ts";

/**
 * Plugin `print`: the command `scorel`, with one prompt and answer for `-p`, else a conversation by the service `chat`.
 */
export default definePlugin({
  id: "print",
  name: "Print",
  version: "0.1.0",
  scope: "host",
  needs: ["host", "sessionOptions"],

  cliCommands: (ctx) => [
    {
      noun: "",
      args: "[prompt]",
      description:
        "Talk with an agent in this directory, beginning with the prompt if there is one; with -p, answer one prompt",
      options: optionsOf(ctx.sessionOptions),
      opensSession: true,
      run: (invocation) => {
        const asked = isPiped(invocation)
          ? { ...invocation, options: { ...invocation.options, print: "" } }
          : invocation;
        return asked.options.print === undefined ? converse(ctx, asked) : print(ctx, withPrompt(asked));
      },
    },
  ],
});

type Context = PluginContext<unknown, "host" | "sessionOptions">;

/**
 * Whether a program gives the input: then the command does the same as with `-p`, as for `git diff | scorel "review this"`. Lines that anyone
 * may have written neither become turns of their own nor slash commands. Options that only a conversation has keep it one.
 */
function isPiped({ options, stdin }: Invocation): boolean {
  return (
    !stdin.isTTY &&
    options.print === undefined &&
    options.plain !== true &&
    options.watch !== true &&
    options.resume !== true
  );
}

/** Takes the argument as the prompt if `-p` has none, as in `scorel -p --model m "mend it"` and `scorel "mend it" -p`. */
function withPrompt(invocation: Invocation): Invocation {
  const { options, args } = invocation;
  const [first, ...more] = args;
  return options.print === "" && first !== undefined
    ? { ...invocation, options: { ...options, print: first }, args: more }
    : invocation;
}

async function print(ctx: Context, invocation: Invocation): Promise<number> {
  const { run } = await import("./turn.ts");
  return run(ctx.host, ctx.sessionOptions, invocation, {
    tell: (cwd) => ctx.find("trust")?.tell(cwd),
    comeBack: (sessionId) => resumeCommand(sessionId, ctx.find("launch")?.preset),
  });
}

function converse(ctx: Context, invocation: Invocation): Promise<number> {
  const stray = Object.keys(printOnly).find((key) => invocation.options[key] !== undefined);
  if (stray !== undefined) throw errors.PRINT_PRINT_ONLY({ option: printOnly[stray]?.flags.split(" ")[0] ?? stray });
  const chat = ctx.find("chat");
  if (!chat) throw errors.PRINT_NO_PROMPT();
  return chat.run(invocation);
}
