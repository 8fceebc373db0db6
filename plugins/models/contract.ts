import type { LocalModel } from "@scorel/model/contract";

/** Models as a face sees them before there is a session. */
export interface ModelsService {
  /** What servers on this machine run now, as a session in this directory would find it. */
  local(cwd: string): Promise<LocalModel[]>;
}

declare module "@scorel/kernel" {
  interface Services {
    models: ModelsService;
  }
}
