import { z } from "zod";

const MiB = 1024 * 1024;

const limit = (schema: z.ZodNumber) =>
  schema.meta({ trust: { kind: "weakens", could: "programs in the sandbox use more of this machine" } });

/** The table `[sandbox]`. A project cannot choose `local`. */
export const config = z.strictObject({
  executor: z
    .enum(["local", "auto", "bubblewrap", "docker", "podman"])
    .default("auto")
    .meta({ layers: "narrow", unset: "auto" })
    .describe(
      "what programs of skills run in. `auto`: bubblewrap, docker or podman, whichever works first; `local`: in nothing",
    ),
  image: z
    .string()
    .min(1)
    .optional()
    .meta({ trust: { kind: "code", could: "programs of skills run in this image" } })
    .describe("the image of containers, which has to be there already: it is never pulled"),
  read: z
    .array(z.string().regex(/^(~\/|\/)/, "must be an absolute path, or begin with ~/"))
    .default([])
    .meta({ layers: "join", trust: { kind: "weakens", could: "programs in the sandbox read these paths" } })
    .describe("paths that programs may read beside the system's own"),
  seconds: limit(z.number().positive()).default(300).describe("until a program is ended"),
  cpuSeconds: limit(z.number().int().positive()).default(600).describe("processor time of each process"),
  memoryBytes: limit(z.number().int().positive())
    .default(2048 * MiB)
    .describe("of all its processes together"),
  processes: limit(z.number().int().positive()).default(256).describe("of one program at a time"),
  fileBytes: limit(z.number().int().positive())
    .default(1024 * MiB)
    .describe("that one file may grow to"),
});
export type SandboxConfig = z.output<typeof config>;
