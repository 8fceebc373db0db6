import { errors } from "../errors.ts";
import { homeIdentity } from "../host/identity.ts";
import { nodeCrypto } from "../node-crypto.ts";
import { connectRelay } from "../peer/connection.ts";
import { nodeSocket } from "../peer/node-socket.ts";
import { base64url } from "../protocol/bytes.ts";
import { parseCode } from "../protocol/code.ts";
import { joinKeys } from "../protocol/identity.ts";
import { InTurn } from "../protocol/in-turn.ts";
import { GuestRun, type GuestStep } from "../protocol/pairing.ts";
import type { Bytes } from "../protocol/primitives.ts";
import { keepHost, type PairedHost } from "./hosts.ts";

interface PairOptions {
  code: string;
  /** The address of the relay. */
  relay: string;
  /** The id of the host, if a link has named it. */
  host?: Bytes | undefined;
  /** What people see of this computer. */
  name: string;
  /** The code was right, and the host's user is asked. */
  confirmed(): void;
}

/** Pairs this computer with the host that shows a code, and stores it. Throws RELAY errors. */
export async function pairWith({ code: typed, relay, host, name, confirmed }: PairOptions): Promise<PairedHost> {
  const code = parseCode(typed);
  const identity = await homeIdentity();
  const connection = await connectRelay({
    address: relay,
    who: { role: "guest" },
    primitives: nodeCrypto,
    make: nodeSocket,
  });
  try {
    const route = connection.join(code.place);
    const run = new GuestRun({ primitives: nodeCrypto, code, identity, name, route: route.id, ...(host && { host }) });
    const inTurn = new InTurn();
    let isConfirmed = false;
    const paired = await new Promise<Extract<GuestStep, { admission: unknown }>>((resolve, reject) => {
      route.use({
        // One after the other: a host whose user says yes at once sends two messages that arrive together.
        data: (bytes) =>
          inTurn.run(() =>
            run
              .receive(bytes)
              .then((step) => {
                if ("reply" in step) route.send(step.reply);
                else if ("host" in step) resolve(step);
                else {
                  isConfirmed = true;
                  confirmed();
                }
              })
              .catch(reject),
          ),
        closed: (_reason, thrown) =>
          inTurn.run(() =>
            reject(thrown ? noHost(thrown) : isConfirmed ? errors.RELAY_DECLINED() : errors.RELAY_CODE_WRONG()),
          ),
      });
      void run.begin().then((bytes) => route.send(bytes), reject);
    });
    const { host: peer, admission } = paired;
    return await keepHost({
      ...{ id: base64url(peer.id), keys: base64url(joinKeys(peer.publicKeys)), name: admission.name, relay },
      ...{ grant: base64url(admission.grant), scopes: [...admission.scopes], pairedAt: Date.now() },
    });
  } finally {
    connection.close();
  }
}

/** Why nobody is at the place of a code. */
function noHost(thrown: Error): Error {
  const { reason } = (thrown as { data?: { reason?: string } }).data ?? {};
  return reason === "place" ? errors.RELAY_CODE_ENDED({ reason: "no host waits at it" }) : thrown;
}
