import { z } from "zod";

export const config = z
  .strictObject({
    url: z
      .string()
      .or(z.array(z.string()).min(1))
      .optional()
      .describe(
        "Address of your relay, such as wss://relay.example; a list of them for relays that share a bus. `scorel pair` takes it without --relay, and a host that pairs through one of the list uses all",
      )
      .meta({ layers: "own" }),
    page: z
      .string()
      .optional()
      .describe(
        "Address of a page that devices open, such as https://build.example.org:7777/: `scorel pair` prints a link to it",
      ),
  })
  .prefault({});
export type RelayConfig = z.infer<typeof config>;
