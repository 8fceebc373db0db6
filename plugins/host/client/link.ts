/** Keeps a client connected to its host: connects, detects dead connections, and reconnects. Runs in browsers, too. */

import { clause, visibleBreaks } from "@scorel/kit/text/one-line";
import { clientName } from "@scorel/kit/values/client-name";
import { codeOf } from "@scorel/kit/values/coded-error";
import { isAnswer, readMessage } from "./checks.ts";
import { channelFrom } from "./dialed.ts";
import { errors } from "./errors.ts";
import { type LinkOptions, type LinkState, type LinkTimes, type LinkUser, TIMES } from "./link-options.ts";
import { provenChannel } from "./proof.ts";
import { remoteError } from "./remote-error.ts";
import { type Channel, type ClientMessage, type HostMessage, PROTOCOL, type Welcome } from "./wire.ts";

/** Maximum wait in seconds that a host may request (`retryAfter`). */
const LONGEST_ASKED_S = 60;
/** Maximum length of a host's first message, in characters. */
const MAX_WELCOME = 64 * 1024;

/** A client's connection to its host, which reconnects until it is closed or the host refuses it for good. */
export class Link {
  private readonly options: LinkOptions;
  private readonly user: LinkUser;
  private readonly times: LinkTimes;
  private channel: Channel | undefined;
  private welcome: Welcome | undefined;
  /** When the present connection problems began: since then, no connection has lasted for `healthy` milliseconds. */
  private troubledSince: number | undefined;
  /** Whether the host announced that it stops. */
  private hasStopped = false;
  /** The last host process that announced that it stops. */
  private stoppedInstance: string | undefined;
  private ended = false;
  private heardAt = 0;
  private liveSince = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Ends the current attempt to connect. */
  private abandon: ((error: Error) => void) | undefined;
  private current: LinkState = { state: "connecting" };

  constructor(options: LinkOptions, user: LinkUser) {
    this.options = options;
    this.user = user;
    this.times = { ...TIMES, ...options.times };
  }

  get state(): LinkState {
    return this.current;
  }

  /** Connects for the first time. Rejects if that fails, unless the client is `patient`. Lost connections are retried automatically. */
  async start(): Promise<void> {
    if (this.options.patient) {
      this.troubledSince = performance.now();
      return this.reconnect();
    }
    try {
      await this.connect();
    } catch (thrown) {
      this.finish(thrown as Error);
      throw thrown;
    }
  }

  /** Sends a message if there is a connection, and returns its length in characters. Throws LINK_TOO_LARGE. */
  send(message: ClientMessage): number {
    const text = JSON.stringify(message);
    const max = this.welcome?.maxMessage ?? Number.POSITIVE_INFINITY;
    const bytes = bytesOf(text, max);
    if (bytes > max) throw errors.LINK_TOO_LARGE({ bytes, max });
    this.channel?.send(text);
    return text.length;
  }

  /** Whether messages can be sent now. */
  get isLive(): boolean {
    return this.current.state === "live";
  }

  /** Ends the wait before reconnecting, or checks a live connection, as when a page becomes visible or the network returns. */
  hurry(): void {
    if (this.current.state === "live") this.keepAlive(this.times.welcome / 5, 1);
    else if (this.current.state === "waiting") this.reconnect();
  }

  /** Closes the connection for good. */
  close(): void {
    if (this.ended) return;
    this.send({ type: "leave" });
    this.finish(undefined);
  }

  private async connect(): Promise<void> {
    this.setState({ state: "connecting" });
    // A listener of the state may have closed the client.
    if (this.ended) throw closedHere();
    await this.meet();
  }

