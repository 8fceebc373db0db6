/**
 * Opens a log, runs a task, and prints the time and memory that this took. Arguments: path, task, and for the task
 * `page` an event. Only the task `index` opens the log for writing, to save an index.
 */
import { createKernel, type Kernel } from "@scorel/kernel";
import messages from "@scorel/messages";
import { createJsonlStore } from "../../plugins/logs/jsonl-store.ts";

const [path = "", task = "", middle = ""] = process.argv.slice(2);
const start = performance.now();
const kernel = await createKernel({
  entries: [{ plugin: messages, origin: "bench" }],
  store: createJsonlStore(path, { readOnly: task !== "index", index: path.replace(/jsonl$/, "index") }),
});
const tasks: Record<string, (kernel: Kernel) => number> = {
  context,
  page: ({ session: { tree } }) => tree.head(200, tree.get(middle)?.seq).length,
};
const did = (tasks[task] ?? (({ session }) => session.tree.tail(200).length))(kernel);
const ms = performance.now() - start;
const again = task === "context" ? timed(() => context(kernel)) : 0;
// A kernel that may write saves the index when it stops.
if (task === "index") await kernel.stop();
console.log(
  JSON.stringify({ ms, again, did, events: kernel.session.tree.size, memory: process.resourceUsage().maxRSS / 1e3 }),
);

function context({ session }: Kernel): number {
  return session.buildContext().length;
}

function timed(work: () => unknown): number {
  const from = performance.now();
  for (let n = 0; n < 10; n++) work();
  return (performance.now() - from) / 10;
}
