import { fileURLToPath } from "node:url";

const scorel = [process.execPath, fileURLToPath(new URL("../../dist/bin.js", import.meta.url))];

export default [
  { work: "scorel --version", argv: [...scorel, "--version"], aim: 1.5 },
  { work: "scorel --help", argv: [...scorel, "--help"], aim: 1.5 },
];
