// Writes the licences of the packages that a build took code from.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

const LICENCE = /^licen[cs]e/i;

/** Path of the innermost package that a module belongs to; ours belong to none. */
const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

function packageOf(module: string): string | null {
  return module.replace(/^\0/, "").match(PACKAGE)?.[0] ?? null;
}

function textOf(folder: string): string {
  const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf-8"));
  const file = readdirSync(folder).find((name) => LICENCE.test(name));
  if (!file) throw new Error(`${about.name} has no file with its licence`);
  const licence = readFileSync(join(folder, file), "utf-8").replace(/\r/g, "").trim();
  return `${about.name} ${about.version} (${about.license})\n\n${licence}\n`;
}

export function licences(fileName: string): Plugin {
  return {
    name: "licences",
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((one) =>
        one.type === "chunk" ? Object.keys(one.modules) : [],
      );
      const folders = new Set(modules.map(packageOf).filter((one) => one !== null));
      const texts = [...folders].map(textOf).sort();
      const head = "graph.js is built from the folder web and from these packages.\n";
      this.emitFile({
        type: "asset",
        fileName,
        source: [head, ...texts].join(`\n${"-".repeat(80)}\n\n`),
      });
    },
  };
}
