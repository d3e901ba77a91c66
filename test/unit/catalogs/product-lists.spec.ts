import { openInMemoryDatabase } from '../../../src/common/db/database.js';
import { run } from '../../../src/common/db/query/statement.js';
import { Product } from '../../../src/catalogs/entities/product.entity.js';
import { firstOfGroups } from '../../../src/catalogs/products/products.statements.js';

const INSERT = `INSERT INTO products ("catalogId", "productKey", "merchantId", "groupKey", attributes, bytes, "priceMicro", "createdAt", "updatedAt")
  SELECT 'c', n::text, n::text, 'p:' || n, '{}', 2, 1, '2026-01-01', '2026-01-01' FROM generate_series($1::int, $2::int) n`;
const READ = `SELECT (seq_tup_read + idx_tup_fetch)::int AS rows, pg_stat_force_next_flush() FROM pg_stat_user_tables WHERE relname = 'products'`;

it('a page of a catalog that was small before reads each product that it shows twice, and no other', async () => {
  const store = await openInMemoryDatabase({ entities: [Product], migrations: [] });
  const db = store.dataSource.manager;
  const page = () => firstOfGroups(db, 'c', { limit: 100 });
  const rowsRead = async () => {
    // A transaction sees what was counted before it.
    await run(db, { text: READ, values: [] });
    const [{ rows }] = await run<{ rows: number }>(db, { text: READ, values: [] });
    return rows;
  };
  try {
    await store.dataSource.synchronize();
    await run(db, { text: INSERT, values: [1, 1] });
    await run(db, { text: 'ANALYZE products', values: [] });
    // Plans that are kept are those for a table of this size.
    for (let i = 0; i < 10; i++) await page();
    await run(db, { text: INSERT, values: [2, 5000] });
    const before = await rowsRead();
    expect(await page()).toHaveLength(100);
    expect((await rowsRead()) - before).toBe(200);
  } finally {
    await store.close();
  }
});
