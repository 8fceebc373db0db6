import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { NatsBus } from "../../plugins/relay/server/bus/nats.ts";
import { type NatsSettings, natsSettings } from "../../plugins/relay/server/bus/nats-settings.ts";
import { testBackplane } from "../contracts/backplane.ts";
import { scratch } from "../e2e/scorel.ts";
import { NatsServer } from "../nats.ts";
import { describeWith } from "../optional.ts";
import { grantFor, listen, say, startRelay } from "../plugins/relay/relays.ts";

const PASSWORD = "open-sesame-1234";

function join(given: Record<string, unknown>, said: string[] = []) {
  return NatsBus.join(natsSettings(given, {}) as NatsSettings, (message) => said.push(message));
}

async function startNats(more?: string): Promise<NatsServer> {
  const server = await NatsServer.start(more);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

describeWith("nats", "relays with a bus of NATS", () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await NatsServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  testBackplane(() => join({ nats: server.url }));
});

describeWith("nats", "a relay whose bus is lost", () => {
  it("tells everybody who uses it, continues with its own routes, and reaches other relays again when the bus is back", async () => {
    const nats = await startNats();
    const said: string[] = [];
    const a = await startRelay({}, { bus: await join({ nats: nats.url }) });
    const b = await startRelay({}, { bus: await join({ nats: nats.url }, said) });
    const [host, neighbour, client] = await Promise.all([a.host(), b.host(), b.client()]);
    const grant = await grantFor(host.identity, client.identity);
    const [far, near] = [
      client.connection.open(grant),
      client.connection.open(await grantFor(neighbour.identity, client.identity)),
    ];
    const [atFar, atNear] = [listen(await host.routes.next()), listen(await neighbour.routes.next())];
    client.connection.watch(grant);
    expect(await client.presence.next()).toBe(true);
    const farEnd = listen(far);
    await nats.kill();
    // Sent before or after the relays have noticed: the text does not arrive, and the client gets an error.
    say(far, "lost");
    say(near, "kept");
    expect(await atNear.texts.next()).toBe("kept");
    expect(await Promise.all([farEnd.closed.next(), atFar.closed.next()])).toEqual(["unavailable", "unavailable"]);
    expect(atFar.texts.all).toEqual([]);
    expect(await client.presence.next()).toBe(false);
    expect(await listen(client.connection.open(grant)).closed.next()).toBe("unavailable");
    await nats.start();
    expect(await client.presence.next()).toBe(true);
    const again = client.connection.open(grant);
    say(again, "again");
    expect(await listen(await host.routes.next()).texts.next()).toBe("again");
    expect(said).toEqual([expect.stringContaining("cannot use its bus"), "The relay is on its bus again."]);
  });

  it("starts without it, and later announces hosts that connected in the meantime", async () => {
    const nats = await startNats();
    await nats.kill();
    const [a, b] = [
      await startRelay({}, { bus: await join({ nats: nats.url }) }),
      await startRelay({}, { bus: await join({ nats: nats.url }) }),
    ];
    const [older, client] = await Promise.all([a.host(), b.client()]);
    const newer = await b.host(older.identity);
    expect([a.relay.counts.hosts, b.relay.counts.hosts]).toEqual([1, 1]);
    await nats.start();
    // Only one of the two connections can be the host's, which neither relay could know before.
    expect(await older.closed.next()).toBe("superseded");
    client.connection.open(await grantFor(newer.identity, client.identity));
    expect(await newer.routes.next()).toBeDefined();
  });
});

describeWith("nats", "who may use a bus", () => {
  const more = `authorization { user: relay, password: "${PASSWORD}" }\n`;
  const address = ({ port }: NatsServer, login = "") => `nats://${login}127.0.0.1:${port}`;

  it("is checked by NATS, and messages about it contain no password", async () => {
    const nats = await startNats(more);
    const refused = await join({ nats: address(nats, `relay:${PASSWORD}-wrong@`) }).catch((thrown: Error) => thrown);
    expect(refused).toMatchObject({ code: "RELAY_BUS" });
    expect(JSON.stringify([refused, (refused as Error).message, (refused as Error).stack])).not.toContain(PASSWORD);
    const bus = await join({ nats: address(nats, `relay:${PASSWORD}@`) });
    await bus.close();
  });

  it("is given to the command in its environment, or in a file", async () => {
    const nats = await startNats(more);
    using relay = scratch();
    const file = relay.file("login", `relay:${PASSWORD}\n`);
    const ways: { args: string[]; env: Record<string, string> }[] = [
      { args: [], env: { SCOREL_RELAY_NATS: address(nats, `relay:${PASSWORD}@`) } },
      { args: ["--nats", address(nats), "--nats-credentials", file], env: {} },
    ];
    for (const { args, env } of ways) {
      const running = relay.start(["relay", "serve", "--port", "0", ...args], { open: true, env });
      await running.line((line) => line === `It shares the bus at 127.0.0.1:${nats.port}`);
      const status = await relay.run(["relay", "status"]);
      expect(status.stdout).toContain("bus: connected");
      running.child.kill("SIGTERM");
      const { stdout, stderr } = await running.finished;
      expect(stdout + stderr).not.toContain(PASSWORD);
    }
    const wrong = await relay.run(["relay", "serve", "--port", "0", "--nats", address(nats)]);
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`cannot use its bus at 127.0.0.1:${nats.port}`),
    });
  });

  it("needs a server that takes the longest messages", async () => {
    const nats = await startNats("max_payload: 65536\n");
    await expect(join({ nats: nats.url })).rejects.toMatchObject({
      code: "RELAY_BUS",
      message: expect.stringContaining("max_payload"),
    });
  });
});
