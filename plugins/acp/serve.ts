import type { Invocation, Launch } from "@scorel/cli/contract";
import { optionsFrom } from "@scorel/host/command-line";
import type { Client, HostService, KnownSessionOptions } from "@scorel/host/contract";
import { createWire } from "@scorel/kit/rpc/wire";
import { keepStdoutClean } from "@scorel/kit/terminal/clean-stdout";
import { continued } from "@scorel/kit/text/one-line";
import { plainText } from "@scorel/kit/text/plain";
import type { TrustService } from "@scorel/trust/contract";
import { createAgent } from "./agent.ts";
import { Editor } from "./editor.ts";
import { Sessions } from "./sessions.ts";

/** The services of the host that `scorel acp` uses. */
export interface Surroundings {
  host: HostService;
  sessionOptions: KnownSessionOptions;
  launch: Pick<Launch, "version">;
  find(service: "trust"): TrustService | undefined;
}

/** `scorel acp`: serves an editor until it closes stdin, or until an interrupt. Returns the exit code. */
export async function serve(ctx: Surroundings, invocation: Invocation): Promise<number> {
  const { stderr, options } = invocation;
  const restoreStdout = keepStdoutClean();
  const log = (text: string) => void stderr.write(`scorel: ${plainText(continued(text))}\n`);
  const client = ctx.host.connect({ name: "editor" });
  try {
    const sdk = await import("@agentclientprotocol/sdk");
    const editor = new Editor(() => connection.client, log);
    const shared = { client, editor, trust: ctx.find("trust"), declined: new Set<string>(), log };
    const sessions = new Sessions(shared, optionsFrom(options, ctx.sessionOptions.known()));
    const app = createAgent({ sdk, editor, sessions, version: ctx.launch.version });
    const stopTelling = tellState(client, sessions);
    const connection = app.connect(createWire(invocation, () => sessions.cancel()));
    await connection.closed;
    stopTelling();
    await sessions.end();
    return 0;
  } finally {
    await client.close();
    restoreStdout();
  }
}

/** Shows in all sessions when the connection to the host is lost, and when it is back. Returns a function that stops this. */
function tellState(client: Client, sessions: Sessions): () => void {
  let isLost = false;
  const end = client.onState?.((state) => {
    if (state.state === "waiting" && !isLost) {
      isLost = true;
      const why = state.hostStopped ? "The host was stopped." : `The connection to the host is lost: ${state.reason}.`;
      const how = state.startedBy === undefined ? "" : `\n${state.startedBy} starts one again.`;
      void sessions.notice("warning", `${why} What is sent waits until it is back.${how}`);
    } else if (state.state === "live" && isLost) {
      isLost = false;
      void sessions.notice("info", state.sameHost ? "The connection to the host is back." : "The host is back.");
    }
  });
  return () => end?.();
}
