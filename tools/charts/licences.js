// Prints name, version and licence of every package in a bundle, from the metafile of esbuild.

const { readFileSync, readdirSync } = require("node:fs");

const [outputs] = Object.values(JSON.parse(readFileSync(process.argv[2], "utf8")).outputs);
const used = Object.entries(outputs.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
const folders = new Set(used.map(([file]) => file.match(/^node_modules\/(@[^/]+\/)?[^/]+/)?.[0]).filter(Boolean));

const packagesOf = new Map(); // the packages of each licence text
for (const folder of [...folders].sort()) {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} has no licence`);
  const text = readFileSync(`${folder}/${file}`, "utf8").trim();
  packagesOf.set(text, [...(packagesOf.get(text) ?? []), `${name} ${version} (${license})`]);
}
console.log([...packagesOf].map(([text, packages]) => `${packages.join("\n")}\n\n${text}`).join(`\n\n${"-".repeat(80)}\n\n`));