  /** Opens a channel, and waits for the host's `welcome`. */
  private meet(): Promise<void> {
    const { welcome: ms } = this.times;
    const { address } = this.options;
    return new Promise<void>((resolve, reject) => {
      let channel: Channel | undefined;
      const settle = () => {
        clearTimeout(limit);
        this.abandon = undefined;
      };
      const fail = (error: Error) => {
        if (this.abandon !== fail) return;
        settle();
        channel?.close();
        reject(error);
      };
      const limit = setTimeout(() => fail(errors.LINK_SILENT({ ms, address })), ms);
      this.abandon = fail;
      const dial = async () => {
        const token = await this.options.token?.();
        const dialed = channelFrom(await this.options.dial());
        if (this.abandon !== fail) return dialed.close();
        channel = dialed;
        // Where another program might listen, the token is only sent to a host that has proved that it knows the token.
        const mustProve = token !== undefined && dialed.authority !== undefined;
        const proven = mustProve ? await provenChannel(dialed, token) : dialed;
        if (this.abandon !== fail) return;
        this.greet(proven, token, fail, (welcome) => {
          settle();
          this.begin(proven, welcome);
          resolve();
        });
      };
      dial().catch(fail);
    });
  }

  /** Sends `hello` over a new channel, and waits for `welcome`. */
  private greet(
    channel: Channel,
    token: string | undefined,
    fail: (error: Error) => void,
    welcomed: (welcome: Welcome) => void,
  ): void {
    let isOver = false;
    channel.open({
      message: (text) => {
        this.heardAt = performance.now();
        if (this.channel === channel) return this.take(text);
        if (isOver) return;
        isOver = true;
        const first = text.length > MAX_WELCOME ? undefined : readMessage(text);
        if (first?.type === "welcome") welcomed(first);
        else if (first?.type === "closing") fail(fatal(first));
        else fail(this.protocolError(text));
      },
      closed: (said) => {
        const reason = said === undefined ? undefined : visibleBreaks(said);
        if (this.channel === channel) this.lost(reason);
        else fail(errors.LINK_CLOSED({ reason, address: this.options.address }));
      },
    });
    channel.send(JSON.stringify(this.hello(token)));
  }

  private hello(token: string | undefined): ClientMessage {
    const { name: given, version } = this.options;
    // A restarted host does not know this client. With its former name (`terminal-2`), people recognise it.
    const name = (this.welcome && clientName(this.welcome.clientId)) ?? given;
    const resume = this.welcome && { clientId: this.welcome.clientId, secret: this.welcome.secret };
    return { type: "hello", protocol: PROTOCOL, version, name, token, resume };
  }

  private begin(channel: Channel, welcome: Welcome): void {
    this.channel = channel;
    // The time before the first connection does not count as a connection problem.
    if (!this.welcome) this.troubledSince = undefined;
    const isSame = this.welcome?.instance === welcome.instance;
    this.welcome = welcome;
    this.liveSince = performance.now();
    this.hasStopped = false;
    this.wait(this.times.ping, () => this.keepAlive());
    this.setState({ state: "live", version: welcome.version, ...(isSame && { sameHost: true }) });
    if (!this.ended) this.user.connected(welcome);
  }

  private take(text: string): void {
    const message = readMessage(text);
    if (!message) this.finish(this.protocolError(text));
    else if (message.type === "closing") this.closedByHost(message);
    else if (isAnswer(message) && !this.user.message(message, text.length)) this.finish(this.protocolError(text));
  }

  private closedByHost(closing: Extract<HostMessage, { type: "closing" }>): void {
    if (closing.retry && closing.error.code === "GATEWAY_ENDED") this.noteStop();
    if (closing.retry) this.lost(closing.error.message, closing.retryAfter);
    else this.finish(fatal(closing));
  }

  /** Makes the next waits short, since a host that announces its stop is usually replaced soon. Done once per host process. */
  private noteStop(): void {
    this.hasStopped = true;
    const instance = this.welcome?.instance;
    if (instance !== this.stoppedInstance) this.troubledSince = undefined;
    this.stoppedInstance = instance;
  }

  private protocolError(text: string): Error {
    return errors.LINK_PROTOCOL({ got: text.slice(0, 80), address: this.options.address });
  }

