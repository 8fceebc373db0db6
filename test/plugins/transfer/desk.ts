import { writeFileSync } from "node:fs";
import { join } from "node:path";
import history from "@scorel/history";
import type { Client, Delivered, HostService, SessionHandle } from "@scorel/host/contract";
import type { AnyPlugin, StoredEvent } from "@scorel/kernel";
import type { ScorelMessage } from "@scorel/messages/contract";
import transfer from "@scorel/transfer";
import type { ImportFormat, ImportReport } from "@scorel/transfer/contract";
import { hand } from "../history/desk.ts";
import { echoAgent, type TestHome, testHome, testHost } from "../host/home.ts";

/** A home with a host that can export and import sessions. */
export interface Desk extends AsyncDisposable {
  home: TestHome;
  connect: HostService["connect"];
  client: Client;
  /** Writes a file to the home; returns its path. */
  file(name: string, content: string | Buffer): string;
  import(content: string | Buffer, format?: ImportFormat): Promise<Brought>;
  open(sessionId: string): Promise<SessionHandle>;
}
/** An imported session, opened. */
export interface Brought {
  report: ImportReport;
  events: StoredEvent[];
  delivered: Delivered[];
  context: ScorelMessage[];
  header: SessionHandle["kernel"]["session"]["header"];
  session: SessionHandle["kernel"]["session"];
}

export async function desk(plugins: AnyPlugin[] = [echoAgent], beside: AnyPlugin[] = []): Promise<Desk> {
  const home = testHome();
  const t = await testHost(plugins, [], [history, transfer, hand, ...beside]);
  const file = (name: string, content: string | Buffer) => {
    const path = join(home.home, name);
    writeFileSync(path, content);
    return path;
  };
  const open = (sessionId: string) => t.client.request("hand_over", { sessionId });
  return {
    home,
    connect: t.host.connect,
    client: t.client,
    file,
    open,
    import: async (content, format) => {
      const path = file("given.jsonl", content);
      const report = await t.client.request("import_session", { file: path, cwd: home.cwd, ...(format && { format }) });
      const { session } = (await open(report.sessionId)).kernel;
      const { header, events: delivered } = await t.client.request("get_events", { sessionId: report.sessionId });
      const events = [...session.tree];
      return { report, events, delivered, context: session.buildContext(), header, session };
    },
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

/** Each message as `role: text`. */
export function spoken(context: readonly ScorelMessage[]): string[] {
  return context.map(({ role, content }) => {
    if (typeof content === "string") return `${role}: ${content}`;
    const parts = content.map((block) => {
      if (block.type === "text") return block.text;
      if (block.type === "thinking") return `(${block.thinking})`;
      return block.type === "image" ? "[image]" : `${block.name}#${block.id}`;
    });
    return `${role}: ${parts.join(" ")}`;
  });
}
