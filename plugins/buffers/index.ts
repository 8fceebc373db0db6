import type {} from "@scorel/host/contract";
import { definePlugin, type TransientDefinition, type Transients } from "@scorel/kernel";
import type { FilesService } from "@scorel/local/contract";
import { z } from "zod";
import type {} from "./contract.ts";
import { Offers } from "./offers.ts";
import { operations } from "./operations.ts";

/** Hidden from people: the event is for one client. */
const bufferRequest: TransientDefinition<Transients["buffer_request"]> = {
  transient: true,
  schema: z.strictObject({ requestId: z.string(), asked: z.string() }),
  convertToDisplay: () => ({ display: "hidden" }),
};

/** Plugin `buffers`: lets tools read and write files through a client, such as an editor with unsaved changes. */
export default definePlugin({
  id: "buffers",
  name: "Buffers",
  version: "0.1.0",
  events: { buffer_request: bufferRequest },

  activate(ctx) {
    const tell = (problem: Error) => ctx.report("", problem);
    const offers = new Offers({
      ask: (requestId, asked) => ctx.session.emit("buffer_request", { requestId, asked }),
      tell,
    });
    const around = { offers, tell };
    const through = () => import("./files.ts");
    return {
      operations: operations(ctx, offers),
      serviceWrappers: {
        files(files): Partial<FilesService> {
          // A client cannot use paths of another computer.
          if (!files.local) return {};
          return {
            read: async (path, options) =>
              offers.has("reads") ? (await through()).read(files, path, options, around) : files.read(path, options),
            write: async (path, bytes, options) =>
              offers.has("writes")
                ? (await through()).write(files, path, bytes, options, around)
                : files.write(path, bytes, options),
            unsaved: async (path, options) =>
              offers.has("reads") ? (await through()).unsaved(files, path, options, around) : undefined,
          };
        },
      },
    };
  },
});
