import { expect } from "vitest";
import { startModelServer, text } from "../model-server.ts";
import { type Running, type Scratch, scratch } from "./scorel.ts";

export const none = ["--preset", "none"];

/** A host and a laptop that are paired and reach each other through a relay. */
export interface Relayed extends AsyncDisposable {
  /** Three computers, each with its own home. */
  relay: Scratch;
  host: Scratch;
  laptop: Scratch;
  address: string;
  /** The lines that the relay printed when it started. */
  printed: readonly string[];
  serving: Running;
  requests: readonly { text: string }[];
  kill(): Promise<void>;
  /** Stops the relay's process (SIGSTOP), which then does nothing until it is continued. */
  hang(): void;
  goOn(): void;
  /** Starts the relay again at the same address. */
  serveAgain(): Promise<void>;
  /** Shows a pairing code on the host, and enters it on the laptop. Returns what both printed. */
  pair(): Promise<{ host: string[]; laptop: string }>;
}

export async function relayed(): Promise<Relayed> {
  const [relay, host, laptop] = [scratch(), scratch({ inProcess: true }), scratch({ inProcess: true })];
  const server = await startModelServer((_request, index) => [text(`answer ${index}`)]);
  host.useModel(server.baseUrl);
  const serve = async (port: string) => {
    const running = relay.start(["relay", "serve", "--port", port], { open: true });
    const line = await running.line((each) => each.startsWith("The relay listens at "));
    const next = await running.line((each) => each.startsWith("On the computer of a host:"));
    return { running, printed: [line, next], address: line.split(" at ")[1] as string };
  };
  let { running, address, printed } = await serve("0");
  const kill = async () => {
    running.child.kill("SIGKILL");
    await running.finished;
  };
  const serving = host.start(["host", "serve", "--foreground", ...none], { open: true });
  await serving.line((line) => line.startsWith("socket: "));
  return {
    ...{ relay, host, laptop, address, printed, serving, requests: server.requests },
    kill,
    hang: () => void running.child.kill("SIGSTOP"),
    goOn: () => void running.child.kill("SIGCONT"),
    serveAgain: async () => {
      await kill();
      ({ running } = await serve(new URL(address).port));
    },
    pair: async () => {
      const offering = host.start([...none, "pair", "--relay", address, "--yes"], { open: true });
      const code = (await offering.line((line) => line.startsWith("Code: "))).slice("Code: ".length);
      const { stdout, code: exit, stderr } = await laptop.run(["pair", code, "--relay", address, "--name", "laptop"]);
      expect([exit, stderr]).toEqual([0, ""]);
      return { host: (await offering.finished).stdout.replaceAll(code, "<code>").trim().split("\n"), laptop: stdout };
    },
    [Symbol.asyncDispose]: async () => {
      for (const each of [relay, host, laptop]) each[Symbol.dispose]();
      await server.close();
    },
  };
}
