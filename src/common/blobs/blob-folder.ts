import type { DataSource } from 'typeorm';
import { run } from '../db/query/statement.js';
import { StartFailure } from '../start-failure.js';
import type { DiskBlobStore } from './disk-blob-store.js';

/**
 * Throws StartFailure unless this process sees the files that the other processes of this installation see. The first process
 * stores the marker of its folder in the database; every other process has to find the same marker in its own folder.
 */
export async function assertSharedFolder(db: DataSource, store: DiskBlobStore): Promise<void> {
  const marker = await store.marker();
  await run(db.manager, {
    text: 'INSERT INTO blob_folder (id, marker) VALUES (1, $1) ON CONFLICT (id) DO NOTHING',
    values: [marker],
  });
  const [shared] = await run<{ marker: string }>(db.manager, {
    text: 'SELECT marker FROM blob_folder WHERE id = 1',
    values: [],
  });
  if (shared.marker !== marker)
    throw new StartFailure(
      `DATA_DIR: the other replicas use other files than those in ${store.folder}. Give all replicas one shared DATA_DIR, or set BLOB_STORE=s3. If the files were moved or lost, run \`marquee blobs adopt\` with this DATA_DIR.`,
    );
}

/** Makes the folder of this process the one that every process must use from its next start on. */
export async function adoptFolder(db: DataSource, store: DiskBlobStore): Promise<void> {
  await run(db.manager, {
    text: 'INSERT INTO blob_folder (id, marker) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET marker = excluded.marker',
    values: [await store.marker()],
  });
}
