import type { TreePage } from "@scorel/history/contract";
import type { Client } from "@scorel/host/contract";

/** The most rows of an answer. */
const PAGE = 5_000;

/** All rows of a session's tree, or of its active path, with what else the newest page contains. */
export async function wholeTree(client: Client, sessionId: string, show: "tree" | "path"): Promise<TreePage> {
  const newest = await client.request("get_tree", { sessionId, show, limit: PAGE });
  const pages = [newest.rows];
  for (let { before } = newest; before !== undefined; ) {
    const page = await client.request("get_tree", { sessionId, show, limit: PAGE, before });
    pages.push(page.rows);
    before = page.before;
  }
  return { ...newest, rows: pages.reverse().flat() };
}
