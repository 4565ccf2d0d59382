// Runs scenarios in the engine's module: node wasm_runs.mjs ENGINE.js MODULE.wasm JOBS.json RESULTS.json
// A job is {scenario, seed, pieces}; with pieces the run is cut into as many. A result is {text, seconds},
// of processor time.

import { readFileSync, writeFileSync } from "node:fs";

const [enginePath, modulePath, jobsPath, resultsPath] = process.argv.slice(2);
const source = readFileSync(enginePath);
const { loadEngine } = await import(`data:text/javascript;base64,${source.toString("base64")}`);
const engine = await loadEngine(readFileSync(modulePath));

function result({ scenario, seed, pieces }) {
  const start = process.cpuUsage();
  const run = engine.open(scenario, seed, false);
  const end = JSON.parse(scenario).duration_ns / 1e9;
  for (let piece = 1; piece < pieces; piece += 1) run.advance((end * piece) / pieces);
  const text = run.finish();
  const { user, system } = process.cpuUsage(start);
  return { text, seconds: (user + system) / 1e6 };
}

const jobs = JSON.parse(readFileSync(jobsPath));
writeFileSync(resultsPath, JSON.stringify({ meaning: engine.meaning, results: jobs.map(result) }));
