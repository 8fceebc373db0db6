/** Adds the rules of a team to the system prompt of new sessions; list them under `[house-style] rules`. */
import { definePlugin } from "@scorel/kernel";
import { z } from "zod";

export default definePlugin({
  id: "house-style",
  name: "House style",
  version: "1.0.0",
  needs: ["prompt"],
  config: z.strictObject({ rules: z.array(z.string()).default(["Write tests before code."]) }),
  promptParts: ({ config }) => [
    { section: "baseline", priority: 60, text: ["Rules of this team:", ...config.rules].join("\n- ") },
  ],
});
