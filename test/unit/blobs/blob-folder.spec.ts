import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adoptFolder, assertSharedFolder } from '../../../src/common/blobs/blob-folder.js';
import { DiskBlobStore } from '../../../src/common/blobs/disk-blob-store.js';
import { BlobFolder } from '../../../src/common/blobs/blob-folder.entity.js';
import { StartFailure } from '../../../src/common/start-failure.js';
import { BlobFolder1795701000000 } from '../../../src/migrations/1795701000000-BlobFolder.js';
import { onEveryStore } from '../db/stores.js';

onEveryStore(
  'the folder of the files',
  (store) => {
    const folders: string[] = [];
    afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

    async function replica(folder = mkdtempSync(join(tmpdir(), 'marquee-files-'))): Promise<DiskBlobStore> {
      folders.push(folder);
      const blobs = new DiskBlobStore(folder);
      await blobs.prepare();
      return blobs;
    }
    const db = () => store().dataSource;
    beforeEach(() => db().query('DELETE FROM blob_folder'));

    it('is shared by replicas that start at the same time in one folder', async () => {
      const first = await replica();
      const others = await Promise.all(Array.from({ length: 8 }, () => replica(first.folder)));
      await Promise.all([first, ...others].map((blobs) => assertSharedFolder(db(), blobs)));
    });

    it('is one only: a replica with another folder does not start, and is told which setting is wrong', async () => {
      const [first, second] = [await replica(), await replica()];
      await assertSharedFolder(db(), first);
      const refusal = assertSharedFolder(db(), second);
      await expect(refusal).rejects.toThrow(StartFailure);
      await expect(refusal).rejects.toThrow(
        /^DATA_DIR: the other replicas use other files than those in \S+\. .*BLOB_STORE=s3/,
      );
      await assertSharedFolder(db(), first);
    });

    it('is another one after it was adopted', async () => {
      const [lost, restored] = [await replica(), await replica()];
      await assertSharedFolder(db(), lost);
      await adoptFolder(db(), restored);
      await assertSharedFolder(db(), restored);
      await expect(assertSharedFolder(db(), lost)).rejects.toThrow(StartFailure);
    });
  },
  { entities: [BlobFolder], migrations: [BlobFolder1795701000000] },
);
