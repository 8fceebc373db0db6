import { expect, it } from "vitest";
import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import { DEFAULT_LIMITS } from "../../../plugins/relay/server/limits.ts";
import type { Peer } from "../../../plugins/relay/server/peer.ts";
import { Places } from "../../../plugins/relay/server/places.ts";

const hostAt = (address: string) => ({ address, place: undefined }) as unknown as Peer;

it("gives out half of all places, and the others again when some are free", () => {
  const places = new Places({ limits: DEFAULT_LIMITS, primitives: nodeCrypto, now: 0 }, () => {});
  const hosts = Array.from({ length: 32 ** 3 / 2 }, (_, index) => hostAt(String(index)));
  for (const host of hosts) expect(places.offer(host, 0)).toBeDefined();
  expect(places.offer(hostAt("late"), 0)).toBeUndefined();
  places.withdraw(hosts[0] as Peer);
  expect(places.offer(hostAt("late"), 0)).toBeDefined();
});

it("counts the places of an address, whose hosts can exchange theirs", () => {
  const places = new Places(
    { limits: { ...DEFAULT_LIMITS, placesOfAddress: 1 }, primitives: nodeCrypto, now: 0 },
    () => {},
  );
  const [one, other] = [hostAt("address"), hostAt("address")];
  const offered = [places.offer(one, 0), places.offer(other, 0), places.offer(one, 0)];
  places.sweep(DEFAULT_LIMITS.placeMs);
  offered.push(places.offer(other, DEFAULT_LIMITS.placeMs));
  expect(offered.map((place) => place !== undefined)).toEqual([true, false, true, true]);
});
