import type { Invocation, Launch } from "@scorel/cli/contract";
import { optionsFrom } from "@scorel/host/client";
import type { HostService, KnownSessionOptions } from "@scorel/host/contract";
import { continued } from "@scorel/kit/text/one-line";
import { plainText } from "@scorel/kit/text/plain";
import type { TrustService } from "@scorel/trust/contract";
import { createAgent } from "./agent.ts";
import { Editor } from "./editor.ts";
import { Sessions } from "./sessions.ts";
import { createWire, keepStdoutClean } from "./wire.ts";

/** What the command uses of the host. */
export interface Surroundings {
  host: HostService;
  sessionOptions: KnownSessionOptions;
  launch: Pick<Launch, "version">;
  find(service: "trust"): TrustService | undefined;
}

/** `scorel acp`: answers an editor until it closes stdin, or until an interrupt. Returns the exit code. */
export async function serve(ctx: Surroundings, invocation: Invocation): Promise<number> {
  const { stderr, options, interrupt } = invocation;
  const restoreStdout = keepStdoutClean();
  const log = (text: string) => void stderr.write(`scorel: ${plainText(continued(text))}\n`);
  const client = ctx.host.connect({ name: "editor" });
  try {
    const sdk = await import("@agentclientprotocol/sdk");
    const editor = new Editor(() => connection.client, log);
    const shared = { client, editor, trust: ctx.find("trust"), declined: new Set<string>(), log };
    const sessions = new Sessions(shared, optionsFrom(options, ctx.sessionOptions.known()));
    const app = createAgent({ sdk, editor, sessions, version: ctx.launch.version });
    const connection = app.connect(createWire(invocation, () => sessions.cancel()));
    const leave = () => connection.close();
    interrupt.addEventListener("abort", leave, { once: true });
    if (interrupt.aborted) leave();
    await connection.closed;
    await sessions.end();
    return 0;
  } finally {
    await client.close();
    restoreStdout();
  }
}
