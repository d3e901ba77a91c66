/**
 * Rejects import cycles between folders that stand side by side: what both need belongs in a folder below both.
 * dependency-cruiser finds cycles of folders too, but counts the files of a domain's root as a folder of their own, and its
 * module imports every folder.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const sources = readdirSync('src', { recursive: true, withFileTypes: true })
  .filter(({ name }) => name.endsWith('.ts'))
  .map(({ parentPath, name }) => join(parentPath, name));

/** Of each folder, the folders beside it that it imports, and one import for each as an example. */
const imports = new Map();
for (const file of sources) {
  for (const { fileName } of ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles) {
    if (!fileName.startsWith('.')) continue;
    const imported = join(dirname(file), fileName).replace(/\.js$/, '.ts');
    const [from, to] = [file.split('/'), imported.split('/')];
    const depth = from.findIndex((part, i) => part !== to[i]);
    if (depth < 0 || depth === from.length - 1 || depth === to.length - 1) continue;
    const [importer, beside] = [from, to].map((path) => path.slice(0, depth + 1).join('/'));
    if (!imports.has(importer)) imports.set(importer, new Map());
    imports.get(importer).set(beside, `${file} imports ${imported}`);
  }
}

/** The shortest way from a folder back to itself. */
function cycleOf(start) {
  const ways = [[start]];
  const seen = new Set();
  for (const way of ways) {
    for (const next of imports.get(way.at(-1))?.keys() ?? []) {
      if (next === start) return way;
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return [];
}

const told = new Set();
for (const folder of [...imports.keys()].sort()) {
  const cycle = cycleOf(folder);
  if (cycle.length === 0 || cycle.some((each) => told.has(each))) continue;
  cycle.forEach((each) => told.add(each));
  console.error(`error: the folders ${cycle.join(', ')} import each other in a circle`);
  cycle.forEach((each, i) => console.error(`  ${imports.get(each).get(cycle[(i + 1) % cycle.length])}`));
}
if (told.size > 0) process.exit(1);
console.log(`no import cycles between folders (${sources.length} files)`);
