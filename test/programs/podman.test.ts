import { coverEngine } from "./container-cases.ts";

coverEngine("podman", { HOSTNAME: "sandbox", container: "podman", TERM: "xterm" });
