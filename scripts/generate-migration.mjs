#!/usr/bin/env node
/**
 * `npm run migration:generate -- AddSomething` writes src/migrations/<time>-AddSomething.ts and adds it to src/migrations/index.ts.
 * It compares the entities with an empty store after all migrations, so it needs no server and ignores your own store.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { INDEX, timesOfMigrations } from './migration-order.mjs';
import { driftOf, withMigratedStore } from './scratch-store.mjs';

const name = process.argv[2] ?? '';
if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) {
  console.error('Usage: npm run migration:generate -- AddSomething');
  process.exit(2);
}

await withMigratedStore(async (dataSource) => {
  const { up, down } = await driftOf(dataSource);
  if (up.length === 0) return console.log('Entities and migrations agree: there is nothing to generate.');

  // Some migrations have times in the future. A new one runs after all of them.
  const time = Math.max(Date.now(), ...timesOfMigrations().map((each) => each + 1));
  const file = `src/migrations/${time}-${name}.ts`;
  const source = `import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ${name}${time} implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    ${calls(up)}
  }

  async down(runner: QueryRunner): Promise<void> {
    ${calls(down)}
  }
}
`;
  writeFileSync(file, await format(source, { ...(await resolveConfig(file)), filepath: file }));
  addToIndex(`${name}${time}`, `./${time}-${name}.js`);
  console.log(`Wrote ${file} and added it to ${INDEX}. Read it before you commit it.`);
});

/** Adds a migration at the end of the imports and of the list. */
function addToIndex(className, path) {
  const source = readFileSync(INDEX, 'utf8');
  const imported = source.replace(/\n\n\/\*\* Every migration/, `\nimport { ${className} } from '${path}';$&`);
  writeFileSync(INDEX, imported.replace(/\];\s*$/, `  ${className},\n];\n`));
}

function calls(statements) {
  const quoted = (text) => `\`${text.replace(/[\\`]|\$\{/g, '\\$&')}\``;
  return statements.map((text) => `await runner.query(${quoted(text)});`).join('\n    ');
}
