/** A tool that checks whether a program listens on a port of this machine, with a TypeBox schema; save it in `~/.scorel/extensions`. */
import { connect } from "node:net";
import { type Static, Type } from "@mariozechner/pi-ai";
import { definePlugin } from "@scorel/kernel";

const parameters = Type.Object({
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  timeout: Type.Optional(Type.Number({ description: "Milliseconds; default 1000" })),
});

export default definePlugin({
  id: "port-check",
  name: "Port check",
  version: "1.0.0",
  tools: () => [
    {
      name: "PortCheck",
      description: "Says whether something listens on a port of this machine.",
      parameters,
      access: () => "read",
      async execute(_id, { port, timeout = 1_000 }: Static<typeof parameters>) {
        const text = (await listens(port, timeout)) ? `Something listens on ${port}.` : `Nothing listens on ${port}.`;
        return { content: [{ type: "text", text }] };
      },
    },
  ],
});

function listens(port: number, timeout: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, timeout });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.once("error", () => end(false));
  });
}
