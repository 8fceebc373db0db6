import { coverEngine } from "./container-cases.ts";

coverEngine("docker", { HOSTNAME: "sandbox" });
