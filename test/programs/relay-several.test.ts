import { hostname } from "node:os";
import { expect, it, onTestFinished } from "vitest";
import { type Scratch, scratch } from "../e2e/scorel.ts";
import { eventually } from "../eventually.ts";
import { startModelServer, text } from "../model-server.ts";
import { NatsServer } from "../nats.ts";
import { describeWith } from "../optional.ts";
import { RelayCommand } from "../relay-command.ts";

const none = ["--preset", "none"];
const name = hostname().split(".")[0] as string;

/** The relay that the host is connected to, as its owner sees it. */
async function relayOf(host: Scratch): Promise<string | undefined> {
  const { stdout } = await host.run(["device", "list", "--json"]);
  const { relays } = JSON.parse(stdout) as { relays: { address: string; state: string }[] };
  return relays.find(({ state }) => state === "connected")?.address;
}

describeWith("nats", "a host and a terminal that know two relays on a bus", () => {
  it("go on through the other one when one is killed, whichever it is", async () => {
    await using nats = await NatsServer.start();
    const [a, b] = [new RelayCommand(nats.url), new RelayCommand(nats.url)];
    onTestFinished(async () => void (await Promise.all([a.kill(), b.kill()])));
    await Promise.all([a.start(), b.start()]);
    using host = scratch();
    using laptop = scratch();
    const server = await startModelServer((_request, index) => [text(`answer ${index}`)]);
    onTestFinished(() => server.close());
    host.useModel(server.baseUrl, `\n[relay]\nurl = ["${a.address}", "${b.address}"]\n`);
    const serving = host.start(["host", "serve", "--foreground", ...none], { open: true });
    await serving.line((line) => line.startsWith("socket: "));
    const offering = host.start([...none, "pair", "--yes"], { open: true });
    const code = (await offering.line((line) => line.startsWith("Code: "))).slice("Code: ".length);
    await offering.line((line) => line === `  scorel pair ${code} --relay ${a.address},${b.address}`);
    // The laptop knows one of the host's two relays, and one that does not answer.
    const joined = await laptop.run(["pair", code, "--relay", `ws://127.0.0.1:1,${a.address}`, "--name", "laptop"]);
    expect([joined.code, joined.stderr]).toEqual([0, ""]);
    await offering.finished;
    const known = JSON.parse((await laptop.run(["device", "list", "--json"])).stdout) as {
      hosts: { relays: string[] }[];
    };
    expect(known.hosts[0]?.relays).toEqual(["ws://127.0.0.1:1/relay", a.address, b.address]);

    await host.run([...none, "-p", "said at the host"]);
    const talking = laptop.start(["attach", "--device", name], { open: true });
    const say = async (words: string, answer: string) => {
      talking.child.stdin?.write(`${words}\n`);
      await talking.line((line) => line.includes(answer));
    };
    await say("through the first", "answer 1");
    expect(await relayOf(host)).toBe(a.address);
    await a.kill();
    await say("through the second", "answer 2");
    await eventually(async () => expect(await relayOf(host)).toBe(b.address));
    await a.start();
    await b.kill();
    await say("through the first again", "answer 3");
    await Promise.all([a.kill(), b.kill()]);
    const apart = await laptop.run(["attach", "--device", name]);
    expect(apart.stderr).toMatch(/No relay leads to the host .* Tried: ws:\S+ \(.*\); ws:\S+ \(.*\); ws:\S+ \(.*\)\./);
    await a.start();
    await say("when one is back", "answer 4");
    talking.child.stdin?.end();
    expect((await talking.finished).code).toBe(0);
    const said = server.requests.at(-1)?.text as string;
    const each = ["said at the host", "through the first", "through the second", "through the first again", "when one"];
    expect(said).toMatch(new RegExp(each.join(".*"), "s"));
    for (const words of ["said at the host", "through the second", "through the first again", "when one is back"])
      expect(said.split(words)).toHaveLength(2);
    serving.child.kill("SIGTERM");
    await serving.finished;
  });
});
