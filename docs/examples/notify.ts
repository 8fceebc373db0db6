/** Shows a desktop notification when a long turn ends; save it in `~/.scorel/extensions`, set the minimum duration with `[notify] seconds`. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";

const run = promisify(execFile);

export default definePlugin({
  id: "notify",
  name: "Notify",
  version: "1.0.0",
  config: z.strictObject({ seconds: z.number().min(0).default(20) }),
  async onEvent(event, ctx) {
    if (event.type === "turn_error") await show(`It failed: ${event.error.message}`);
    if (event.type === "turn_finish" && event.duration >= ctx.config.seconds * 1_000)
      await show(`Done after ${Math.round(event.duration / 1_000)} s.`);
  },
});

/** Shows a notification with the system's own command. The text is an argument, so no shell interprets it. */
async function show(text: string): Promise<void> {
  if (process.platform === "darwin") {
    const script = "on run argv\ndisplay notification (item 1 of argv) with title (item 2 of argv)\nend run";
    await run("osascript", ["-e", script, text, "Scorel"]);
  } else await run("notify-send", ["Scorel", text]);
}
