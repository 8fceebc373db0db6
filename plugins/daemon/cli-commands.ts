import type { CliCommand, CliOption, Invocation } from "@scorel/cli/contract";
import type { RemoteClient } from "@scorel/host/client";
import { outputOption } from "@scorel/kit/terminal/output-option";
import type { DaemonContext } from "./context.ts";
import { noting, type OwnName } from "./own-name.ts";
import type { Serving } from "./serve.ts";

/** The state of this process that commands set and other contributions use. */
export interface ProcessState {
  serving: Serving | undefined;
  /** Whether this process is the home's daemon, which has a socket of its own. */
  isHost: boolean;
  /** The client of the host in `scorel attach --url`. */
  attached: RemoteClient | undefined;
  /** Claims a unique name for a terminal, which it keeps wherever its sessions move. Other programs get a name from each host. */
  ownName(given: string | undefined): OwnName | undefined;
}

export function cliCommands(ctx: DaemonContext, state: ProcessState): CliCommand[] {
  return [
    {
      noun: "host",
      action: "serve",
      otherActions: { start: "serve", run: "serve", restart: "serve --replace" },
      description: "Start a host that keeps running when the terminal is closed, and that several clients share",
      options: [
        { flags: "--foreground", description: "Run in this terminal, until Ctrl-C" },
        {
          flags: "--replace",
          description: "Stop the host that is already running; its running turns get 10 seconds to end",
        },
        { flags: "--yes", description: "Do not ask about addresses that others can reach" },
        ...transportOptions(ctx, "options"),
      ],
      run: async (invocation) => {
        state.isHost = invocation.options.foreground === true;
        return (await import("./commands.ts")).serveCommand(ctx, invocation, (begun) => {
          state.serving = begun;
        });
      },
    },
    {
      noun: "host",
      action: "status",
      description: "Show the running host: its version, sessions, clients and addresses; exits 1 if there is none",
      options: [outputOption],
      run: async (invocation) => (await import("./commands.ts")).statusCommand(ctx, invocation),
    },
    {
      noun: "host",
      action: "stop",
      description: "Stop the host; running turns get 10 seconds to end",
      run: async (invocation) => (await import("./commands.ts")).stopCommand(invocation),
    },
    {
      noun: "up",
      description: "Open the page in the browser; starts the host if none runs",
      options: [
        {
          flags: "--port <n>",
          description:
            "Port for the page, for a host that has none; default: the one used last, else 7777, or any free one",
        },
        { flags: "--no-open", description: "Print the link instead of opening a browser" },
        {
          flags: "--scope <list>",
          description: "What the page may do: view, prompt, approve; default: admin, everything",
        },
        { flags: "--at <url>", description: "Print the link for the address at which a proxy serves the page" },
      ],
      run: async (invocation) => (await import("./up.ts")).upCommand(ctx, invocation),
    },
    {
      noun: "attach",
      args: "[session]",
      completes: "session",
      description:
        "Continue a session of a running host, named by a part of its id or title; by default the latest one of this directory, or one from a list if several are open",
      options: [
        { flags: "--url <address>", description: "The host: a ws:// address, or the path of a socket" },
        { flags: "--list", description: "List the sessions of the host, to choose one by name" },
        { flags: "--plain", description: "Talk line by line, without the full-screen application" },
        ...transportOptions(ctx, "dialOptions"),
      ],
      run: (invocation) => runAttach(ctx, invocation, state),
    },
    {
      noun: "host",
      action: "proxy",
      description: "Carry messages between stdin and stdout and the host, for SSH and editors",
      options: [
        { flags: "--start", description: "Start a host if none runs" },
        {
          flags: "--greeting <word>",
          description: "Print this line first, so that callers can skip what a shell printed",
        },
      ],
      run: async (invocation) => {
        const start = async () => (await import("./background.ts")).startInBackground(invocation, []);
        return (await import("./proxy.ts")).proxyCommand(invocation, start);
      },
    },
    {
      noun: "host",
      action: "reset",
      description: "Stop the host, and delete its log, its tokens and what dead processes left behind",
      options: [{ flags: "--yes", description: "Do not ask" }],
      run: async (invocation) => (await import("./reset.ts")).resetCommand(ctx, invocation),
    },
    {
      noun: "host",
      action: "install",
      description: "Write a service file, with which the host starts when you log in (systemd, launchd)",
      options: [
        { flags: "--print", description: "Print the file instead of writing it" },
        { flags: "--force", description: "Replace a file that Scorel has not written" },
        { flags: "--yes", description: "Do not ask about addresses that others can reach" },
        ...transportOptions(ctx, "options"),
      ],
      run: async (invocation) => (await import("./install.ts")).installCommand(ctx, invocation),
    },
    {
      noun: "host",
      action: "uninstall",
      description: "Delete the service file",
      options: [{ flags: "--force", description: "Also delete a file that Scorel has not written" }],
      run: async (invocation) => (await import("./install.ts")).uninstallCommand(invocation),
    },
    {
      noun: "host",
      action: "logs",
      description: "Print the end of the host's log",
      options: [{ flags: "--lines <n>", description: "How many lines", default: "100" }],
      run: async (invocation) => (await import("./commands.ts")).logsCommand(invocation),
    },
  ];
}

/** The options of all transports: those to serve clients, or those to connect to a host. */
function transportOptions(ctx: DaemonContext, kind: "options" | "dialOptions"): CliOption[] {
  return ctx
    .collect("transports")
    .flatMap(({ plugin, value }) =>
      value.flatMap((transport) => (transport[kind] ?? []).map((option) => ({ ...option, plugin }))),
    );
}

async function runAttach(ctx: DaemonContext, invocation: Invocation, state: ProcessState) {
  const [{ attach }, { attachCommand, dialHost, namedAddress }] = await Promise.all([
    import("./attach.ts"),
    import("./dial.ts"),
  ]);
  const { url: _url, ...options } = invocation.options;
  const address = namedAddress(ctx, invocation.options);
  if (address !== undefined) {
    let own: OwnName | undefined;
    const name = () => {
      own = state.ownName("terminal");
      return own?.name ?? "terminal";
    };
    state.attached = noting(await dialHost(ctx, address, { ...options, name }), (sessionId) => own?.saysIn(sessionId));
  }
  const command = attachCommand(ctx, invocation.options);
  return attach(ctx, { ...invocation, options }, state.attached && { client: state.attached, command });
}
