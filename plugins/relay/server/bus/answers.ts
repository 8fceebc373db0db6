import { messageOf } from "@scorel/kit/values/coded-error";
import type { Bytes } from "../../protocol/primitives.ts";
import { Refusal } from "../refusal.ts";
import type { FarEnd } from "./far-end.ts";
import type { FarRoutes } from "./far-routes.ts";
import * as messages from "./messages.ts";
import type { NodeUser, OwnHost } from "./node-user.ts";

/** Answers requests from other relays on the bus. */
export class Answers {
  private readonly far: FarRoutes;
  private readonly user: NodeUser;
  private readonly announce: (host: OwnHost) => void;

  constructor(far: FarRoutes, user: NodeUser, announce: (host: OwnHost) => void) {
    this.far = far;
    this.user = user;
    this.announce = announce;
  }

  /** Answers a message about a host of this relay. */
  aboutHost(host: OwnHost, message: Bytes): Promise<Bytes> {
    return answered(async () => {
      const kind = messages.kindOf(message);
      if (kind === "presence") return messages.accepted({ node: this.far.own, number: 0n });
      if (kind === "claim") return this.claimed(host, messages.readClaim(message));
      const { link, route, client, grant } = messages.readOpen(message);
      return this.take("client", link, (end) => this.user.openFor(end, route, grant, client));
    });
  }

  /** Answers a message about a pairing place of this relay. */
  atPlace(place: string, message: Bytes): Promise<Bytes> {
    return answered(async () => {
      if (messages.kindOf(message) === "taken") return messages.verdict(true);
      const { link, route } = messages.readJoin(message);
      return this.take("guest", link, (end) => this.user.joinFor(end, route, place));
    });
  }

  /** Another relay also has a connection of this host. Only the newer one stays. */
  private async claimed(host: OwnHost, claim: messages.SignedHello): Promise<Bytes> {
    const keeps = await this.user.keeps(host, claim);
    // The other relay may have published its claim as an announcement, which gets no answer. So it has to be told this way.
    if (keeps && host.signed.hello.generation > claim.hello.generation) this.announce(host);
    return messages.verdict(!keeps);
  }

  private async take(
    role: "client" | "guest",
    link: messages.Link,
    open: (end: FarEnd) => void | Promise<void>,
  ): Promise<Bytes> {
    const end = this.far.make(role, "");
    this.far.bind(end, link);
    try {
      await open(end);
    } catch (thrown) {
      this.far.over(end);
      throw thrown;
    }
    return messages.accepted(this.far.linkOf(end));
  }
}

async function answered(answer: () => Promise<Bytes>): Promise<Bytes> {
  try {
    return await answer();
  } catch (thrown) {
    return thrown instanceof Refusal
      ? messages.refused(thrown.reason, thrown.message)
      : messages.refused("malformed", messageOf(thrown));
  }
}
