import { main } from "./main.ts";

void main(process.argv.slice(2), new URL("help.json", import.meta.url));
