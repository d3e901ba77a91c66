import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { User } from '../../../src/auth/credentials/user.entity.js';
import { CommandRefusal } from '../../../src/cli/refusal.js';
import type { Services } from '../../../src/cli/services.js';
import { printedExport, writeExport } from '../../../src/cli/user-export.js';
import type { Row } from '../../../src/common/db/query/rows.js';

const user = { id: '1', username: 'ann', name: 'Ann' } as Row<User>;

/** Services that know nothing of the user but these posts. */
const services = (posts: () => AsyncIterable<object>): Services =>
  ({
    directory: { of: async () => undefined },
    authExport: { sections: ({ id, name }: Row<User>) => [['user', { id, name }]] },
    accountsExport: { sections: () => [] },
    creativesExport: { sections: () => [['posts', posts()]] },
    measurementExport: { sections: () => [] },
    catalogsExport: { sections: () => [] },
    quotas: { usageOf: async () => ({ UNFINISHED_UPLOAD_BYTES: { used: 1 }, USER_MEDIA_BYTES: { used: 2 } }) },
  }) as unknown as Services;

async function* many(count: number, text: string): AsyncGenerator<object> {
  for (let id = 0; id < count; id++) yield { id, text };
}

async function* failing(): AsyncGenerator<object> {
  yield { id: 1 };
  throw new Error('the store is gone');
}

describe('the export of a user', () => {
  const folder = mkdtempSync(join(tmpdir(), 'marquee-export-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is one JSON document', async () => {
    const printed = await printedExport(
      services(() => many(2, 'a "b"\nc')),
      user,
    );
    const document = {
      user: { id: '1', name: 'Ann' },
      directory: null,
      posts: [
        { id: 0, text: 'a "b"\nc' },
        { id: 1, text: 'a "b"\nc' },
      ],
      storage: { unfinished_upload_bytes: 1, media_bytes: 2 },
    };
    expect(printed).toBe(JSON.stringify(document, null, 2));
  });

  it('is not printed where it is too large, but written to a file', async () => {
    const large = services(() => many(40, 'x'.repeat(1024 * 1024)));
    await expect(printedExport(large, user)).rejects.toThrow(
      new CommandRefusal('the export of ann is longer than 33554432 characters; write it to a file with --out'),
    );
    const path = join(folder, 'large.json');
    const bytes = await writeExport(large, user, path);
    expect(bytes).toBeGreaterThan(40 * 1024 * 1024);
    expect(JSON.parse(readFileSync(path, 'utf8')).posts).toHaveLength(40);
  });

  it('leaves no file behind that is not complete, and does not overwrite one', async () => {
    const path = join(folder, 'broken.json');
    await expect(writeExport(services(failing), user, path)).rejects.toThrow('the store is gone');
    expect(existsSync(path)).toBe(false);
    await writeExport(
      services(() => many(1, 'kept')),
      user,
      path,
    );
    await expect(writeExport(services(failing), user, path)).rejects.toThrow(
      new CommandRefusal(`${path} already exists`),
    );
    expect(readFileSync(path, 'utf8')).toContain('kept');
  });
});
