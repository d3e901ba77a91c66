#!/usr/bin/env node
/**
 * `npm run migration:generate -- AddSomething` writes src/migrations/<time>-AddSomething.ts: the difference between the
 * entities and what the migrations make of an empty store. No server is needed, and nobody's own store has a say in it.
 */
import { writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { timesOfMigrations } from './migration-order.mjs';
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
  console.log(`Wrote ${file}. Read it, then add ${name}${time} at the end of src/migrations/index.ts.`);
});

function calls(statements) {
  const quoted = (text) => `\`${text.replace(/[\\`]|\$\{/g, '\\$&')}\``;
  return statements.map((text) => `await runner.query(${quoted(text)});`).join('\n    ');
}
