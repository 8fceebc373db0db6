import { type Running, type Scratch, scratch } from "./e2e/scorel.ts";

/** The command `relay serve` with a bus. After a kill, it can be started again on the same port. */
export class RelayCommand implements Disposable {
  readonly #scratch: Scratch = scratch();
  readonly #nats: string;
  #running: Running | undefined;
  address = "";

  constructor(nats: string) {
    this.#nats = nats;
  }

  async start(): Promise<void> {
    const port = this.address === "" ? "0" : new URL(this.address).port;
    this.#running = this.#scratch.start(["relay", "serve", "--port", port, "--nats", this.#nats], { open: true });
    const line = await this.#running.line((each) => each.startsWith("The relay listens at "));
    this.address = line.split(" at ")[1] as string;
  }

  async kill(): Promise<void> {
    this.#running?.child.kill("SIGKILL");
    await this.#running?.finished;
  }

  [Symbol.dispose](): void {
    this.#scratch[Symbol.dispose]();
  }
}
