import { appendFileSync, mkdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import { MAX_GRANT_SECONDS, REVOCATION_BYTES, signRevocation } from "../../../plugins/relay/protocol/grants.ts";
import { createIdentity } from "../../../plugins/relay/protocol/identity.ts";
import { StoredRevocations } from "../../../plugins/relay/server/revocations.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { startRelay, type TestPeer } from "./relays.ts";

async function revoke(host: TestPeer): Promise<void> {
  const { id } = await createIdentity(nodeCrypto);
  host.connection.revoke(await signRevocation(host.identity, { clientId: id, serial: 1n }));
}

describe("the stored revocations of a relay", () => {
  it("are readable after a write that failed with a part of its line", () => {
    const folder = temporaryFolder("scorel-relay-");
    const stored = new StoredRevocations(folder, Date.now());
    const signed = new Uint8Array(REVOCATION_BYTES);
    stored.revoke({ host: "host", client: "first", serial: 1n, signed }, Date.now());
    // The first half of a line, as a write to a full disk leaves it.
    appendFileSync(join(folder, "revocations.jsonl"), '{"host":"host","client":"sec');
    stored.revoke({ host: "host", client: "third", serial: 1n, signed }, Date.now());
    const again = new StoredRevocations(folder, Date.now());
    const isRevoked = (client: string) => again.isRevoked("host", client, 1n);
    expect(["first", "second", "third"].map(isRevoked)).toEqual([true, false, true]);
  });

  it("make room for others when they expire, also while the relay runs", () => {
    const stored = new StoredRevocations(undefined, 0);
    const signed = new Uint8Array(REVOCATION_BYTES);
    const revokes = (client: string, now: number) => stored.revoke({ host: "host", client, serial: 1n, signed }, now);
    for (let n = 0; n < 10_000; n++) revokes(`client ${n}`, n);
    const later = (MAX_GRANT_SECONDS + 60) * 1_000;
    expect([revokes("one more", 10_000), revokes("one more", later)]).toEqual([false, true]);
    expect(["client 0", "client 9999", "one more"].map((client) => stored.isRevoked("host", client, 1n))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("do not fill the disk when one client is revoked again and again", () => {
    const folder = temporaryFolder("scorel-relay-");
    const stored = new StoredRevocations(folder, Date.now());
    const signed = new Uint8Array(REVOCATION_BYTES);
    for (let serial = 1n; serial <= 500n; serial++)
      stored.revoke({ host: "host", client: "client", serial, signed }, Date.now());
    const lines = readFileSync(join(folder, "revocations.jsonl"), "utf8").trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(102);
    expect(new StoredRevocations(folder, Date.now()).isRevoked("host", "client", 500n)).toBe(true);
  });
});

describe("a host that revokes clients", () => {
  it("stays connected when the relay cannot store that, and is told nothing about the relay's disk", async () => {
    const folder = temporaryFolder("scorel-relay-");
    const relay = await startRelay({}, { revocations: new StoredRevocations(folder, Date.now()) });
    const host = await relay.host();
    const path = join(folder, "revocations.jsonl");
    rmSync(path);
    mkdirSync(path);
    await revoke(host);
    expect(await host.refused.next()).toBe("unavailable");
    rmdirSync(path);
    await revoke(host);
    await host.connection.offer();
    expect([...new StoredRevocations(folder, Date.now()).signed()]).toHaveLength(1);
  });

  it("is limited together with the other hosts of its address", async () => {
    const relay = await startRelay({ revocationsOfAddress: { burst: 2, perSecond: 0.001 } });
    const [one, other] = [await relay.host(), await relay.host()];
    const known = await signRevocation(one.identity, { clientId: other.identity.id, serial: 1n });
    one.connection.revoke(known);
    await revoke(one);
    await one.connection.offer();
    await revoke(other);
    expect(await other.refused.next()).toBe("limit");
    one.connection.revoke(known);
    await one.connection.offer();
    expect(one.refused.all).toEqual([]);
  });
});
