import type {} from "@scorel/cli/contract";
import type {} from "@scorel/gateway/contract";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type { WebRoute } from "@scorel/web-server/contract";
import type { Bodies } from "./bodies.ts";
import type { Clients } from "./clients.ts";

/** Plugin `http`: the host's operations and events as plain HTTP, on the host's web server. */
export default definePlugin({
  id: "http",
  name: "HTTP",
  version: "0.1.0",
  scope: "host",
  needs: ["host", "gateway", "webServer", "launch"],

  activate(ctx) {
    let clients: Clients | undefined;
    let bodies: Bodies | undefined;
    ctx.beforeStop(() => clients?.end());
    const request: NonNullable<WebRoute["request"]> = async (...given) => {
      const [{ Clients }, { Bodies }, { answer }] = await Promise.all([
        import("./clients.ts"),
        import("./bodies.ts"),
        import("./routes.ts"),
      ]);
      clients ??= new Clients(ctx.host, ctx.gateway, ctx.logger);
      bodies ??= new Bodies();
      return answer({ clients, bodies, version: ctx.launch.version, logger: ctx.logger }, ...given);
    };
    return {
      webRoutes: () => [
        { path: "/operations/", methods: ["POST"], request },
        { path: "/sessions/", request },
        { path: "/openapi.json", request },
      ],
    };
  },
});
