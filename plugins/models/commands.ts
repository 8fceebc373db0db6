import type { CliCommand, Invocation } from "@scorel/cli/contract";
import type { Kernel } from "@scorel/kernel";
import { outputOption } from "@scorel/kit/terminal/output-option";
import { failureText } from "@scorel/kit/values/failure-text";
import type { ModelAdminService } from "@scorel/model/contract";
import type { Composition } from "@scorel/workspace/contract";
import { errors } from "./errors.ts";

/** Creates the commands `scorel model list|check`, `scorel login` and `scorel logout`. */
export function modelCommands(composition: Composition): CliCommand[] {
  type Run = (invocation: Invocation, admin: ModelAdminService, failures: Kernel["failures"]) => Promise<number>;
  const command = (run: Run): CliCommand["run"] => {
    return async (invocation) => {
      const { withAdmin } = await import("./admin.ts");
      const place = { cwd: invocation.cwd, model: invocation.options.model as string | undefined };
      return withAdmin(composition, place, (admin, failures) => run(invocation, admin, failures));
    };
  };
  return [
    {
      noun: "model",
      action: "list",
      args: "[filter]",
      description:
        "List the models that you have a key for, or those whose name contains the filter, with windows and prices",
      options: [{ flags: "--all", description: "List the models of all known providers" }, outputOption],
      run: command(list),
    },
    {
      noun: "model",
      action: "check",
      description: "Send one small request to the model in use, and explain what failed",
      run: command(check),
    },
    {
      noun: "login",
      args: "[provider]",
      completes: "provider",
      description:
        "Store a provider's key, typed unseen or piped, log in to a subscription at its site, or set up your own server (custom)",
      options: [{ flags: "--with <way>", description: "How to log in", values: ["key", "subscription"] }],
      run: command(login(composition)),
    },
    {
      noun: "logout",
      args: "<provider>",
      completes: "provider",
      description: "Forget a provider's stored key or subscription",
      run: command(logout),
    },
  ];
}

async function list(
  { args, options, stdout, stderr }: Invocation,
  admin: ModelAdminService,
  failures: Kernel["failures"],
): Promise<number> {
  const [filter = ""] = args;
  const models = await admin.list(filter);
  for (const failure of failures) stderr.write(`scorel: ${failureText(failure)}\n`);
  if (models.length === 0) throw errors.MODELS_NO_MATCH({ filter });
  const isWhole = filter !== "" || options.all === true;
  const usable = models.filter(({ ready, configured }) => ready || configured);
  const shown = isWhole || usable.length === 0 ? models : usable;
  const { hintText, listText } = await import("./text.ts");
  stdout.write(options.output === "json" ? `${JSON.stringify(shown)}\n` : listText(shown));
  if (!isWhole) stderr.write(hintText(models.length, usable.length));
  return 0;
}

async function check({ interrupt, stdout }: Invocation, admin: ModelAdminService): Promise<number> {
  const { checkText } = await import("./text.ts");
  const outcome = await admin.check(interrupt);
  stdout.write(checkText(outcome));
  return outcome.problem === undefined ? 0 : 1;
}

function login(composition: Composition) {
  return async (invocation: Invocation, admin: ModelAdminService): Promise<number> => {
    const { CUSTOM, loginToServer } = await import("./custom-login.ts");
    const { login, providerOf } = await import("./login.ts");
    const provider = await providerOf(invocation);
    if (!CUSTOM.includes(provider)) return login(invocation, provider, admin);
    const { withAdmin } = await import("./admin.ts");
    const { cwd, interrupt } = invocation;
    return loginToServer(invocation, admin, (table) =>
      withAdmin(composition, { cwd, table }, (own) => own.check(interrupt)),
    );
  };
}

async function logout({ args, stdout }: Invocation, admin: ModelAdminService): Promise<number> {
  const provider = args[0] as string;
  const had = await admin.logout(provider);
  stdout.write(had ? `Forgot what was stored for ${provider}.\n` : `There was nothing stored for ${provider}.\n`);
  return 0;
}
