import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A port on which no program listens, so that a server that was killed can be started there again. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A NATS server of a test. */
export class NatsServer implements AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly #config: string;
  readonly #folder: string;
  #child: ChildProcess | undefined;

  private constructor(port: number, more: string) {
    this.port = port;
    this.url = `nats://127.0.0.1:${port}`;
    this.#folder = mkdtempSync(join(tmpdir(), "scorel-nats-"));
    this.#config = join(this.#folder, "nats.conf");
    writeFileSync(this.#config, `listen: "127.0.0.1:${port}"\n${more}`);
  }

  /** Starts one server. `more` is added to its configuration. */
  static async start(more = ""): Promise<NatsServer> {
    const server = new NatsServer(await freePort(), more);
    await server.start();
    return server;
  }

  /** Starts servers that forward messages to each other. */
  static async cluster(size: number): Promise<NatsServer[]> {
    const ports = await Promise.all(Array.from({ length: size }, freePort));
    const routes = ports.map((port) => `"nats://127.0.0.1:${port}"`).join(", ");
    return Promise.all(
      ports.map((port) =>
        NatsServer.start(`cluster { name: test, listen: "127.0.0.1:${port}", routes: [${routes}] }\n`),
      ),
    );
  }

  /** Resolves when the server accepts connections. */
  async start(): Promise<void> {
    const child = spawn("nats-server", ["-c", this.#config], { stdio: ["ignore", "ignore", "pipe"] });
    this.#child = child;
    let said = "";
    await new Promise<void>((resolve, reject) => {
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        if (said.includes("Server is ready")) resolve();
      });
      child.on("exit", () => reject(new Error(`nats-server has ended: ${said}`)));
    });
  }

  /** Kills the server, and resolves when it has ended. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
