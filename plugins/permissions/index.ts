import type { ApproverService } from "@scorel/agent/contract";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import type {} from "@scorel/tools/contract";
import type {} from "@scorel/workspace/contract";
import { z } from "zod";
import { config } from "./config.ts";
import type { PermissionsService } from "./contract.ts";
import { operations } from "./operations.ts";
import {
  childLimits,
  isModeUnreported,
  MODES,
  modeOf,
  permissionDenied,
  permissionMode,
  permissionModeProjection,
  permissionTold,
  type State,
  unchosenMode,
} from "./state.ts";
import { endOf, isUnanswered, openQuestion } from "./unanswered.ts";

/** Decides which tool calls run, which need a person's approval, and which are refused. */
export default definePlugin({
  id: "permissions",
  name: "Permissions",
  version: "0.1.0",
  needs: ["agent", "requests"],
  provides: ["permissions", "approver"],
  config,
  sessionOptions: () => [
    {
      key: "permission",
      kind: MODES,
      flag: {
        flags: "--permission <mode>",
        description: "What runs without asking: ask, edits (of files), full, plan (only reading)",
      },
      short: {
        flag: { flags: "--yes", description: "Run everything without asking, like --permission full" },
        value: "full",
      },
      setting: "permissions.mode",
      widens: ["ask", "edits", "full"],
    },
  ],
  events: { permission_mode: permissionMode, permission_denied: permissionDenied },
  projections: { permissionMode: permissionModeProjection, permissionTold },

  activate(ctx) {
    const state: State = {
      ctx,
      rules: [],
      named: new Map(),
      forgotten: new Set(),
      asking: Promise.resolve(),
      own: new WeakSet(),
    };
    const service: PermissionsService = {
      hiddenIn: async (folder, shows) => (await import("./guard.ts")).hiddenFrom(folder, shows, state),
      get mode() {
        return modeOf(state);
      },
      get defaultMode() {
        return unchosenMode(state);
      },
      judgeNamed: async (call) => (await import("./guard.ts")).judgeNamed(call, state),
      takeReads: (toolCallId) => taken(state.named.has(toolCallId) ? state.named : state.judged?.reads, toolCallId),
    };
    ctx.provide("permissions", service, { sealed: true });
    const approver: ApproverService = {
      ask: async (...asked) => (await import("./approver.ts")).approverOf(state)(...asked),
      isUnanswered: (toolCallId) => isUnanswered(toolCallId, ctx.session),
      openQuestion: (reply) => openQuestion(reply, ctx.session),
      endOf: (requestId, reason) => endOf(requestId, reason, ctx.session),
    };
    ctx.provide("approver", approver, { sealed: true });
    return {
      hooks: {
        approveToolCall: {
          critical: true,
          level: "late",
          handler: async (call) => (await import("./guard.ts")).guardCall(call, state),
        },
        transformContext: {
          level: "early",
          handler: async (messages) => {
            if (isModeUnreported(state)) await (await import("./plan.ts")).tellMode(state);
            return messages;
          },
        },
      },
      onEvent({ type }) {
        if (type === "prompt_submit") {
          state.proposal?.abort();
          warnAboutRules(state);
        }
        if (type !== "turn_finish" || modeOf(state) !== "plan") return;
        // Not awaited: the question stays open for as long as the person needs.
        void import("./plan.ts").then(({ proposePlan }) => proposePlan(state));
      },
      childLimits: () => childLimits(state),
      commands: () => ({
        permission: {
          group: "Session",
          summary: "Show or change what runs without asking",
          sealed: true,
          operations: ["get_status"],
          args: z.object({ mode: z.enum([...MODES, "forget"]).optional(), rule: z.string().optional() }),
          run: async ({ mode, rule }, context) => (await import("./command.ts")).permission(mode, rule, state, context),
        },
      }),
      operations: operations(state),
    };
  },
});

function taken<V>(map: Map<string, V> | undefined, key: string): V | undefined {
  const value = map?.get(key);
  map?.delete(key);
  return value;
}

/**
 * Warns once per session about rules that match no tool. Loads the check only if there are rules, which most people do not
 * have.
 */
function warnAboutRules(state: State): void {
  const { allow, ask, deny } = state.ctx.config;
  if (state.warned || deny.length + ask.length + allow.length === 0) return;
  state.warned = true;
  void import("./rules/rule-doubts.ts").then(({ warnAbout }) => warnAbout({ allow, ask, deny }, state.ctx));
}
