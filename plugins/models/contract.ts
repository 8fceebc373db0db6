import type { LocalModel, ModelReach } from "@scorel/model/contract";

/** The service `models`: models without a session. */
export interface ModelsService {
  /** Lists the models of servers on this machine. */
  local(cwd: string): Promise<LocalModel[]>;
  /**
   * Tests how far the model of a session in this directory, or the named one, can be reached. See ModelAdminService.
   */
  reach(at: { cwd: string; model?: string | undefined }, limit: number): Promise<ModelReach>;
}

declare module "@scorel/kernel" {
  interface Services {
    models: ModelsService;
  }
}