  /** Sends a ping every `ms` milliseconds, and gives the connection up after `left` pings without a sign of life from the host. */
  private keepAlive(ms = this.times.ping, left = Math.ceil(this.times.dead / this.times.ping)): void {
    const asked = performance.now();
    const received = this.channel?.received ?? 0;
    // Without the ping itself: that it leaves this computer says nothing about the host.
    const unsent = this.channel?.unsent ?? 0;
    this.send({ type: "ping", answered: this.user.answered() });
    this.wait(ms, () => {
      // The ping and its answer wait behind what is sent already. Over a slow line, a large message takes much longer than `dead`.
      const moved = (this.channel?.received ?? 0) > received || (this.channel?.unsent ?? 0) < unsent;
      if (moved) this.heardAt = performance.now();
      if (this.heardAt >= asked) this.keepAlive();
      else if (left > 1) this.keepAlive(ms, left - 1);
      else this.lost(`nothing was heard for ${Math.round((performance.now() - this.heardAt) / 1000)} s`);
    });
  }

  /** Called when the connection was lost. Schedules the next attempt. */
  private lost(said = "the connection was closed", retryAfter?: number): void {
    const { channel } = this;
    const reason = clause(said);
    if (!channel || this.ended) return;
    if (this.options.reconnect === false) {
      this.finish(errors.LINK_ENDED({ reason }));
      return;
    }
    this.channel = undefined;
    channel.close();
    const now = performance.now();
    if (this.troubledSince === undefined || now - this.liveSince >= this.times.healthy) this.troubledSince = now;
    this.scheduleRetry(reason, retryAfter);
  }

  /** Schedules the next attempt to connect, at least `retryAfter` seconds from now. */
  private scheduleRetry(reason: string, retryAfter = 0, unproven = false): void {
    const { firstRetry, lastRetry } = this.times;
    // Waits a tenth of the time since the problems began: a restarting host is found soon, and one that is gone is tried rarely.
    const passed = performance.now() - (this.troubledSince ?? 0);
    const longest = Math.min(lastRetry, Math.max(firstRetry, passed / 10));
    // Randomised, so that the clients of a restarting host do not all reconnect at the same time.
    const least = Math.min(LONGEST_ASKED_S, Math.max(0, retryAfter)) * 1_000;
    const delay = least + longest * (0.5 + Math.random() / 2);
    const at = Date.now() + delay;
    const { startedBy } = this.options;
    // Before the state is announced, since a listener may end this wait or close the client.
    this.wait(delay, () => this.reconnect());
    this.setState({
      ...{ state: "waiting", at, reason: clause(reason) },
      ...(this.hasStopped && { hostStopped: true }),
      ...(startedBy !== undefined && { startedBy }),
      ...(unproven && { unproven }),
    });
  }

  private reconnect(): void {
    clearTimeout(this.timer);
    this.connect().catch((thrown: Error & { fatal?: boolean; retryAfter?: number }) => {
      if (this.ended) return;
      if (thrown.fatal) this.finish(thrown);
      else this.scheduleRetry(thrown.message, thrown.retryAfter, codeOf(thrown) === "LINK_UNPROVEN");
    });
  }

  private finish(error: Error | undefined): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    const { channel } = this;
    this.channel = undefined;
    channel?.close();
    this.abandon?.(error ?? closedHere());
    this.setState({ state: "closed", error });
    this.user.ended(error);
  }

  private wait(ms: number, then: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(then, ms);
  }

  private setState(state: LinkState): void {
    this.current = state;
    this.user.state(state);
  }
}

/** The length of a text in UTF-8. Bytes are only counted if they could exceed `max`; otherwise returns the number of characters. */
function bytesOf(text: string, max: number): number {
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  return text.length * 3 <= max || text.length > max ? text.length : new TextEncoder().encode(text).length;
}

function closedHere(): Error {
  return errors.LINK_ENDED({ reason: "the client was closed" });
}

/** The error with which a host ended the connection. `fatal` means that reconnecting does not help. */
function fatal({ error, retry, retryAfter }: Extract<HostMessage, { type: "closing" }>): Error {
  return Object.assign(remoteError(error), { fatal: !retry, ...(retryAfter !== undefined && { retryAfter }) });
}
