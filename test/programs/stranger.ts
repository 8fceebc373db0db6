import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { WebSocket, WebSocketServer } from "ws";

/** The answer to a message of a page; undefined for none. */
type Reply = (message: Record<string, unknown>) => object | undefined;

/** Another program that listens on the port of a host that has ended. It records everything that it receives. */
export class Stranger implements AsyncDisposable {
  /** All received bytes, and the text of all messages, which are masked in the bytes. */
  readonly heard: string[] = [];
  /** Texts of the messages that pages sent. */
  readonly messages: string[] = [];
  /** The requested paths. */
  readonly paths: string[] = [];
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private readonly ends = new Set<WebSocket>();

  private constructor(take: (stranger: Stranger, page: WebSocket) => void) {
    this.server = createServer((request, response) => {
      this.paths.push(request.url ?? "");
      response.writeHead(200, { "Content-Type": "text/html" }).end("<title>Scorel</title>");
    });
    this.server.on("connection", (socket) => {
      this.sockets.add(socket);
      socket.on("error", () => {});
      socket.on("data", (bytes: Buffer) => void this.heard.push(bytes.toString("latin1")));
    });
    const accepting = new WebSocketServer({ server: this.server });
    accepting.on("connection", (page) => {
      this.follow(page);
      take(this, page);
    });
  }

  /** Starts one that answers messages of pages with `reply`. */
  static at(port: number, reply: Reply): Promise<Stranger> {
    return new Stranger((stranger, page) =>
      page.on("message", (data) => {
        const answer = reply(stranger.hear(String(data)));
        if (answer) page.send(JSON.stringify(answer));
      }),
    ).listen(port);
  }

  /** Starts one that forwards all messages to a host at another address, in the name of that host's own page. */
  static relay(port: number, address: string): Promise<Stranger> {
    return new Stranger((stranger, page) => {
      const host = new WebSocket(`${address.replace("http", "ws")}/ws`, { origin: address });
      stranger.follow(host);
      const opened = new Promise((resolve) => host.once("open", resolve));
      page.on("message", (data) => {
        stranger.hear(String(data));
        void opened.then(() => host.send(String(data)));
      });
      host.on("message", (data) => page.send(String(data)));
      host.on("close", () => page.close());
    }).listen(port);
  }

  private hear(text: string): Record<string, unknown> {
    this.heard.push(text);
    this.messages.push(text);
    return JSON.parse(text) as Record<string, unknown>;
  }

  private follow(socket: WebSocket): void {
    this.ends.add(socket);
    socket.on("error", () => {});
  }

  private async listen(port: number): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      this.server.once("error", reject).listen(port, "127.0.0.1", resolve);
    });
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.ends) end.terminate();
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
