import type { LocalModel, ModelReach } from "@scorel/model/contract";

/** Models as a face sees them before there is a session. */
export interface ModelsService {
  /** What servers on this machine run now, as a session in this directory would find it. */
  local(cwd: string): Promise<LocalModel[]>;
  /** How far one gets to the model of a session in this directory, or to the one named; as `reach` of a ModelAdminService. */
  reach(at: { cwd: string; model?: string | undefined }, limit: number): Promise<ModelReach>;
}

declare module "@scorel/kernel" {
  interface Services {
    models: ModelsService;
  }
}
