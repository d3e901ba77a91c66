#!/usr/bin/env node
/** `npm run proof -- <name>`: what the service promises, tried on real processes. See docs/benchmarks.md. */
const PROOFS = ['hostile-bodies', 'kill', 'memory', 'replay', 'start'];

const [name] = process.argv.slice(2);
if (!PROOFS.includes(name)) {
  console.error(`Usage: npm run proof -- <${PROOFS.join(' | ')}>`);
  process.exit(2);
}
const { prove } = await import(`./${name}.mjs`);
const failures = await prove();
for (const failure of failures) console.log(`FAILED  ${failure}`);
console.log(failures.length === 0 ? `${name}: proved` : `${name}: ${failures.length} failures`);
process.exit(failures.length === 0 ? 0 : 1);
