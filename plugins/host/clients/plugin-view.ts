import type { BaseContext } from "@scorel/kernel";
import type { Client, HostService } from "../contract.ts";

/** A plugin's view of the host: failures of the plugin's listeners are reported as the plugin's, and do not affect the session. */
export function viewFor(host: HostService, plugin: BaseContext): HostService {
  return Object.create(host, {
    connect: { value: (...given: Parameters<HostService["connect"]>) => isolated(host.connect(...given), plugin) },
  });
}

function isolated(client: Client, plugin: BaseContext): Client {
  const { onState } = client;
  return Object.freeze<Client>({
    // A getter, because a client's id can change when it connects to another host.
    get clientId() {
      return client.clientId;
    },
    get state() {
      return client.state;
    },
    ...(onState && { onState: (listener) => onState.call(client, plugin.isolate("client.onState", listener)) }),
    request: (...given) => client.request(...given),
    subscribe: (sessionId, listener, options) =>
      client.subscribe(sessionId, plugin.isolate("client.subscribe", listener), options),
    watchSessions: (listener, options) =>
      client.watchSessions(plugin.isolate("client.watchSessions", listener), options),
    drained: (sessionId) => client.drained(sessionId),
    close: () => client.close(),
  });
}
