import type { CliCommand } from "@scorel/cli/contract";
import { outputOption } from "@scorel/kit/terminal/output-option";
import type { TrustService } from "./contract.ts";

const args = "[path]";

/** `scorel trust list|add|confirm|forget|remove`, and `scorel trust --dev`. */
export function trustCommands(trust: TrustService): CliCommand[] {
  const work = () => import("./actions.ts");
  return [
    {
      noun: "trust",
      args,
      description: "Trust a project that you develop, even when its files change",
      options: [{ flags: "--dev", description: "Trust this project by its path, without asking when it changes" }],
      run: async (invocation) => (await work()).byPath(trust, invocation),
    },
    {
      noun: "trust",
      action: "list",
      description: "List the trusted projects, and whether they have changed",
      options: [outputOption],
      run: async (invocation) => (await work()).list(trust, invocation),
    },
    {
      noun: "trust",
      action: "add",
      args,
      description: "Show what Scorel would use of a project, and trust it",
      options: [{ flags: "--yes", description: "Do not ask" }],
      run: async (invocation) => (await work()).add(trust, invocation),
    },
    {
      noun: "trust",
      action: "confirm",
      args: "[extension]",
      description: "Show which of your extensions changed while tools ran, and allow them to be loaded again",
      options: [{ flags: "--yes", description: "Do not ask" }],
      run: async (invocation) => (await work()).confirm(trust, invocation),
    },
    {
      noun: "trust",
      action: "forget",
      args: "<extension>",
      description: "Continue without an extension that guarded something and can no longer be loaded",
      run: async (invocation) => (await work()).forget(trust, invocation),
    },
    {
      noun: "trust",
      action: "remove",
      args,
      description: "Stop trusting a project",
      run: async (invocation) => (await work()).remove(trust, invocation),
    },
  ];
}
