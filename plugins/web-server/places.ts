import type { Socket } from "node:net";
import type { ScorelError } from "@scorel/kernel";
import type { Grant } from "./contract.ts";
import { errors } from "./errors.ts";
import type { Limits } from "./limits.ts";
import { RETRY_AFTER_S } from "./replies.ts";

/** The usage of one token: its connections, and the number of its requests that are being answered, event streams included. */
interface Holding {
  sockets: Set<Socket>;
  answers: number;
}

/**
 * Limits the connections that have shown a token: for each token, and for all tokens without `admin` together. A program that opens more
 * and more connections then neither locks the owner out, nor makes the host keep an unlimited number of unread answers.
 */
export class Places {
  private readonly limits: Pick<Limits, "connections" | "perToken" | "reserved">;
  private readonly holdings = new Map<string, Holding>();
  /** `all`: connections that have shown a token. The other set: those of them whose token is without `admin`. */
  private readonly all = new Set<Socket>();
  private readonly limited = new Set<Socket>();

  constructor(limits: Places["limits"]) {
    this.limits = limits;
  }

  /** Gives a connection a place until it closes. Returns an error if there is none. */
  enter(socket: Socket, grant: Grant): ScorelError | undefined {
    const { sockets } = this.holdingOf(grant);
    if (sockets.has(socket)) return undefined;
    const refusal = this.refusal(sockets.size, grant) ?? this.shortageFor(socket, grant);
    if (refusal) {
      this.tidy(grant);
      return refusal;
    }
    const { all, limited } = this;
    const kinds = grant.scope === undefined ? [sockets, all] : [sockets, all, limited];
    for (const kind of kinds) kind.add(socket);
    socket.once("close", () => {
      for (const kind of kinds) kind.delete(socket);
      this.tidy(grant);
    });
    return undefined;
  }

  /**
   * Counts an answer until `ended` is called: a client can ask for many over one connection without reading any. Returns an error if the
   * token has too many.
   */
  answer(grant: Grant): { ended(): void } | ScorelError {
    const holding = this.holdingOf(grant);
    const refusal = this.refusal(holding.answers, grant);
    if (refusal) return refusal;
    holding.answers++;
    const ended = () => {
      holding.answers--;
      this.tidy(grant);
    };
    return { ended };
  }

  private refusal(count: number, { name, scope }: Grant): ScorelError | undefined {
    const { perToken: max } = this.limits;
    if (scope === undefined || count < max) return undefined;
    return errors.WEB_TOKEN_FULL({ name, max, seconds: RETRY_AFTER_S });
  }

  /** Why no further connection is accepted, whatever its token; undefined while there is room. */
  get shortage(): ScorelError | undefined {
    return this.all.size < this.limits.connections ? undefined : full();
  }

  private shortageFor(socket: Socket, { scope }: Grant): ScorelError | undefined {
    const { connections, reserved } = this.limits;
    if (this.all.has(socket)) return undefined;
    if (scope !== undefined && this.limited.size >= connections - reserved) return full();
    return this.shortage;
  }

  private holdingOf({ identity }: Grant): Holding {
    const holding = this.holdings.get(identity) ?? { sockets: new Set(), answers: 0 };
    this.holdings.set(identity, holding);
    return holding;
  }

  private tidy({ identity }: Grant): void {
    const holding = this.holdings.get(identity);
    if (holding?.sockets.size === 0 && holding.answers === 0) this.holdings.delete(identity);
  }
}

function full(): ScorelError {
  return errors.WEB_WAIT({ reason: "The host has too many connections.", seconds: RETRY_AFTER_S });
}
