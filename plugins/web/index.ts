import type { Transport } from "@scorel/gateway/contract";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/relay/contract";
import type { WebRoute } from "@scorel/web-server/contract";
import { z } from "zod";
import type {} from "./contract.ts";
import type { AllowedRelays } from "./devices.ts";
import { operations } from "./operations.ts";
import { APART, pageFiles } from "./page-files.ts";
import type { Pusher } from "./push/pusher.ts";
import { isServiceOrigin } from "./push/services.ts";

const config = z
  .strictObject({
    pushServices: z
      .array(z.string().refine(isServiceOrigin, "must be an origin with https, such as https://push.example.org"))
      .default([])
      .describe(
        "Origins of further push services of browsers, in addition to those of Chrome, Firefox, Safari and Edge",
      ),
    pushContact: z
      .string()
      .regex(/^(?:mailto:\S+@|https:\/\/)\S+$/, "must begin with mailto: or https:")
      .optional()
      .describe("Where push services can reach you, such as mailto:me@example.org; default: the address of the page"),
  })
  .prefault({});

/** Plugin `web`: the page in the browser. It is a client of the host like any other. */
export default definePlugin({
  id: "web",
  name: "Web page",
  version: "0.1.0",
  scope: "host",
  needs: ["host"],
  provides: ["pageFiles"],
  config,

  activate(ctx) {
    const apart = pageFiles();
    ctx.provide("pageFiles", apart.service);
    const { pushServices: further, pushContact: contact } = ctx.config;
    let making: Promise<Pusher> | undefined;
    const allowed: AllowedRelays = new Map();
    const make = async () => {
      const { Pusher } = await import("./push/pusher.ts");
      // Without a web server, no token is valid.
      const isLetIn = async (page: string) => (await ctx.find("webServer")?.isLetIn(page)) ?? false;
      return new Pusher({ host: ctx.host, further, env: ctx.find("launch")?.env ?? {}, logger: ctx.logger, isLetIn });
    };
    const pusher = () => {
      making ??= make();
      return making;
    };
    ctx.beforeStop(async () => (await making)?.close());
    return {
      operations: () => operations({ further, contact, pusher, allowed }),
      // Not a real transport: sends pushes to browsers that have subscribed before this host was started, as soon as clients are accepted.
      transports: (): Transport[] => [
        {
          name: "push",
          listen: async () => {
            const { hasSubscriptions } = await import("./push/kept.ts");
            if (hasSubscriptions(ctx.logger)) (await pusher()).begin();
            return undefined;
          },
          kept: async () => (await import("./push/kept.ts")).kept(),
        },
      ],
      webRoutes: (): WebRoute[] => {
        const open: NonNullable<WebRoute["open"]> = async (request, response) =>
          (await import("./answer.ts")).answer(request, response, { allowed });
        return [
          { path: "/", open },
          { path: "/page/", open },
          { path: APART, open: apart.below },
          // At the same level as the page, since a service worker only handles requests below its own path.
          { path: "/worker.js", open },
        ];
      },
    };
  },
});
