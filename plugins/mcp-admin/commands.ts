import type { CliCommand, CliOption, Invocation } from "@scorel/cli/contract";
import type { BaseContext } from "@scorel/kernel";

const json: CliOption = { flags: "--json", description: "Print JSON for programs" };

/** The commands `scorel mcp add|list|get|test|login|logout|remove|import`. */
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
    command("add", "<name> [command...]", "Add an MCP server: its program and arguments after --, or --url", [
      { flags: "--url <address>", description: "The address of a server that is reached over HTTP" },
      { flags: "--env <name=value>", description: "A variable for the program", repeatable: true },
      { flags: "--header <name=value>", description: "A header for the address", repeatable: true },
      { flags: "--timeout <seconds>", description: "Until a call is cancelled (default: 60)" },
    ]),
    command("list", "", "List the MCP servers that sessions here have", [json]),
    command("get", "<name>", "Show one MCP server", [json]),
    command("test", "<name>", "Start an MCP server and list its tools", [
      { flags: "--accept", description: "Accept its tools as it describes them now" },
      json,
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
