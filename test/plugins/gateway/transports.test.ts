import { join } from "node:path";
import { connectHost, type RemoteOptions } from "@scorel/host/client";
import { describe } from "vitest";
import { dialSocket, listenOn } from "../../../plugins/socket/socket.ts";
import { type TransportCase, transportContract } from "../../contracts/transport.ts";
import { FaultProxy, type Faults } from "../../fault-proxy.ts";

const times: RemoteOptions["times"] = { firstRetry: 5, lastRetry: 20 };

/** Each connection carries more bytes than the one before, so that every message arrives in the end. */
const more = (connection: number) => Math.round(5_000 * 1.4 ** connection);

/** Serves clients over a Unix socket, through a proxy if there are faults. */
const socket =
  (faults?: Faults): TransportCase =>
  async ({ gateway, folder }) => {
    const path = join(folder, "run", "host.sock");
    const listening = await listenOn(path, gateway);
    const proxy = faults && new FaultProxy({ path }, faults);
    const front = proxy ? join(folder, "proxy.sock") : path;
    await proxy?.listen(front);
    return {
      connect: () => connectHost({ dial: () => dialSocket(front), version: "1.0.0", times }),
      async [Symbol.asyncDispose]() {
        await proxy?.[Symbol.asyncDispose]();
        await listening.close();
      },
    };
  };

describe("the host's own process", () => {
  transportContract(async ({ host }) => ({
    connect: async () => host.connect(),
    [Symbol.asyncDispose]: async () => {},
  }));
});
describe("a Unix socket", () => transportContract(socket()));
describe("a Unix socket that carries single bytes", () => transportContract(socket({ pieces: 1 })));
describe("a Unix socket that is late", () => transportContract(socket({ delayMs: 3 })));
describe("a Unix socket that is reset again and again", () => transportContract(socket({ after: more })));
describe("a Unix socket of which one direction ends again and again", () =>
  transportContract(socket({ after: more, fault: "half" })));
