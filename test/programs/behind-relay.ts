import { scratch } from "../e2e/scorel.ts";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { FULL } from "./browser.ts";

const none = ["--preset", "none"];

/**
 * A relay and a host behind it. By default the relay has a separate address, because `browserStage` forwards the
 * browser's connections to the usual address to the host of its page. `args` are further arguments of `scorel relay
 * serve`.
 */
export async function behindRelay({ bind = "127.0.0.2", args = [] }: { bind?: string; args?: readonly string[] } = {}) {
  const [relay, host] = [scratch(), scratch()];
  const model = await startModelServer([
    text("The answer there."),
    toolCall("Write", { file_path: "there.txt", content: "Hello.\n" }),
    text("Written there."),
    text("The answer after the relay."),
  ]);
  host.useModel(model.baseUrl, FULL);
  const serve = async (port: string) => {
    const running = relay.start(["relay", "serve", "--port", port, "--bind", bind, ...args], { open: true });
    const line = await running.line((each) => each.startsWith("The relay listens at "));
    return { running, address: line.split(" at ")[1] as string };
  };
  let { running, address } = await serve("0");
  await host.run(["host", "serve"]);
  return {
    host,
    address,
    /** Shows a pairing code. Whoever enters it is accepted without a question. */
    offer: async (...more: string[]) => {
      const offering = host.start([...none, "pair", "--relay", address, "--yes", ...more], { open: true });
      const code = (await offering.line((line) => line.startsWith("Code: "))).slice("Code: ".length);
      return { code, line: offering.line, finished: offering.finished };
    },
    kill: async () => {
      running.child.kill("SIGKILL");
      await running.finished;
    },
    serveAgain: async () => {
      ({ running } = await serve(new URL(address).port));
    },
    async [Symbol.asyncDispose]() {
      await host.run(["host", "stop"]);
      await model.close();
      for (const each of [relay, host]) each[Symbol.dispose]();
    },
  };
}
