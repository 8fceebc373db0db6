import type { Channel, ChannelHandlers } from "@scorel/host/client";

/** Both ends of a connection in this process. Messages arrive in order, in a later turn of the event loop. */
export function wire(): { near: Channel; far: Channel; cut(): void } {
  const ends = [new End(), new End()] as const;
  ends[0].other = ends[1];
  ends[1].other = ends[0];
  return { near: ends[0], far: ends[1], cut: () => ends[0].lose() };
}

class End implements Channel {
  other: End | undefined;
  private handlers: ChannelHandlers | undefined;
  private arrived: (string | undefined)[] = [];
  private isScheduled = false;
  private isOver = false;

  send(message: string): void {
    if (!this.isOver) this.other?.arrive(message);
  }

  close(): void {
    if (this.isOver) return;
    this.other?.arrive(undefined);
    this.end();
  }

  open(handlers: ChannelHandlers): void {
    this.handlers = handlers;
    if (this.isOver) handlers.closed();
    else this.schedule();
  }

  /** Drops messages that have not arrived yet, and closes both ends. */
  lose(): void {
    for (const end of [this, this.other as End]) {
      end.arrived = [];
      end.arrive(undefined);
    }
  }

  private arrive(message: string | undefined): void {
    if (this.isOver) return;
    this.arrived.push(message);
    this.schedule();
  }

  private schedule(): void {
    if (this.isScheduled || !this.handlers) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      for (let next = this.arrived.shift(); !this.isOver; next = this.arrived.shift()) {
        if (next !== undefined) this.handlers?.message(next);
        else this.end();
        if (this.arrived.length === 0) break;
      }
    });
  }

  private end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.arrived = [];
    setImmediate(() => this.handlers?.closed());
  }
}
