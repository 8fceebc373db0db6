import { realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { BufferRequest } from "@scorel/buffers/contract";
import type { Client } from "@scorel/host/contract";
import { codeOf, isEvent, messageOf } from "@scorel/kernel";
import type { Editor } from "./editor.ts";

/** The longest text that is accepted from an editor, in characters. */
const MOST = 4 * 1024 * 1024;

interface Place {
  sessionId: string;
  /** The session's folder, as the editor calls it. */
  cwd: string;
  client: Client;
  editor: Editor;
}

/** The open files of an editor, for the tools of a session. */
export class Buffers {
  private readonly place: Place;

  constructor(place: Place) {
    this.place = place;
  }

  /**
   * Offers to read and write files through the editor, if it can do so. To be repeated after each reload of the session or start of its
   * host.
   */
  async offer(): Promise<void> {
    const { client, sessionId, editor } = this.place;
    const { readTextFile: reads = false, writeTextFile: writes = false } = editor.can.fs ?? {};
    if (!reads && !writes) return;
    try {
      await client.request("offer_buffers", { sessionId, reads, writes });
    } catch (thrown) {
      // The session's preset does not include the plugin `buffers`.
      if (codeOf(thrown) !== "HOST_OPERATION_UNKNOWN") throw thrown;
    }
  }

  /** Handles an event that asks for a file of the editor. */
  async hear(event: { type: string }): Promise<void> {
    if (!isEvent(event, "buffer_request")) return;
    const { client, sessionId } = this.place;
    const { requestId, asked } = event;
    if (asked !== client.clientId) return;
    try {
      const request = await client.request("take_buffer_request", { sessionId, requestId });
      const answer = await this.answerTo(request).catch((thrown) => ({ reason: messageOf(thrown).slice(0, 1_000) }));
      await client.request("answer_buffer_request", { sessionId, requestId, ...answer });
    } catch (thrown) {
      // The editor took too long, or the tool call was cancelled.
      if (codeOf(thrown) !== "BUFFERS_CLOSED") throw thrown;
    }
  }

  private async answerTo({ path: real, write }: BufferRequest): Promise<{ text?: string }> {
    const { editor, sessionId } = this.place;
    const path = this.named(real);
    if (write === undefined) {
      const text = await editor.readFile(sessionId, path);
      if (text.length > MOST) throw new Error("the text is too long");
      return { text };
    }
    await editor.writeFile(sessionId, path, write);
    return {};
  }

  /** The path as the editor calls it, which may have opened the session's folder through a link. */
  private named(path: string): string {
    const { cwd } = this.place;
    const inside = relative(realFolder(cwd), path);
    return inside === ".." || inside.startsWith(`..${sep}`) ? path : join(cwd, inside);
  }
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder; // It was removed, so no file in it is open.
  }
}
