/** The device's end of pairing: it has the code that the host shows. Runs in browsers, too. */

import { errors } from "../errors.ts";
import { parseCode } from "../protocol/code.ts";
import type { CloseReason } from "../protocol/frames.ts";
import type { Identity } from "../protocol/identity.ts";
import { InTurn } from "../protocol/in-turn.ts";
import type { Admission, PairedPeer } from "../protocol/pairing.ts";
import { GuestRun, type GuestStep } from "../protocol/pairing-guest.ts";
import type { Bytes, Primitives } from "../protocol/primitives.ts";
import { type ConnectOptions, connectRelay, type RelayConnection } from "./connection.ts";
import { type Tried, triedTexts } from "./first-reached.ts";

/** Milliseconds that a relay may take to answer if there are others to try. */
const ONE_OF_SEVERAL_MS = 4_000;
export interface JoinOptions {
  /** The code, as a person has typed it. */
  code: string;
  /** Addresses of the host's relays, in the order in which they are tried. */
  relays: readonly string[];
  /** Id of the host, if the pairing link contained it. */
  host?: Bytes | undefined;
  identity: Identity;
  /** Name under which the host's user sees this device. */
  name: string;
  primitives: Primitives;
  make: ConnectOptions["make"];
  /** Called when the code was right and the host's user is being asked. */
  confirmed(): void;
}

/** A host that has let this device in. */
export interface JoinedHost {
  host: PairedPeer;
  admission: Admission;
}

/** Pairs with the host that shows a code. Does not store anything. Throws RELAY errors. */
export async function joinHost(options: JoinOptions): Promise<JoinedHost> {
  const { code: typed, relays, primitives, make } = options;
  const { place } = parseCode(typed);
  const tried: Tried[] = [];
  for (const address of relays) {
    const who = { role: "guest" } as const;
    const limitMs = relays.length > 1 ? ONE_OF_SEVERAL_MS : undefined;
    let hasBegun = false;
    const begun = () => {
      hasBegun = true;
    };
    try {
      const connection = await connectRelay({ address, who, primitives, make, limitMs });
      return await run(connection, place, options, begun).finally(() => connection.close());
    } catch (thrown) {
      // After the other end has answered, another relay would get another guess at the code.
      if (hasBegun || relays.length === 1) throw thrown;
      tried.push({ address, thrown: thrown as Error });
    }
  }
  throw errors.RELAY_ALL({ host: "the host of the code", tried: triedTexts(tried) });
}

function run(connection: RelayConnection, place: string, options: JoinOptions, begun: () => void): Promise<JoinedHost> {
  const { code, host, identity, name, primitives, confirmed } = options;
  const route = connection.join(place);
  const guest = new GuestRun({
    ...{ primitives, code: parseCode(code), identity, name, route: route.id },
    ...(host && { host }),
  });
  return new Promise((resolve, reject) => {
    const inTurn = new InTurn();
    let isConfirmed = false;
    const take = (step: GuestStep) => {
      if ("reply" in step) route.send(step.reply);
      else if ("host" in step) resolve(step);
      else {
        isConfirmed = true;
        confirmed();
      }
    };
    route.use({
      // In order: if the host's user agrees at once, two messages arrive together.
      data: (bytes) => {
        begun();
        inTurn.run(() => guest.receive(bytes).then(take).catch(reject));
      },
      closed: (reason, thrown) => inTurn.run(() => reject(thrown ? noHost(thrown) : endedWith(reason, isConfirmed))),
    });
    void guest.begin().then((bytes) => route.send(bytes), reject);
  });
}

/** The error for a route that was closed by the host, or by the relay because of the host. */
function endedWith(reason: CloseReason | "lost", isConfirmed: boolean): Error {
  if (reason === "gone") return errors.RELAY_CODE_ENDED({ reason: "the host has left the relay" });
  if (reason === "limit") return errors.RELAY_CODE_ENDED({ reason: "the host or the relay has too many connections" });
  return isConfirmed ? errors.RELAY_DECLINED() : errors.RELAY_CODE_WRONG();
}

/** The error for a code at whose place there is no host. */
function noHost(thrown: Error): Error {
  const { reason } = (thrown as { data?: { reason?: string } }).data ?? {};
  return reason === "place" ? errors.RELAY_CODE_ENDED({ reason: "no host waits at it" }) : thrown;
}
