// Builds the script of the pages into one file, which is committed.

import { defineConfig } from "vite";

import { licences } from "./licences";

const STATIC = "../static";

export default defineConfig({
  plugins: [licences("LICENSES.txt")],
  build: {
    target: "es2022",
    outDir: STATIC,
    emptyOutDir: true,
    modulePreload: false,
    rollupOptions: {
      input: "src/main.ts",
      output: { format: "iife", entryFileNames: "graph.js" },
    },
  },
});
