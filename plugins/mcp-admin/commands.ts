import type { CliCommand, CliOption, Invocation } from "@scorel/cli/contract";
import type { BaseContext } from "@scorel/kernel";
import { outputOption } from "@scorel/kit/terminal/output-option";

const scope: CliOption = {
  flags: "-s, --scope <scope>",
  description: "Who has it: you everywhere, you in this project (local), or all who trust this project",
  values: ["user", "local", "project"],
  default: "user",
};

/** The commands `scorel mcp add|add-json|list|get|test|login|logout|remove|import`. */
export function mcpCommands(ctx: BaseContext): CliCommand[] {
  type Actions = typeof import("./actions.ts")["actions"];
  const command = (
    action: keyof Actions,
    args: string,
    description: string,
    options: CliOption[] = [],
  ): CliCommand => ({
    noun: "mcp",
    action,
    ...(args !== "" && { args }),
    description,
    ...(options.length > 0 && { options }),
    run: async (invocation: Invocation) => (await import("./actions.ts")).actions[action](invocation, ctx),
  });
  return [
    command("add", "<name> [command...]", "Add an MCP server: its address, or its program and arguments after --", [
      { flags: "--url <address>", description: "The address of a server that is reached over HTTP" },
      { flags: "-e, --env <name=value>", description: "A variable for the program", repeatable: true },
      { flags: "-H, --header <name=value>", description: "A header for the address", repeatable: true },
      { flags: "--bearer-token-env-var <name>", description: "The variable with the key that the address wants" },
      { flags: "--timeout <seconds>", description: "Seconds until a call is cancelled (default: 60)" },
      {
        flags: "-t, --transport <kind>",
        description: "How it is reached, if the rest does not say it",
        values: ["stdio", "http", "sse"],
      },
      scope,
    ]),
    command("add-json", "<name> <json>", "Add an MCP server that is described in JSON, as in .mcp.json", [scope]),
    command("list", "", "List the MCP servers that sessions here have", [outputOption]),
    command("get", "<name>", "Show one MCP server", [outputOption]),
    command("test", "<name>", "Start an MCP server and list its tools", [
      { flags: "--accept", description: "Accept its tools as it describes them now" },
      outputOption,
    ]),
    command("login", "<name>", "Log in at an MCP server, in a browser", [
      { flags: "--yes", description: "Agree when another host than that of the login page gets the login" },
    ]),
    command("logout", "<name>", "Forget the login at an MCP server"),
    command("remove", "<name>", "Remove an MCP server from your config.toml"),
    command(
      "import",
      "[program]",
      "Add the MCP servers of claude-code or codex to your config.toml (default: of both)",
      [{ flags: "--yes", description: "Do not ask" }],
    ),
  ];
}
