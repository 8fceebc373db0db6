import { z } from "zod";

export const config = z
  .strictObject({
    page: z
      .string()
      .optional()
      .describe(
        "Address of a page that devices open, such as https://build.example.org:7777/: `scorel pair` prints a link to it",
      ),
  })
  .prefault({});
export type RelayConfig = z.infer<typeof config>;
