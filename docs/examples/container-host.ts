/** `scorel attach --container <name>` talks in a session of a host that runs in a container; save it in `~/.scorel/extensions`. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Transport } from "@scorel/gateway/contract";
import type { Channel, ChannelHandlers } from "@scorel/host/client";
import { definePlugin } from "@scorel/kernel";

export default definePlugin({
  id: "container-host",
  name: "Hosts in containers",
  version: "1.0.0",
  scope: "host",

  transports: (): Transport[] => [
    {
      name: "container",
      schemes: ["container:"],
      dialOptions: [{ flags: "--container <name>", description: "The host in a container, through docker" }],
      // Its clients come in over the socket in the container.
      listen: () => undefined,
      address: ({ container }) =>
        typeof container === "string" ? `container:${encodeURIComponent(container)}` : undefined,
      dial: ({ pathname }) => dial(decodeURIComponent(pathname)),
    },
  ],
});

/** Starts the proxy in the container: one line is one message. */
function dial(name: string): Channel {
  if (!/^[\w][\w.-]*$/.test(name)) throw new Error(`${JSON.stringify(name)} is not the name of a container`);
  const docker = spawn("docker", ["exec", "-i", name, "scorel", "host", "proxy", "--start"], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  let handlers: ChannelHandlers | undefined;
  let reason: string | undefined;
  // The end may come before somebody listens.
  let isOver = false;
  const over = (why?: string) => {
    if (isOver) return;
    isOver = true;
    reason = why;
    handlers?.closed(reason);
  };
  docker.on("error", ({ message }) => over(message));
  docker.on("close", (code) => over(`docker ended with ${code}`));
  docker.stdin.on("error", () => {});
  return {
    send: (message) => void docker.stdin.write(`${message}\n`),
    close: () => docker.stdin.end(),
    open: (given) => {
      handlers = given;
      if (isOver) return given.closed(reason);
      createInterface({ input: docker.stdout }).on("line", (line) => given.message(line));
    },
  };
}
