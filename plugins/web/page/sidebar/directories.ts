import type { RemoteClient } from "@scorel/host/client";
import type { Operations } from "@scorel/host/contract";
import { Store } from "../store.ts";

export type Listing = Operations["list_directories"]["result"];

/** The directory of the host that the project dialog shows, and the path in its field. Only the answer to the latest request counts. */
export class Directories {
  readonly listing = new Store<Listing | undefined>(undefined);
  readonly path = new Store("");
  readonly problem = new Store<string | undefined>(undefined);
  private readonly client: Pick<RemoteClient, "request">;
  private asked = 0;

  constructor(client: Pick<RemoteClient, "request">) {
    this.client = client;
  }

  /** Shows a directory; without its path, the one where the host begins. A path that is being typed stays in the field. */
  async go(directory?: string): Promise<void> {
    this.asked++;
    const { asked } = this;
    const typed = this.path.get();
    try {
      const listing = await this.client.request("list_directories", directory === undefined ? {} : { directory });
      if (asked !== this.asked) return;
      this.listing.set(listing);
      if (this.path.get() === typed) this.path.set(listing.directory);
      this.problem.set(undefined);
    } catch (thrown) {
      if (asked === this.asked) this.problem.set((thrown as Error).message);
    }
  }

  /** Shows a directory in the one that is shown. */
  async into(name: string): Promise<void> {
    await this.go(`${this.listing.get()?.directory.replace(/\/$/, "") ?? ""}/${name}`);
  }
}
