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
      "the sandbox for programs. `auto`: the first that works of bubblewrap, docker and podman; `local`: no sandbox",
    ),
  image: z
    .string()
    .min(1)
    .optional()
    .meta({ trust: { kind: "code", could: "programs of skills run in an image that you did not choose" } })
    .describe("the container image; it must exist locally, since it is never pulled"),
  read: z
    .array(z.string().regex(/^(~\/|\/)/, "must be an absolute path, or begin with ~/"))
    .default([])
    .meta({ layers: "join", trust: { kind: "weakens", could: "programs in the sandbox read these paths" } })
    .describe("more paths that programs can read, besides those of the system"),
  seconds: limit(z.number().positive()).default(300).describe("time limit of a program in seconds"),
  cpuSeconds: limit(z.number().int().positive()).default(600).describe("CPU time limit of each process in seconds"),
  memoryBytes: limit(z.number().int().positive())
    .default(2048 * MiB)
    .describe("memory limit of a program with all its processes, in bytes"),
  processes: limit(z.number().int().positive())
    .default(256)
    .describe("the most processes that a program can run at a time"),
  fileBytes: limit(z.number().int().positive())
    .default(1024 * MiB)
    .describe("the largest file that a program can write, in bytes"),
});
export type SandboxConfig = z.output<typeof config>;
